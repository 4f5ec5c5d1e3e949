import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The values that every type of attribute refuses, and the words for them.
@Suite struct ErrorTypeTests {
  // BUG-16, BUG-17, BUG-18, Q-27, FEM-38
  static let wrongKinds: [ErrorCase] = ErrorCase.table(
    .types,
    #"""
    {"id":"a","boolean":0} → $.boolean: expected a boolean, found the number 0 (line 1, column 21)
    {"id":"a","boolean":1.5} → $.boolean: expected a boolean, found the number 1.5 (line 1, column 21)
    {"id":"a","boolean":"true"} → $.boolean: expected a boolean, found the string "true" (line 1, column 21)
    {"id":"a","boolean":[true]} → $.boolean: expected a boolean, found an array (line 1, column 21)
    {"id":"a","boolean":{}} → $.boolean: expected a boolean, found an object (line 1, column 21)
    {"id":"a","integer":true} → $.integer: expected an integer, found true (line 1, column 21)
    {"id":"a","integer":1.5} → $.integer: expected an integer, found the number 1.5 (line 1, column 21)
    {"id":"a","integer":1.0} → $.integer: expected an integer, found the number 1.0 (line 1, column 21)
    {"id":"a","integer":1e2} → $.integer: expected an integer, found the number 100.0 (line 1, column 21)
    {"id":"a","integer":"1"} → $.integer: expected an integer, found the string "1" (line 1, column 21)
    {"id":"a","integer":[1]} → $.integer: expected an integer, found an array (line 1, column 21)
    {"id":"a","integer":{"n":1}} → $.integer: expected an integer, found an object (line 1, column 21)
    {"id":"a","number":false} → $.number: expected a number, found false (line 1, column 20)
    {"id":"a","number":"1.5"} → $.number: expected a number, found the string "1.5" (line 1, column 20)
    {"id":"a","number":[]} → $.number: expected a number, found an array (line 1, column 20)
    {"id":"a","number":{}} → $.number: expected a number, found an object (line 1, column 20)
    {"id":"a","string":true} → $.string: expected a string, found true (line 1, column 20)
    {"id":"a","string":12} → $.string: expected a string, found the number 12 (line 1, column 20)
    {"id":"a","string":-0.5} → $.string: expected a string, found the number -0.5 (line 1, column 20)
    {"id":"a","string":["a"]} → $.string: expected a string, found an array (line 1, column 20)
    {"id":"a","string":{"a":1}} → $.string: expected a string, found an object (line 1, column 20)
    {"id":"a","integer":"\#(String(repeating: "x", count: 50))"} → $.integer: expected an integer, found the string "\#(String(repeating: "x", count: 40))…" (line 1, column 21)
    """#)

  @Test(arguments: TestSize.onStores(wrongKinds, others: 2))
  func everyTypeNamesItsExpectation(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-22, Q-03, Q-34
  static let dates: [ErrorCase] = ErrorCase.table(
    .types,
    #"""
    {"id":"a","iso":false} → $.iso: expected a date (ISO 8601), found false (line 1, column 17)
    {"id":"a","iso":1341100800} → $.iso: expected a date (ISO 8601), found the number 1341100800 (line 1, column 17)
    {"id":"a","iso":1.5} → $.iso: expected a date (ISO 8601), found the number 1.5 (line 1, column 17)
    {"id":"a","iso":"yesterday"} → $.iso: expected a date (ISO 8601), found the string "yesterday" (line 1, column 17)
    {"id":"a","iso":"2012-02-30T00:00:00Z"} → $.iso: expected a date (ISO 8601), found the string "2012-02-30T00:00:00Z" (line 1, column 17)
    {"id":"a","iso":""} → $.iso: expected a date (ISO 8601), found the string "" (line 1, column 17)
    {"id":"a","iso":[]} → $.iso: expected a date (ISO 8601), found an array (line 1, column 17)
    {"id":"a","iso":{}} → $.iso: expected a date (ISO 8601), found an object (line 1, column 17)
    {"id":"a","epoch":true} → $.epoch: expected a date (seconds since 1970), found true (line 1, column 19)
    {"id":"a","epoch":"1341100800"} → $.epoch: expected a date (seconds since 1970), found the string "1341100800" (line 1, column 19)
    {"id":"a","epoch":1e300} → $.epoch: expected a date (seconds since 1970), found the number 1e+300 (line 1, column 19)
    {"id":"a","epoch":[1]} → $.epoch: expected a date (seconds since 1970), found an array (line 1, column 19)
    {"id":"a","epoch":{}} → $.epoch: expected a date (seconds since 1970), found an object (line 1, column 19)
    {"id":"a","millis":true} → $.millis: expected a date (milliseconds since 1970), found true (line 1, column 20)
    {"id":"a","millis":"0"} → $.millis: expected a date (milliseconds since 1970), found the string "0" (line 1, column 20)
    {"id":"a","millis":-1e300} → $.millis: expected a date (milliseconds since 1970), found the number -1e+300 (line 1, column 20)
    {"id":"a","millis":[]} → $.millis: expected a date (milliseconds since 1970), found an array (line 1, column 20)
    {"id":"a","millis":{}} → $.millis: expected a date (milliseconds since 1970), found an object (line 1, column 20)
    {"id":"a","day":true} → $.day: expected a date (%Y-%m-%d), found true (line 1, column 17)
    {"id":"a","day":20120701} → $.day: expected a date (%Y-%m-%d), found the number 20120701 (line 1, column 17)
    {"id":"a","day":1.5} → $.day: expected a date (%Y-%m-%d), found the number 1.5 (line 1, column 17)
    {"id":"a","day":"2012-07-01x"} → $.day: expected a date (%Y-%m-%d), found the string "2012-07-01x" (line 1, column 17)
    {"id":"a","day":"01.07.2012"} → $.day: expected a date (%Y-%m-%d), found the string "01.07.2012" (line 1, column 17)
    {"id":"a","day":[2012,7,1]} → $.day: expected a date (%Y-%m-%d), found an array (line 1, column 17)
    {"id":"a","day":{}} → $.day: expected a date (%Y-%m-%d), found an object (line 1, column 17)
    {"id":"a","data":true} → $.data: expected base64 data, found true (line 1, column 18)
    {"id":"a","data":0} → $.data: expected base64 data, found the number 0 (line 1, column 18)
    {"id":"a","data":0.5} → $.data: expected base64 data, found the number 0.5 (line 1, column 18)
    {"id":"a","data":"a"} → $.data: expected base64 data, found the string "a" (line 1, column 18)
    {"id":"a","data":"A P 8"} → $.data: expected base64 data, found the string "A P 8" (line 1, column 18)
    {"id":"a","data":["AP8="]} → $.data: expected base64 data, found an array (line 1, column 18)
    {"id":"a","data":{}} → $.data: expected base64 data, found an object (line 1, column 18)
    """#)

  @Test(arguments: TestSize.onStores(dates, others: 2))
  func everyDateSaysItsForm(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }
}
