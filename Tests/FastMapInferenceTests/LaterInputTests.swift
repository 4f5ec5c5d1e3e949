import FastMapCore
import FastMapInference
import Testing

/// Feeds of several days: an object may have changed from one input to the next.
@Suite struct LaterInputTests {
  private func text(_ inputs: [String]) throws -> String {
    var inference = Inference(name: "Order")
    for input in inputs { try inference.add(text: input) }
    return try inference.result().file.fileText
  }

  /// The objects of a day, from `first` on.
  private func day(_ ids: ClosedRange<Int>, _ member: (Int) -> String) -> String {
    "["
      + ids.map { #"{"id":\#($0),"name":"n\#($0)","place":"p\#($0)",\#(member($0))}"# }.joined(separator: ",")
      + "]"
  }

  private static let key = #""primaryKey": "id""#

  @Test func anObjectThatALaterInputChangesKeepsItsKey() throws {
    let days = [
      #"[{"id":1,"price":10},{"id":2,"price":20}]"#, #"[{"id":1,"price":10.5},{"id":3,"price":20}]"#,
      #"[{"id":1,"price":10},{"id":2,"price":21}]"#,
    ]
    for inputs in [days, days.reversed(), [days[1], days[2], days[0]]] {
      try #expect(text(inputs).contains(Self.key))
      try #expect(text(inputs) == text(days))
    }
    let more = [day(1...40) { #""total":\#($0)"# }, day(20...60) { #""total":\#($0 + 1)"# }]
    try #expect(text(more).contains(Self.key))
  }

  @Test func oneInputWithTwoObjectsOfOneIdentifierHasNoKey() throws {
    let twice = #"[{"id":1,"price":10},{"id":1,"price":11},{"id":2,"price":1}]"#
    try #expect(!text([twice]).contains(Self.key))
    try #expect(!text([twice, #"[{"id":3,"price":10}]"#]).contains(Self.key))
  }

  @Test func identifiersThatEachInputCountsAnewAreNoKey() throws {
    func page(_ number: Int) -> String {
      "["
        + (1...20).map { #"{"id":\#($0),"name":"n\#($0 * number)","total":\#($0 * number + 7)}"# }.joined(
          separator: ",")
        + "]"
    }
    try #expect(!text([page(2), page(3)]).contains(Self.key))
  }
}
