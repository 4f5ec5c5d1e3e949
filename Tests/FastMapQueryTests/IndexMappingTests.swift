import FastMapCore
import TestSupport
import Testing

/// Indexes in mappings, and their faults.
@Suite struct IndexMappingTests {
  private static func mapping(_ indexes: [Index]) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("a", .integer)
      Attribute("b", .integer)
      Attribute("a,b", .string)
      for index in indexes { index }
    }
  }

  /// Two indexes would have the name `a,b`.
  @Test func aFieldOfAnIndexHasNoCommaInItsName() throws {
    let fault =
      #"$.mappings.Item.indexes[0][0]: the name of an index has commas between its fields, and "a,b" has one itself"#
    let indexes = [Index("a,b"), Index("a", "b", isUnique: true)]
    #expect(message { _ = try Self.mapping(indexes).plan() } == fault)
    #expect(message { _ = try Self.mapping([Index("-a,b")]).plan() } == fault)
    let file = #"""
      {"fastmap": 1, "mappings": {"Item": {
        "primaryKey": "id",
        "attributes": {"id": "integer", "a": "integer", "b": "integer", "a,b": "string"},
        "indexes": [["a,b"], {"fields": ["a", "b"], "unique": true}]}}}
      """#
    #expect(message { _ = try MappingSet(file: Array(file.utf8)) } == fault)
  }

  /// It is an attribute as any other.
  @Test(arguments: StoreKind.allCases)
  func anAttributeMayHaveACommaInItsName(_ kind: StoreKind) throws {
    let world = try World(kind, Self.mapping([Index("a", "-b")]))
    try world.load(#"[{"id":1,"a":1,"b":2,"a,b":"x"},{"id":2,"a":1,"b":3,"a,b":"y"}]"#)
    let keys = try world.store.read(world.plan()) { snapshot in
      try snapshot.keys(world.plan().where(Filter("@.a == 1")))
    }
    #expect(keys == [1, 2])
  }

  static let signed: Mapping<Record> = Mapping("Shift", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("-m", .integer)
    Attribute("\\-m", .integer)
    Attribute("\\x", .integer)
    Index("\\-m", "-\\x")
    Index("-\\-m")
    Index("\\\\-m", "--m")
  }

  /// A backslash says that the sign is a part of the name, as in the order of a query.
  @Test(arguments: StoreKind.allCases)
  func aFieldOfAnIndexMayBeginWithASign(_ kind: StoreKind) throws {
    try #expect(
      Self.signed.plan().schema.entities[0].indexes.map(\.name) == ["\\-m,-\\x", "-\\-m", "\\\\-m,-\\-m"])
    let world = try World(kind, Self.signed)
    let objects = (1...300).map { #"{"id":\#($0),"-m":\#($0 % 100),"\\-m":1,"\\x":\#($0)}"# }
    try world.load("[\(objects.joined(separator: ","))]")
    let query = Self.signed.where(try Filter(#"@["-m"] == 5"#))
    let keys = try world.store.read(Self.signed) { try $0.keys(query) }
    #expect(keys == [5, 105, 205])
    if kind == .remote { return }  // it has no indexes
    func names(_ store: some Store, _ schema: Schema) throws -> [String] {
      try store.read(schema) { try $0.indexes(of: 0).map(\.name) }
    }
    let found = try names(world.store, world.plan().schema)
    #expect(found.sorted() == ["\\-m,-\\x", "-\\-m", "\\\\-m,-\\-m"].sorted())
    let access = try world.store.read(Self.signed) { try "\($0.explain(query))" }
    // Some stores test the filter themselves, by an index of their choice.
    #expect(access.contains(#"\-m"#) || access.contains("the store tested the filter"), "\(access)")
  }

  /// Names in a mapping file, and the fault of the first field of its index.
  static let signs: [(field: String, fault: String?)] = [
    (#"\\-m"#, nil), (#"-\\-m"#, nil), ("--m", nil),
    ("-m", #"no attribute or relationship named "m" to descend by; write "\\-m" for the field "-m""#),
    ("-mm", #"no attribute or relationship named "mm"; there are "id" and "\\-m""#),
    ("mm", #"no attribute or relationship named "mm"; there are "id" and "\\-m""#),
  ]

  @Test(arguments: signs.indices)
  func aFaultSaysHowAFieldWithASignIsWritten(_ index: Int) throws {
    let (field, fault) = Self.signs[index]
    let file = #"""
      {"fastmap": 1, "mappings": {"Shift": {
        "primaryKey": "id", "attributes": {"id": "integer", "-m": "integer"}, "indexes": [["\#(field)"]]}}}
      """#
    let found = message { _ = try MappingSet(file: Array(file.utf8)) }
    #expect(found == fault.map { "$.mappings.Shift.indexes[0][0]: \($0)" }, "\(found ?? "none")")
  }
}
