import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

private struct Point: AttributeValue {
  var x: Double
  var y: Double

  static var attributeType: AttributeType { .string }

  init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  init?(_ field: Field) {
    guard let parts = field.string?.split(separator: "|").compactMap({ Double($0) }), parts.count == 2 else {
      return nil
    }
    self.init(parts[0], parts[1])
  }

  func write(to field: inout FieldWriter) { field.set(string: "\(x)|\(y)") }
}

private final class Place {
  var id = 0
  var sex = 0
  var point: Point?
  var founded: Timestamp?
  var closed: Timestamp?
  var next: Place?

  static func mapping(_ id: Transform<Int>? = nil) -> Mapping<Place> {
    Mapping(Place.self, "Place", primaryKey: "id", make: Place.init) {
      Attribute("id", \.id, at: "id", transform: id ?? Transform(reading: { .value(Int($0.integer ?? 0)) }))
      Attribute(
        "sex", \.sex,
        transform: Transform(
          reading: { .value($0.string == "f" ? 1 : 0) }, writing: { .string($0 == 1 ? "f" : "m") }))
      Attribute(
        "point", \.point,
        transform: Transform(
          reading: { value in
            guard let pair = value.elements, pair.count == 2 else { return .null }
            return .value(Point(pair[0].number ?? 0, pair[1].number ?? 0))
          },
          writing: { .json("[\($0.x),\($0.y)]") }))
      Attribute("founded", \.founded)
      Attribute("closed", \.closed, transform: Transform(reading: { _ in .skip }))
    }
  }
}

private final class Item {
  var id = 0
  var text: String?
  var number: Double?
  var others: [Item] = []

  init() {}

  convenience init(id: Int = 0, text: String? = nil, number: Double? = nil, others: [Item] = []) {
    self.init()
    (self.id, self.text, self.number, self.others) = (id, text, number, others)
  }

  /// Whose texts are written as `writing` says.
  static func mapping(_ writing: @escaping @Sendable (String) -> Value) -> Mapping<Item> {
    Mapping(Item.self, "Item", make: { Item() }) {
      Attribute("text", \.text, transform: Transform(reading: { .value($0.text) }, writing: writing))
    }
  }
}

@Suite struct SerializerTransformTests {
  /// FEM-33, WAM-107: a transform writes the values that it read
  @Test(arguments: StoreKind.allCases)
  func transformsWriteInPlaceOfTheType(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id":1,"sex":"f","point":[48.8,2.3]},{"id":2,"sex":"m"}]"#
    let mapping = Place.mapping()
    let serializer = try Serializer(mapping)
    let places = try Mapper(store).roundTrip(Array(json.utf8), as: mapping, depth: .max)
    #expect(places[0].point?.x == 48.8)
    #expect(try serializer.json(of: places) == json)
    #expect(try store.exported(mapping) == json)
  }

  /// WAM-108, Q-25: an attribute's own transform stands before the type's transform, even if it writes nothing
  @Test func ownTransformsPrecedeTransformsOfTheType() throws {
    var transforms = Transforms()
    transforms.use(
      Transform<Timestamp>(reading: { _ in .skip }, writing: { .integer($0.seconds / 31_556_952 + 1970) }))
    transforms.use(Transform<Int>(reading: { _ in .skip }, writing: { _ in .string("of the type") }))
    let place = Place()
    place.founded = Timestamp(seconds: 194_313_600)
    place.closed = Timestamp(seconds: 0)
    let serializer = Serializer(try Plan(Place.mapping(), transforms: transforms))
    #expect(
      try serializer.json(of: place)
        == #"{"id":0,"sex":"m","founded":1976,"closed":"1970-01-01T00:00:00Z"}"#)
  }

