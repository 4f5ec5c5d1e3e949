import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Names in queries of an entity with few fields, which are compared one by one, and of one with many, which are looked up.
@Suite struct ManyNamesTests {
  private static func mappings(_ count: Int) throws -> MappingSet {
    let fields = (1...count).map { #""field\#($0)": "integer""# }.joined(separator: ", ")
    return try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Owner": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"items": {"mapping": "Item", "toMany": true}}},
          "Item": {
            "primaryKey": "id", "attributes": {"id": "integer", \#(fields)},
            "relationships": {
              "next": {"mapping": "Item", "toMany": true}, "owner": {"inverseOf": "Owner.items"},
              "before": {"inverseOf": "Item.next", "toMany": true}}}}}
        """#)
  }

  /// With the key, the relationship and the inverses, there are four names more.
  @Test(arguments: StoreKind.allCases, [1, 12, 13, 40])
  func fieldsAndInversesAreFoundByTheirNames(_ kind: StoreKind, _ count: Int) throws {
    let mappings = try Self.mappings(count)
    let world = try World(kind, mappings.plan(for: "Item"), mappings.plan(for: "Owner"))
    let last = "field\(count)"
    try world.load(#"[{"id":1,"\#(last)":7,"next":[{"id":2}]},{"id":2,"\#(last)":8},{"id":3}]"#)
    try world.load(#"[{"id":9,"items":[{"id":1}]},{"id":8,"items":[{"id":2},{"id":3}]}]"#, as: "Owner")
    let cases: [(String, [Int])] = [
      ("@.\(last) == 8", [2]), ("@.next[?@.\(last) == 8]", [1]), ("@.owner == 9", [1]),
      ("@.owner.id == 8", [2, 3]),
      ("@.before[?@.id == 1]", [2]), ("!@.before && @.owner", [1, 3]), ("@.before[?@.\(last) == 7]", [2]),
    ]
    let plan = world.plan()
    try world.store.read(plan) { snapshot in
      for (text, keys) in cases {
        let found = try snapshot.keys(plan.where(Filter(text)))
        #expect(found == keys.map { PrimaryKey($0) }, "\(text)")
      }
      #expect(try snapshot.keys(plan.sorted(by: last, descending: true).limit(2)) == [2, 1])
      for unknown in ["field\(count + 1)", "field", "owners", "Owner"] {
        #expect(throws: FilterError.self) { try snapshot.keys(plan.where(Filter("@.\(unknown) == 1"))) }
      }
    }
  }
}
