import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Numbers that are too large, and the limits of leniency.
@Suite struct ErrorNumberTests {
  // BUG-18, Q-26
  static let largeNumbers: [ErrorCase] = ErrorCase.table(
    .types,
    #"""
    {"id":"a","integer":9223372036854775808} → $.integer: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 21)
    {"id":"a","integer":-9223372036854775809} → $.integer: expected an integer from -9223372036854775808 to 9223372036854775807, found the number -9223372036854775809 (line 1, column 21)
    {"id":"a","integer":18446744073709551616} → $.integer: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 18446744073709551616 (line 1, column 21)
    {"id":"a","integer":123456789012345678901234567890123456789012345} → $.integer: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 1234567890123456789012345678901234567890… (line 1, column 21)
    {"id":"a","integer":1e19} → $.integer: expected an integer, found the number 1e+19 (line 1, column 21)
    {"id":"a","boolean":9223372036854775808} → $.boolean: expected a boolean, found the number 9223372036854775808 (line 1, column 21)
    {"id":"a","string":-9223372036854775809} → $.string: expected a string, found the number -9223372036854775809 (line 1, column 20)
    {"id":"a","epoch":9223372036854775808} → $.epoch: expected a date (seconds since 1970), found the number 9223372036854775808 (line 1, column 19)
    {"id":"a","epoch":-9223372036854775808} → $.epoch: expected a date (seconds since 1970), found the number -9223372036854775808 (line 1, column 19)
    {"id":"a","millis":100000000000000000000} → $.millis: expected a date (milliseconds since 1970), found the number 100000000000000000000 (line 1, column 20)
    {"id":"a","number":\#(ErrorCase.digits400)} → $.number: expected a number that a Double can hold, found the number 1000000000000000000000000000000000000000… (line 1, column 20)
    {"id":"a","number":-\#(ErrorCase.digits400)} → $.number: expected a number that a Double can hold, found the number -100000000000000000000000000000000000000… (line 1, column 20)
    """#)

  @Test(arguments: TestSize.onStores(largeNumbers, others: 2))
  func aNumberBeyondItsTypeKeepsItsDigitsInTheMessage(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-17, Q-27
  static let lenient: [ErrorCase] = ErrorCase.table(
    .lenient,
    #"""
    {"id":"a","boolean":2} → $.boolean: expected a boolean, found the number 2 (line 1, column 21)
    {"id":"a","boolean":-1} → $.boolean: expected a boolean, found the number -1 (line 1, column 21)
    {"id":"a","boolean":1.0} → $.boolean: expected a boolean, found the number 1.0 (line 1, column 21)
    {"id":"a","boolean":"yes"} → $.boolean: expected a boolean, found the string "yes" (line 1, column 21)
    {"id":"a","boolean":"2"} → $.boolean: expected a boolean, found the string "2" (line 1, column 21)
    {"id":"a","boolean":"1.0"} → $.boolean: expected a boolean, found the string "1.0" (line 1, column 21)
    {"id":"a","boolean":"True"} → $.boolean: expected a boolean, found the string "True" (line 1, column 21)
    {"id":"a","boolean":[]} → $.boolean: expected a boolean, found an array (line 1, column 21)
    {"id":"a","integer":"x"} → $.integer: expected an integer, found the string "x" (line 1, column 21)
    {"id":"a","integer":"1.5"} → $.integer: expected an integer, found the string "1.5" (line 1, column 21)
    {"id":"a","integer":1.5} → $.integer: expected an integer, found the number 1.5 (line 1, column 21)
    {"id":"a","integer":"012"} → $.integer: expected an integer, found the string "012" (line 1, column 21)
    {"id":"a","integer":"1e999"} → $.integer: expected an integer, found the string "1e999" (line 1, column 21)
    {"id":"a","integer":"0x10"} → $.integer: expected an integer, found the string "0x10" (line 1, column 21)
    {"id":"a","integer":" 1"} → $.integer: expected an integer, found the string " 1" (line 1, column 21)
    {"id":"a","integer":"1 2"} → $.integer: expected an integer, found the string "1 2" (line 1, column 21)
    {"id":"a","integer":"1 "} → $.integer: expected an integer, found the string "1 " (line 1, column 21)
    {"id":"a","integer":true} → $.integer: expected an integer, found true (line 1, column 21)
    {"id":"a","integer":"9223372036854775808"} → $.integer: expected an integer, found the string "9223372036854775808" (line 1, column 21)
    {"id":"a","integer":9223372036854775808} → $.integer: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 21)
    {"id":"a","integer":1e+19} → $.integer: expected an integer, found the number 1e+19 (line 1, column 21)
    {"id":"a","integer":9.223372036854776e+18} → $.integer: expected an integer, found the number 9.223372036854776e+18 (line 1, column 21)
    {"id":"a","integer":[1]} → $.integer: expected an integer, found an array (line 1, column 21)
    {"id":"a","integer":"1\u0000"} → $.integer: expected an integer, found the string "1\u0000" (line 1, column 21)
    {"id":"a","number":"x"} → $.number: expected a number, found the string "x" (line 1, column 20)
    {"id":"a","number":"1,5"} → $.number: expected a number, found the string "1,5" (line 1, column 20)
    {"id":"a","number":"NaN"} → $.number: expected a number, found the string "NaN" (line 1, column 20)
    {"id":"a","number":"1e400"} → $.number: expected a number, found the string "1e400" (line 1, column 20)
    {"id":"a","number":-1e400} → $.number: expected a number that a Double can hold, found the number -1e400 (line 1, column 20)
    {"id":"a","integer":1e400} → $.integer: expected an integer, found the number 1e400 (line 1, column 21)
    {"id":"a","number":true} → $.number: expected a number, found true (line 1, column 20)
    {"id":"a","number":{}} → $.number: expected a number, found an object (line 1, column 20)
    {"id":"a","number":"\#(ErrorCase.digits400)"} → $.number: expected a number, found the string "1000000000000000000000000000000000000000…" (line 1, column 20)
    {"id":"a","number":\#(ErrorCase.digits400)} → $.number: expected a number that a Double can hold, found the number 1000000000000000000000000000000000000000… (line 1, column 20)
    """#)

  @Test(arguments: TestSize.onStores(lenient, others: 2))
  func aLenientAttributeRefusesOtherValues(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-17, BUG-18
  static let lenientProperties: [ErrorCase] = ErrorCase.table(
    .lenientTyped,
    #"""
    {"id":"a","bool":2} → $.bool: expected a boolean, found the number 2 (line 1, column 18)
    {"id":"a","int8":"128"} → $.int8: expected an integer from -128 to 127, found the string "128" (line 1, column 18)
    {"id":"a","int8":128.0} → $.int8: expected an integer from -128 to 127, found the number 128.0 (line 1, column 18)
    {"id":"a","int8":"1.5"} → $.int8: expected an integer from -128 to 127, found the string "1.5" (line 1, column 18)
    {"id":"a","int8":"-129"} → $.int8: expected an integer from -128 to 127, found the string "-129" (line 1, column 18)
    {"id":"a","uint64":"18446744073709551616"} → $.uint64: expected an integer from 0 to 18446744073709551615, found the string "18446744073709551616" (line 1, column 20)
    {"id":"a","uint64":"-1"} → $.uint64: expected an integer from 0 to 18446744073709551615, found the string "-1" (line 1, column 20)
    {"id":"a","uint64":-1.0} → $.uint64: expected an integer from 0 to 18446744073709551615, found the number -1.0 (line 1, column 20)
    {"id":"a","float":"1e39"} → $.float: expected a number that a Float can hold, found the string "1e39" (line 1, column 19)
    {"id":"a","float":"x"} → $.float: expected a number, found the string "x" (line 1, column 19)
    {"id":"a","double":"1e309"} → $.double: expected a number, found the string "1e309" (line 1, column 20)
    {"id":"a","grade":"2"} → $.grade: expected a value of Grade, found the string "2" (line 1, column 19)
    {"id":"a","grade":2.0} → $.grade: expected a value of Grade, found the number 2.0 (line 1, column 19)
    {"id":"a","grade":"x"} → $.grade: expected an integer from -128 to 127, found the string "x" (line 1, column 19)
    """#)

  @Test(arguments: TestSize.onStores(lenientProperties, others: 2))
  func aLenientPropertyStillHasItsRange(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }
}