  /// FEM-183, WAM-107: whether nulls are written or not
  @Test(arguments: [nil, .memory, .lmdb] as [StoreKind?])  // instances by themselves, and stores
  func transformsAreNotCalledForMissingMembers(_ kind: StoreKind?) throws {
    let calls = Calls()
    let mapping = Item.mapping { text in
      calls.count.withLock { $0 += 1 }
      return .string(text)
    }
    var options = SerializerOptions()
    func written(_ text: String?) throws -> String {
      guard let kind else { return try Serializer(mapping, options: options).json(of: [Item(text: text)]) }
      let world = try World(kind, mapping, holding: #"{"text":\#(text ?? "null")}"#)
      return try world.export(nil, options)
    }
    #expect(try written(nil) == "[{}]")
    options.includesNulls = true
    #expect(try written(nil) == #"[{"text":null}]"#)
    #expect(calls.count.withLock { $0 } == 0)
    #expect(try written("5") == #"[{"text":"5"}]"#)
    #expect(calls.count.withLock { $0 } == 1)
  }

  private final class Calls: Sendable {
    let count = Mutex(0)
  }

  /// FEM-184
  @Test(arguments: [false, true])
  func aNullThatATransformMakesIsWritten(_ includesNulls: Bool) throws {
    let options = SerializerOptions.with { $0.includesNulls = includesNulls }
    let serializer = try Serializer(Item.mapping { _ in .null }, options: options)
    #expect(try serializer.json(of: Item(text: "a")) == #"{"text":null}"#)
  }

  /// BUG-24
  @Test(arguments: [
    (Value.boolean(true), "true"), (.integer(-7), "-7"), (.unsigned(.max), "18446744073709551615"),
    (.number(0.5), "0.5"), (.number(3), "3"), (.number(.nan), "null"), (.string("\""), #""\"""#),
    (.data([0, 255]), #""AP8=""#), (.date(Timestamp(seconds: 0)), #""1970-01-01T00:00:00Z""#),
    (.json("1.10"), "1.10"), (.json("123456789012345678901234567890"), "123456789012345678901234567890"),
    (.json(#"{ "a": [1] }"#), #"{ "a": [1] }"#),
    // A line stays a line.
    (.json("[1,\n 123456789012345678901]"), "[1,123456789012345678901]"), (.json("\u{FEFF}true"), "true"),
  ])
  func valuesHaveTheirNaturalForm(_ value: Value, _ expected: String) throws {
    let serializer = try Serializer(Item.mapping { _ in value })
    #expect(try serializer.json(of: Item(text: "a")) == #"{"text":\#(expected)}"#)
  }

  @Test(arguments: [
    (
      Value.json("[1,"),
      "$.text: a transform wrote invalid JSON: line 1, column 4: "
    ),
    (.json(""), "$.text: a transform wrote invalid JSON: line 1, column 1: "),
    (.json("1 2"), "$.text: a transform wrote invalid JSON: line 1, column 3: "),
    (
      .date(Timestamp(seconds: 253_402_300_800)),
      "$.text: the date 253402300800 seconds from 1970 cannot be written as ISO 8601"
    ),
  ])
  func aValueThatHasNoFormIsAnError(_ value: Value, _ expected: String) throws {
    let serializer = try Serializer(Item.mapping { _ in value })
    let error = #expect(throws: MappingError.self) { try serializer.json(of: Item(text: "a")) }
    #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "none")")
  }

  @Test func keysAreTransformedWhereverTheyStand() throws {
    let key = Transform<Int>(reading: { .value(Int($0.integer ?? 0)) }, writing: { .string("#\($0)") })
    let reference = Mapping(Item.self, "ItemRef", entity: "Item", primaryKey: "id", make: { Item() }) {
      Attribute("id", \.id, at: .wholeValue, transform: key)
    }
    let item = Mapping(Item.self, "Item", primaryKey: "id", make: { Item() }) {
      Attribute("id", \.id, transform: key)
      ToMany("others", \.others, reference)
    }
    let two = Item(id: 1, others: [Item(id: 2), Item(id: 3)])
    #expect(try Serializer(item).json(of: two) == ##"{"id":"#1","others":["#2","#3"]}"##)
    let options = SerializerOptions.with { ($0.expandsKeys, $0.depth) = (true, 0) }
    #expect(
      try Serializer(item, options: options).json(of: two)
        == ##"{"id":"#1","others":[{"id":"#2"},{"id":"#3"}]}"##)
  }

  @Test func aTransformMayWriteNumbersThatJSONLacks() throws {
    let mapping = Mapping(Item.self, "Item", make: { Item() }) {
      Attribute(
        "number", \.number,
        transform: Transform(reading: { .value($0.number ?? .nan) }, writing: { .string("\($0)") }))
    }
    #expect(try Serializer(mapping).json(of: Item(number: .nan)) == #"{"number":"nan"}"#)
    #expect(try Serializer(mapping).json(of: Item()) == "{}")
  }

  @Test func aStoredValueThatTheTypeDoesNotKnowIsWrittenAsItIs() throws {
    let serializer = try Serializer(Item.mapping { .string("<\($0)>") })
    for (stored, expected) in [(Value.integer(5), "5"), (.string("a"), #""<a>""#)] {
      let graph = Graph { $0.add(1, "Item", ["text": .init(stored)]) }
      #expect(try serialized(serializer, graph, in: .lmdb) == #"{"text":\#(expected)}"#)
    }
  }
}
