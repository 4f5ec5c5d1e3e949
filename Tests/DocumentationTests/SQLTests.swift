// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapSQL
import Testing

@Suite("FastMapSQL.md")
struct SQLTests {
  @Test func theCatalogGrowsAndIsBound() throws {
    let author = Mapping("Author", primaryKey: "id") { Attribute("id", .integer) }
    let plan = try Plan(
      Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("publisher", author)
        ToMany("authors", author)
      })
    var statements: [String] = []

    var catalog = SQLCatalog()  // the database is empty
    let names = SQLNames(maximumBytes: 63)
    for addition in try catalog.extend(to: plan.schema, tables: names, columns: names) {
      switch addition {
      case .entity(let entity):
        statements.append("CREATE TABLE \(entity.identifier) (fastmap_id BIGINT PRIMARY KEY, …)")
      case .field(let field, let entity) where !field.isToMany:
        statements.append("ALTER TABLE \(entity.identifier) ADD COLUMN \(field.identifier) …")
      case .field(let field, _):
        statements.append("CREATE TABLE \(field.identifier) (owner BIGINT, position BIGINT, target BIGINT, …)")
      case .keyKind(let kind, let entity):
        statements.append("UPDATE fastmap_entity SET key_kind = '\(kind)' WHERE number = \(entity.number)")
      case .index(let index, let entity):
        statements.append("CREATE INDEX fastmap_index_\(index.number) ON \(entity.identifier) (…)")
      }
    }
    let binding = try catalog.bind(plan.schema)

    #expect(statements.contains("CREATE TABLE \"Book\" (fastmap_id BIGINT PRIMARY KEY, …)"))
    #expect(statements.contains("ALTER TABLE \"Book\" ADD COLUMN \"publisher\" …"))
    #expect(statements.contains("CREATE TABLE \"Book_authors\" (owner BIGINT, position BIGINT, target BIGINT, …)"))
    #expect(statements.count == 6)
    #expect(binding[0]?.columnNames == ["id", "publisher"])
  }
}
