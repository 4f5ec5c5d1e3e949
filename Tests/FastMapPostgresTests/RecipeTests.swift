#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The SQL of docs/SCALING.md.
  @Suite(.needsServer) struct RecipeTests {
    @Test("The views of the documentation show keys, and do not hinder later fields")
    func views() throws {
      let page = String(decoding: try Files.bytes(of: Files.root + "/docs/SCALING.md"), as: UTF8.self)
      let sql = page.split(separator: "```sql\n").dropFirst().compactMap { $0.split(separator: "```").first }
      #expect(sql.count == 1)
      let stores = try TestStores()
      func plan(_ names: String...) throws -> Plan {
        try Plan(
          Mapping("Book", primaryKey: "id") {
            Attribute("id", .integer)
            for name in names { Attribute(name, .string) }
            ToOne(
              "author",
              Mapping("Author", primaryKey: "id") {
                Attribute("id", .integer)
                for name in names { Attribute(name, .string) }
              })
            ToMany("tags", Mapping("Tag", primaryKey: "id") { Attribute("id", .string) })
          })
      }
      let store = try stores.open()
      let text =
        #"[{"id": 1, "author": {"id": 7}, "tags": [{"id": "b"}, {"id": "a"}]}, {"id": 2, "tags": [{"id": "a"}]}]"#
      _ = try Mapper(store).importJSON(text, as: plan())
      for statement in (sql.first ?? "").split(separator: ";")
      where statement.contains(where: { !$0.isWhitespace }) {
        let words = statement.split(separator: "fastmap.\"", omittingEmptySubsequences: false)
        try stores.execute(words.joined(separator: "\(stores.schema).\""))
      }
      let tags = "SELECT ARRAY[book::text, tag] FROM book_tags ORDER BY book, position"
      #expect(try stores.rows(tags) == ["1|b", "1|a", "2|a"])
      #expect(try stores.rows("SELECT ARRAY[book::text, author::text] FROM book_authors") == ["1|7"])
      _ = try Mapper(store).importJSON(#"[{"id": 3, "more": "x", "tags": [{"id": "c"}]}]"#, as: plan("more"))
      #expect(try stores.rows(tags).last == "3|c")
    }
  }
#endif
