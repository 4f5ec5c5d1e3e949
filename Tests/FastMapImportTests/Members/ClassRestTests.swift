import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// A property with all members that no field reads: `Attribute.rest("other", \.other)`.
@Suite struct ClassRestTests {
  /// Any JSON.
  struct Text: AttributeValue, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    static var attributeType: AttributeType { .json }

    init?(_ field: Field) {
      guard let bytes = field.bytes else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    }

    func write(to field: inout FieldWriter) {
      var text = text
      text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
    }
  }

  final class A {
    var id = 0
    var city: String?
    var other: Text?
    var items: [Item] = []
    var box: Item?
    var next: A?
    var size: Size?

    static let mapping: Mapping<A> = Mapping(A.self, "A", primaryKey: "id", make: { A() }) {
      Attribute("id", \.id)
      Attribute("city", \.city, at: "address.city")
      Attribute.rest("other", \.other)
      ToMany("items", \.items, Item.mapping)
      ToOne("box", \.box, Item.mapping)
      ToOne("next", \.next, A.mapping)
      ToOne("size", \.size, Size.mapping, at: .wholeValue)
    }
  }

  final class Item {
    var n: Int?
    var more: Text?

    static let mapping = Mapping(Item.self, "Item", make: { Item() }) {
      Attribute("n", \.n)
      Attribute.rest("more", \.more)
    }
  }

  final class Size {
    var width: Int?

    static let mapping = Mapping(Size.self, "Size", make: { Size() }) { Attribute("width", \.width) }
  }

  // MARK: Imports and exports

  @Test(arguments: StoreKind.allCases, RestTests.cases)
  func aClassKeepsAndMergesAsARecordDoes(_ kind: StoreKind, _ example: RestTests.Case) throws {
    let (world, records) = (try World(kind, A.mapping), try World(kind, RestTests.file.get().plan(for: "A")))
    for json in [example.stored, example.json].compactMap(\.self) {
      try #expect(world.load(json) == records.load(json))
    }
    try #expect((world.export(), world.dump()) == ("[\(example.export)]", records.dump()))
    let found = try #require(try world.instance(A.mapping, 1))
    try #expect(Serializer(A.mapping).json(of: found) == example.export)
  }

  @Test(arguments: RestTests.cases)
  func instancesWithoutAStoreMergeTheSame(_ example: RestTests.Case) throws {
    let found = try A.mapping.objects(from: example.stored ?? example.json).objects
    let first = try #require(found.first)
    if example.stored != nil { try A.mapping.fill(first, from: example.json) }
    try #expect(Serializer(A.mapping).json(of: first) == example.export)
  }

  @Test func aDelegateSeesTheMergedMembers() throws {
    final class Watcher: ImportDelegate {}
    let json = #"[{"id":1,"a":1,"b":1},{"id":1,"a":null,"c":2}]"#
    let found = try A.mapping.objects(from: json, options: ImportOptions(delegate: Watcher())).objects
    #expect(found.first?.other == Text(#"{"b":1,"c":2}"#))
  }

  // MARK: Edits

  @Test(arguments: StoreKind.allCases)
  func anEditReplacesTheMembers(_ kind: StoreKind) throws {
    let world = try World(kind, A.mapping)
    try world.load(#"{"id":1,"address":{"city":"C","zip":"Z"},"x":1,"items":[{"n":1,"y":2}]}"#)
    let context = try ObjectContext(world.store, for: A.mapping)
    defer { context.end() }
    let found = try #require(try context.object(A.mapping, key: 1, including: \.items))
    #expect(found.other == Text(#"{"address":{"zip":"Z"},"x":1}"#))
    found.other = Text(#"{"address":{"nr":5},"w":0.10}"#)
    found.items[0].more = nil
    try #expect(summary(context.save()) == "A ~1, Item ~1")
    try #expect(world.export() == #"[{"address":{"nr":5,"city":"C"},"w":0.10,"id":1,"items":[{"n":1}]}]"#)
    let new = A()
    new.id = 2
    new.other = Text(#"{"z":[null]}"#)
    try context.insert(new, as: A.mapping)
    try context.save()
    try world.load(#"{"id":2,"y":true}"#)
    _ = try context.refreshAll()
    #expect(new.other == Text(#"{"y":true,"z":[null]}"#))
    let keys = try world.store.read { try $0.keys(A.mapping.where(Filter("@.other.y == true"))) }
    #expect(keys == [2])
  }

  static let refused = [
    ("[1]", "A 1.other: expected a JSON object, found an array"),
    ("{", "A 1.other: expected a JSON object, found text that is not JSON"),
    (#"{"a":1,"id":2}"#, #"A 1.other: expected members that no field reads, found "id""#),
    (#"{"items":[]}"#, #"A 1.other: expected members that no field reads, found "items""#),
    (#"{"width":1}"#, #"A 1.other: expected members that no field reads, found "width""#),
    (
      #"{"address":{"zip":1,"city":2}}"#,
      #"A 1.other: expected members that no field reads, found "address.city""#
    ),
    (#"{"address":5}"#, #"A 1.other: expected members that no field reads, found "address""#),
    (#"{"b":null}"#, #"A 1.other: expected members with a value, found null in "b""#),
  ]

  @Test(arguments: refused)
  func aSaveRefusesMembersThatNoImportKeeps(_ text: String, _ reason: String) throws {
    let world = try World(.memory, A.mapping, holding: #"{"id":1,"x":1}"#)
    let context = try ObjectContext(world.store, for: A.mapping)
    defer { context.end() }
    let found = try #require(try context.object(A.mapping, key: 1))
    found.other = Text(text)
    #expect(message { try context.save() } == reason)
    try #expect(world.export() == #"[{"x":1,"id":1}]"#)
  }

  @Test func aSaveOfARecordRefusesThemToo() throws {
    let plan = try RestTests.file.get().plan(for: "A")
    let world = try World(.memory, plan, holding: #"{"id":1,"x":1}"#)
    let context = try ObjectContext(world.store, for: plan)
    defer { context.end() }
    let found = try #require(try context.record("A", key: 1))
    found["other"] = .json(#"{"id":2}"#)
    #expect(
      message { try context.save() } == #"A 1.other: expected members that no field reads, found "id""#)
    found["other"] = .json(#"{"y":2}"#)
    try context.save()
    try #expect(world.export() == #"[{"y":2,"id":1}]"#)
  }

  @Test func aMemberThatALaterMappingReadsMayStay() throws {
    func plan(_ attributes: String) throws -> Plan {
      try MappingSet(
        file: #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {\#(attributes)}}}}"#
      ).plan(for: "A")
    }
    let old = try plan(#""id": "integer", "other": "rest""#)
    let new = try plan(
      #""id": "integer", "x": "integer", "z": {"type": "string", "keyPath": "a.z"}, "other": "rest""#)
    let world = try World(.memory, old, holding: #"{"id":1,"x":1,"y":2,"a":{"z":"Z"}}"#)
    let context = try ObjectContext(world.store, for: new)
    defer { context.end() }
    let found = try #require(try context.record("A", key: 1))
    found["other"] = .json(#"{"a":{"z":"Z"},"x":1,"y":3}"#)
    try context.save()
    try #expect(world.dump() == #"A 1 other={"a":{"z":"Z"},"x":1,"y":3}"#)
    found["other"] = .json(#"{"a":{"z":"Z"},"id":2}"#)
    #expect(
      message { try context.save() } == #"A 1.other: expected members that no field reads, found "id""#)
  }

  // MARK: Faults

  final class Wrong {
    var id = 0
    var name: String?
    var list: [String]?
    var full: Text? = Text(#"{"a":1}"#)

    static func fault(_ attribute: Attribute<Wrong>) -> String? {
      message {
        let mapping = Mapping(Wrong.self, "Wrong", primaryKey: "id", make: { Wrong() }) {
          Attribute("id", \.id)
          attribute
        }
        _ = try mapping.plan()
      }
    }
  }

  @Test func aPropertyThatCannotHaveTheMembersIsRefused() {
    let place = "$.mappings.Wrong.attributes.other: "
    #expect(
      Wrong.fault(.rest("other", \.name))
        == place + "the property is a Optional<String>, which holds a string, not a JSON value")
    #expect(
      Wrong.fault(.rest("other", \.list))
        == place + "the property is a Optional<Array<String>>, which cannot hold each JSON object")
    #expect(
      Wrong.fault(.rest("other", \.full))
        == place + #""other" has the members that no field reads, so it is nil in new instances"#)
  }
}
