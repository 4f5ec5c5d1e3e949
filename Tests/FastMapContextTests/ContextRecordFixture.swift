import FastMapCore
import TestSupport
import Testing

/// The entities of `Library` without classes, as a mapping file has them.
extension Library {
  static func records() throws -> MappingSet {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Author": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string", "country": "string"},
          "relationships": {"books": {"inverseOf": "Book.author", "toMany": true}}},
        "Book": {"primaryKey": "id",
          "attributes": {"id": "integer", "title": "string", "price": "number", "rating": "integer", "tags": "json"},
          "relationships": {
            "author": {"mapping": "Author"}, "editors": {"mapping": "Author", "toMany": true},
            "shops": {"mapping": "Shop", "toMany": true, "policy": "replace"},
            "notes": {"mapping": "Note", "toMany": true}}},
        "Shop": {"primaryKey": "code", "attributes": {"code": "string", "city": "string"},
          "relationships": {"best": {"mapping": "Book"}}},
        "Note": {"attributes": {"text": "string"}},
        "Node": {"primaryKey": "id", "attributes": {"id": "integer"},
          "relationships": {
            "next": {"mapping": "Node"}, "parent": {"mapping": "Node"},
            "children": {"mapping": "Node", "toMany": true}, "friends": {"mapping": "Node", "toMany": true},
            "referrers": {"inverseOf": "Node.next", "toMany": true}}}}}
      """#
    return try MappingSet(file: Array(file.utf8))
  }

  /// A store with the books as records, and a context of it.
  static func recordWorld(_ kind: StoreKind) throws -> (world: World, context: ObjectContext) {
    let world = try World(kind, records().plan(for: "Book"), holding: Book.payload)
    return (world, try ObjectContext(world.store, for: world.plan()))
  }
}

extension EditableRecord {
  /// The keys of the targets of a relationship.
  func keys(_ name: String) throws -> [PrimaryKey?] { try targets(name).map(\.key) }

  /// The texts of notes.
  func texts(_ name: String) throws -> [Value?] { try targets(name).map { $0["text"] } }
}
