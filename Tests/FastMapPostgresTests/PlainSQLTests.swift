#if Postgres
  import FastMapCore
  import FastMapPostgres
  import TestSupport
  import Testing

  /// Questions in plain SQL, as people and dashboards ask them.
  @Suite(.needsServer) struct PlainSQLTests {
    @Test(
      "A key in plain SQL is found by an index, also through a view",
      arguments: [AttributeKind.integer, .string])
    func key(_ kind: AttributeKind) throws {
      let place = try TestStores()
      let type: AttributeType = kind == .string ? .string : .integer
      let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
      let plan = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", type)
          Attribute("title", .string)
          ToMany("tags", tag)
        })
      func key(_ number: Int) -> String { kind == .string ? "\"k\(number)\"" : "\(number)" }
      let books = (0..<2000).map {
        #"{"id":\#(key($0)),"title":"t\#($0)","tags":[{"id":\#($0 % 50)}]}"#
      }
      _ = try Mapper(place.open()).importJSON("[\(books.joined(separator: ","))]", as: plan)
      let value = kind == .string ? "'k55'" : "55"
      try place.execute(
        """
        CREATE VIEW book_tags AS SELECT b.id AS book, t.id AS tag FROM "Book_tags" l
        JOIN "Book" b ON b.fastmap_id = l.owner JOIN "Tag" t ON t.fastmap_id = l.target
        """, #"ANALYZE "Book", "Book_tags", "Tag""#,
        """
        CREATE FUNCTION plan(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
        BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || question; END $$
        """)
      for question in [
        #"SELECT title FROM "Book" WHERE id = \#(value)"#,
        "SELECT tag FROM book_tags WHERE book = \(value)",
      ] {
        let lines = try place.rows("SELECT ARRAY[p] FROM plan($q$\(question)$q$) p")
        #expect(lines.contains { $0.contains("fastmap_key_") }, "\(lines)")
        #expect(!lines.contains { $0.contains(#"Seq Scan on "Book""#) }, "\(lines)")
      }
      #expect(try place.rows(#"SELECT ARRAY[title] FROM "Book" WHERE id = \#(value)"#) == ["t55"])
    }

    @Test("Objects without a key may hold the value of one, and of each other")
    func keyless() throws {
      let place = try TestStores()
      let plain = Mapping("Plain", entity: "Item") { Attribute("id", .integer) }
      let plan = try Plan(
        Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("parts", plain)
        })
      let store = try place.open()
      let json = #"[{"id":1,"parts":[{"id":1},{"id":1}]}]"#
      _ = try Mapper(store).importJSON(json, as: plan)
      #expect(try store.exported(plan).hasPrefix(#"[{"id":1,"parts":[{"id":1"#))
      #expect(try store.check().problems == [])
      #expect(throws: PostgresError.self) {
        try place.execute(
          #"INSERT INTO "Item" (fastmap_id, fastmap_shard, id) SELECT fastmap_id + 1, fastmap_shard, id FROM "Item" WHERE fastmap_order IS NULL"#
        )
      }
    }
  }
#endif
