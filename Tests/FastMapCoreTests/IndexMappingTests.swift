import FastMapCore
import TestSupport
import Testing

/// What is said of indexes in mappings, and what is wrong with it.
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
      try snapshot.keys(Query(world.plan()).where(Filter("@.a == 1")))
    }
    #expect(keys == [1, 2])
  }
}
