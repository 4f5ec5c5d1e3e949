import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// Elements of arrays and sets.
@Suite struct ElementTests {
  // Q-03
  @Test func anElementThatDoesNotFitIsAnErrorThatSaysWhich() throws {
    try expect(Date.distantPast, #""list":["2013-07-01",true]"#, "[1]", "expected a date (ISO 8601)")
    try expect(Date.distantPast, #""set":[null]"#, "[0]", "expected a date (ISO 8601)")
    try expect(URL(string: "a:b")!, #""list":["a:b","a b"]"#, "[1]", "expected a URL")
    try expect(UUID(), #""set":["x"]"#, "[0]", "expected a UUID")
    try expect(Decimal(), #""gaps":[1,null,"1","1,5"]"#, "[3]", "expected a decimal number")
    try expect(
      Decimal(), #""list":[1,1e300]"#, "[1]", "expected a number that a Decimal can hold in 38 digits")
    try expect(Data(), #""list":["AP8=",1]"#, "[1]", "expected base64 data")
  }

  private func expect<V: AttributeValue & Hashable & Sendable>(
    _ initial: V, _ json: String, _ place: String, _ expected: String
  ) throws {
    let message = try #require(try Shelf(.memory, initial).failure(of: json))
    #expect(message.contains(place))
    #expect(message.contains(expected))
  }

  @Test(arguments: StoreKind.allCases)
  func emptyCollectionsStayEmpty(_ kind: StoreKind) throws {
    let shelf = try Shelf(kind, Decimal(7))
    let json = #""value":7,"list":[],"set":[],"gaps":[]"#
    let box = try shelf.load(json)
    #expect((box.list, box.set, box.gaps) == ([], [], []))
    #expect(try shelf.text() == json)
  }
}
