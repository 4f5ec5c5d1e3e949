import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The values that the types of properties refuse.
@Suite struct ErrorPropertyTests {
  // BUG-18, FEM-44, FEM-66
  static let widths: [ErrorCase] = ErrorCase.table(
    .widths,
    #"""
    {"id":"a","int":9223372036854775808} → $.int: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 17)
    {"id":"a","int":-9223372036854775809} → $.int: expected an integer from -9223372036854775808 to 9223372036854775807, found the number -9223372036854775809 (line 1, column 17)
    {"id":"a","int8":128} → $.int8: expected an integer from -128 to 127, found the number 128 (line 1, column 18)
    {"id":"a","int8":-129} → $.int8: expected an integer from -128 to 127, found the number -129 (line 1, column 18)
    {"id":"a","int16":32768} → $.int16: expected an integer from -32768 to 32767, found the number 32768 (line 1, column 19)
    {"id":"a","int16":-32769} → $.int16: expected an integer from -32768 to 32767, found the number -32769 (line 1, column 19)
    {"id":"a","int32":2147483648} → $.int32: expected an integer from -2147483648 to 2147483647, found the number 2147483648 (line 1, column 19)
    {"id":"a","int32":-2147483649} → $.int32: expected an integer from -2147483648 to 2147483647, found the number -2147483649 (line 1, column 19)
    {"id":"a","int64":9223372036854775808} → $.int64: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 19)
    {"id":"a","int64":-9223372036854775809} → $.int64: expected an integer from -9223372036854775808 to 9223372036854775807, found the number -9223372036854775809 (line 1, column 19)
    {"id":"a","uint":18446744073709551616} → $.uint: expected an integer from 0 to 18446744073709551615, found the number 18446744073709551616 (line 1, column 18)
    {"id":"a","uint":-1} → $.uint: expected an integer from 0 to 18446744073709551615, found the number -1 (line 1, column 18)
    {"id":"a","uint8":256} → $.uint8: expected an integer from 0 to 255, found the number 256 (line 1, column 19)
    {"id":"a","uint8":-1} → $.uint8: expected an integer from 0 to 255, found the number -1 (line 1, column 19)
    {"id":"a","uint16":65536} → $.uint16: expected an integer from 0 to 65535, found the number 65536 (line 1, column 20)
    {"id":"a","uint16":-1} → $.uint16: expected an integer from 0 to 65535, found the number -1 (line 1, column 20)
    {"id":"a","uint32":4294967296} → $.uint32: expected an integer from 0 to 4294967295, found the number 4294967296 (line 1, column 20)
    {"id":"a","uint32":-1} → $.uint32: expected an integer from 0 to 4294967295, found the number -1 (line 1, column 20)
    {"id":"a","uint64":18446744073709551616} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number 18446744073709551616 (line 1, column 20)
    {"id":"a","uint64":-9223372036854775809} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number -9223372036854775809 (line 1, column 20)
    {"id":"a","uint64":-1} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number -1 (line 1, column 20)
    {"id":"a","int":1.5} → $.int: expected an integer, found the number 1.5 (line 1, column 17)
    {"id":"a","int":"1"} → $.int: expected an integer, found the string "1" (line 1, column 17)
    {"id":"a","int":true} → $.int: expected an integer, found true (line 1, column 17)
    {"id":"a","uint8":0.5} → $.uint8: expected an integer from 0 to 255, found the number 0.5 (line 1, column 19)
    {"id":"a","uint8":[]} → $.uint8: expected an integer from 0 to 255, found an array (line 1, column 19)
    {"id":"a","uint64":1.5} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number 1.5 (line 1, column 20)
    {"id":"a","uint64":18446744073709551615.0} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number 1.8446744073709552e+19 (line 1, column 20)
    {"id":"a","uint64":{}} → $.uint64: expected an integer from 0 to 18446744073709551615, found an object (line 1, column 20)
    """#)

  // BUG-17, Q-26
  @Test(arguments: TestSize.onStores(widths, others: 2))
  func anIntegerBeyondItsPropertyNamesTheRange(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-16, BUG-19, BUG-20, Q-05
  static let properties: [ErrorCase] = ErrorCase.table(
    .typed,
    #"""
    {"id":"a","bool":0} → $.bool: expected a boolean, found the number 0 (line 1, column 18)
    {"id":"a","bool":"yes"} → $.bool: expected a boolean, found the string "yes" (line 1, column 18)
    {"id":"a","float":1e39} → $.float: expected a number that a Float can hold, found the number 1e+39 (line 1, column 19)
    {"id":"a","float":-1e39} → $.float: expected a number that a Float can hold, found the number -1e+39 (line 1, column 19)
    {"id":"a","float":10000000000000000000000000000000000000000} → $.float: expected a number that a Float can hold, found the number 1000000000000000000000000000000000000000… (line 1, column 19)
    {"id":"a","float":"1"} → $.float: expected a number, found the string "1" (line 1, column 19)
    {"id":"a","double":true} → $.double: expected a number, found true (line 1, column 20)
    {"id":"a","string":0} → $.string: expected a string, found the number 0 (line 1, column 20)
    {"id":"a","sex":"x"} → $.sex: expected a value of Sex, found the string "x" (line 1, column 17)
    {"id":"a","sex":""} → $.sex: expected a value of Sex, found the string "" (line 1, column 17)
    {"id":"a","sex":1} → $.sex: expected a string, found the number 1 (line 1, column 17)
    {"id":"a","sex":["f"]} → $.sex: expected a string, found an array (line 1, column 17)
    {"id":"a","grade":2} → $.grade: expected a value of Grade, found the number 2 (line 1, column 19)
    {"id":"a","grade":128} → $.grade: expected an integer from -128 to 127, found the number 128 (line 1, column 19)
    {"id":"a","grade":"1"} → $.grade: expected an integer from -128 to 127, found the string "1" (line 1, column 19)
    {"id":"a","grade":1.0} → $.grade: expected an integer from -128 to 127, found the number 1.0 (line 1, column 19)
    {"id":"a","moment":0} → $.moment: expected a date (ISO 8601), found the number 0 (line 1, column 20)
    {"id":"a","bytes":"?"} → $.bytes: expected base64 data, found the string "?" (line 1, column 19)
    {"id":"a","bytes":[1,2]} → $.bytes: expected base64 data, found an array (line 1, column 19)
    {"id":"a","maybeInt8":300} → $.maybeInt8: expected an integer from -128 to 127, found the number 300 (line 1, column 23)
    {"id":"a","maybeInt8":"1"} → $.maybeInt8: expected an integer from -128 to 127, found the string "1" (line 1, column 23)
    {"id":"a","maybeString":0} → $.maybeString: expected a string, found the number 0 (line 1, column 25)
    {"id":"a","maybeSex":"F"} → $.maybeSex: expected a value of Sex, found the string "F" (line 1, column 22)
    {"id":"a","maybeFloat":1e39} → $.maybeFloat: expected a number that a Float can hold, found the number 1e+39 (line 1, column 24)
    {"id":"a","float":\#(ErrorCase.digits400)} → $.float: expected a number that a Double can hold, found the number 1000000000000000000000000000000000000000… (line 1, column 19)
    {"id":"a","double":\#(ErrorCase.digits400)} → $.double: expected a number that a Double can hold, found the number 1000000000000000000000000000000000000000… (line 1, column 20)
    """#)

  // FEM-45, Q-27
  @Test(arguments: TestSize.onStores(properties, others: 2))
  func aPropertyNamesItsExpectation(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-10, BUG-18, FEM-195
  static let elements: [ErrorCase] = ErrorCase.table(
    .collections,
    #"""
    {"id":"a","in":{"strings":["x","y",3]}} → $.in.strings[2]: expected a string, found the number 3 (line 1, column 36)
    {"id":"a","in":{"strings":["x",null]}} → $.in.strings[1]: expected a string, found null (line 1, column 32)
    {"id":"a","in":{"strings":"x"}} → $.in.strings: expected an array, found the string "x" (line 1, column 27)
    {"id":"a","in":{"strings":{}}} → $.in.strings: expected an array, found an object (line 1, column 27)
    {"id":"a","small":[1,2,128]} → $.small[2]: expected an integer from -128 to 127, found the number 128 (line 1, column 24)
    {"id":"a","small":[1,2,1.5]} → $.small[2]: expected an integer from -128 to 127, found the number 1.5 (line 1, column 24)
    {"id":"a","small":300} → $.small: expected an array, found the number 300 (line 1, column 19)
    {"id":"a","small":[[1]]} → $.small[0]: expected an integer from -128 to 127, found an array (line 1, column 20)
    {"id":"a","big":[18446744073709551615,18446744073709551616]} → $.big[1]: expected an integer from 0 to 18446744073709551615, found the number 18446744073709551616 (line 1, column 39)
    {"id":"a","big":[1,-1]} → $.big[1]: expected an integer from 0 to 18446744073709551615, found the number -1 (line 1, column 20)
    {"id":"a","floats":[1,2,1e39]} → $.floats[2]: expected a number that a Float can hold, found the number 1e+39 (line 1, column 25)
    {"id":"a","floats":[true]} → $.floats[0]: expected a number, found true (line 1, column 21)
    {"id":"a","gaps":[null,1,"x"]} → $.gaps[2]: expected an integer, found the string "x" (line 1, column 26)
    {"id":"a","gaps":[null,1,9223372036854775808]} → $.gaps[2]: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 26)
    {"id":"a","grid":[[1],2]} → $.grid[1]: expected an array, found the number 2 (line 1, column 23)
    {"id":"a","grid":[[1],null]} → $.grid[1]: expected an array, found null (line 1, column 23)
    {"id":"a","set":[3,1,"2"]} → $.set[2]: expected an integer, found the string "2" (line 1, column 22)
    {"id":"a","set":{"0":1}} → $.set: expected an array, found an object (line 1, column 17)
    {"id":"a","sexes":["f","m","x"]} → $.sexes[2]: expected a value of Sex, found the string "x" (line 1, column 28)
    {"id":"a","sexes":["f",1]} → $.sexes[1]: expected a value of Sex, found the number 1 (line 1, column 24)
    {"id":"a","moments":["2012-07-01T00:00:00Z",0]} → $.moments[1]: expected a date (ISO 8601), found the number 0 (line 1, column 45)
    {"id":"a","blobs":["AP8=","?"]} → $.blobs[1]: expected base64 data, found the string "?" (line 1, column 27)
    {"id":"a","maybe":[1,[]]} → $.maybe[1]: expected an integer, found an array (line 1, column 22)
    {"id":"a","maybe":false} → $.maybe: expected an array, found false (line 1, column 19)
    {"id":"a","grid":[[1],␊[2,"x"]]} → $.grid[1][1]: expected an integer, found the string "x" (line 2, column 4)
    {"id":"a","small":[␊  1,␊  "é",␊  -129]} → $.small[1]: expected an integer from -128 to 127, found the string "é" (line 3, column 3)
    """#)

  @Test(arguments: TestSize.onStores(elements, others: 2))
  func anElementOfAPropertyHasAPathOfItsOwn(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }
}
