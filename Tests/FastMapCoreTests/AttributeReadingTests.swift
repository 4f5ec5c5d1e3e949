import FastMapCore
import TestSupport
import Testing

/// A number of pieces: `12`, `"12"`, or `"a dozen"`; kept as digits.
private struct Amount: AttributeValue, Hashable {
  var count: String

  static var attributeType: AttributeType { .string }

  static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      let isNumber = value.kind == .integer || value.kind == .number
      guard let text = isNumber ? value.text : value.string else { return "an amount" }
      let count = text == "a dozen" ? "12" : text
      guard count.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
        return "an amount in digits"
      }
      field.set(string: count)
      return nil
    }
  }

  init?(_ field: Field) {
    guard let count = field.string else { return nil }
    self.count = count
  }

  func write(to field: inout FieldWriter) { field.set(string: count) }
}

private struct Stock: RawRepresentable, AttributeValue {
  var rawValue: Amount
  init?(rawValue: Amount) {
    if rawValue.count.utf8.count > 30 { return nil }
    self.rawValue = rawValue
  }
}

private final class Crate {
  var id = Amount("0")
  var size: Amount?
  var stock = Stock("0")
  var sizes: [Amount] = []
  var kinds: Set<Amount> = []
  var rows: [[Amount?]]?

  static let mapping: Mapping<Crate> = Mapping(Crate.self, "Crate", primaryKey: "id", make: { Crate() }) {
    Attribute("id", \.id)
    Attribute("size", \.size)
    Attribute("stock", \.stock)
    Attribute("sizes", \.sizes)
    Attribute("kinds", \.kinds)
    Attribute("rows", \.rows)
  }
}

extension Amount: ExpressibleByStringLiteral {
  init(stringLiteral count: String) { self.count = count }
}

extension Stock {
  init(_ count: Amount) { rawValue = count }
}

/// A type reads JSON in its own way.
@Suite struct AttributeReadingTests {
  private func load(_ kind: StoreKind, _ json: String) throws -> [Crate] {
    let store = try kind.make()
    return try Mapper(store).roundTrip(Array(json.utf8), as: Crate.mapping, depth: .max)
  }

  // FEM-85, Q-08 Q-26
  @Test(arguments: StoreKind.allCases)
  func severalKindsAndSpellingsAreOneValueAsAKeyAndInCollections(_ kind: StoreKind) throws {
    let crates = try load(
      kind,
      #"""
      [{"id": 12, "size": 98765432109876543210987654321, "stock": "a dozen", "sizes": [1, "a dozen", "3"]},
       {"id": "a dozen", "kinds": [12, "12", "a dozen", 98765432109876543210], "rows": [[1, null], []]},
       {"id": "12", "size": null, "stock": null}]
      """#)
    #expect(crates.allSatisfy { $0 === crates[0] })
    let crate = crates[0]
    #expect(crate.id == "12")
    #expect(crate.size == nil)
    #expect((crate.stock.rawValue, crate.sizes) == ("12", ["1", "12", "3"]))
    #expect((crate.kinds, crate.rows) == (["12", "98765432109876543210"], [["1", nil], []]))
    let large = try load(kind, #"{"id": 1, "size": 98765432109876543210987654321}"#)
    #expect(large[0].size == "98765432109876543210987654321")
  }

  // Q-09
  @Test(arguments: StoreKind.allCases)
  func anotherSpellingOfAStoredValueChangesNothing(_ kind: StoreKind) throws {
    let store = try kind.make()
    func report(_ json: String) throws -> ImportReport.Counts? {
      try Mapper(store).importJSON(Array(json.utf8), as: Crate.mapping)["Crate"]
    }
    #expect(
      try report(#"{"id":12,"size":"12","sizes":["12"],"kinds":[12,3],"rows":[["a dozen"]]}"#)
        == .init(inserted: 1))
    #expect(
      try report(#"{"id":"a dozen","size":12,"sizes":["a dozen"],"kinds":["3","12","3"],"rows":[[12]]}"#)
        == .init(unchanged: 1))
  }

  @Test(arguments: [
    (#"{"id":true}"#, "$.id: expected an amount, found true"),
    (#"{"id":1,"size":"x"}"#, #"$.size: expected an amount in digits, found the string "x""#),
    (#"{"id":1,"size":1.5}"#, "$.size: expected an amount in digits, found the number 1.5"),
    (
      #"{"id":1,"size":-98765432109876543210}"#,
      "$.size: expected an amount in digits, found the number -98765432109876543210"
    ),
    (#"{"id":1,"stock":[]}"#, "$.stock: expected an amount, found an array"),
    (
      #"{"id":1,"stock":9876543210987654321098765432109}"#,
      "$.stock: expected a value of Stock, found the number 9876543210987654321098765432109"
    ),
    (#"{"id":1,"sizes":5}"#, "$.sizes: expected an array, found the number 5"),
    (#"{"id":1,"sizes":[1,"x"]}"#, #"$.sizes[1]: expected an amount in digits, found the string "x""#),
    (#"{"id":1,"sizes":[null]}"#, "$.sizes[0]: expected an amount, found null"),
    (#"{"id":1,"rows":[[1],[true]]}"#, "$.rows[1][0]: expected an amount, found true"),
  ])
  func aTypeExplainsItsRefusal(_ json: String, _ expected: String) throws {
    let error = #expect(throws: MappingError.self) { try load(.memory, json) }
    #expect(error.map { "\($0.path): \($0.message)" } == expected)
  }

  // Q-25
  @Test func aTransformGoesBeforeTheTypeAndGetsAllDigits() throws {
    var transforms = Transforms()
    transforms.use(Transform<Amount> { .value(Amount(stringLiteral: "9" + $0.text)) })
    let plan = try Plan(Crate.mapping, transforms: transforms)
    let store = try StoreKind.lmdb.make()
    _ = try Mapper(store).importJSON(#"{"id":98765432109876543210}"#, as: plan)
    #expect(try store.read(plan) { try $0.records("Crate").map(\.key) } == ["998765432109876543210"])
  }
}
