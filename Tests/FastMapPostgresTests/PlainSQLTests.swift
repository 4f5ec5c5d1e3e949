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
      let books = (0..<2000).map { #"{"id":\#(key($0)),"title":"t\#($0)","tags":[{"id":\#($0 % 50)}]}"# }
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

    /// A place whose function `plan` explains a question, as if its tables were large.
    private func explaining() throws -> TestStores {
      let place = try TestStores()
      _ = try place.open().prepare(Schema(entities: []))
      try place.execute(
        """
        CREATE FUNCTION plan(question text) RETURNS SETOF text LANGUAGE plpgsql SET enable_seqscan = off AS $$
        BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || question; END $$
        """)
      return place
    }

    @Test("A decimal is a number for plain SQL, and has its text beside it where SQL writes another one")
    func decimal() throws {
      let place = try explaining()
      let plan = try Plan(
        Mapping("A", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("price", .decimal)
          Index("price")
        })
      let store = try place.open()
      let values = ["9", "10.50", "100", "1e1", "-0", "-0.25"]
      func payload(_ values: [String]) -> String {
        "[" + values.enumerated().map { #"{"id":\#($0),"price":\#($1)}"# }.joined(separator: ",") + "]"
      }
      _ = try Mapper(store).importJSON(payload(values), as: plan)
      #expect(
        try place.rows(#"SELECT ARRAY[sum(price)::text, max(price)::text] FROM "A""#) == ["129.25|100"])
      #expect(
        try place.rows(#"SELECT ARRAY[id::text] FROM "A" WHERE price > '9' ORDER BY price"#) == [
          "3", "1", "2",
        ])
      #expect(
        try place.rows(#"SELECT ARRAY[price::text, fastmap_exact_price] FROM "A" ORDER BY id"#)
          == ["9", "10.50", "100", "10|1e1", "0|-0", "-0.25"])
      let lines = try place.rows(#"SELECT ARRAY[p] FROM plan('SELECT * FROM "A" WHERE price > 9') p"#)
      #expect(lines.contains { $0.contains("fastmap_index_") }, "\(lines)")
      // An equal value leaves both columns alone, and another one sets both.
      let report = try Mapper(store).importJSON(
        payload(["9.0", "10.5", "1e2", "10", "0", "-25e-2"]), as: plan)
      #expect(report.isUnchanged)
      _ = try Mapper(store).importJSON(payload(["9.5", "2e1", "100", "11"]), as: plan)
      #expect(
        try place.rows(#"SELECT ARRAY[price::text, fastmap_exact_price] FROM "A" ORDER BY id"#)
          == ["9.5", "20|2e1", "100", "11", "0|-0", "-0.25"])
      #expect(try store.check().problems == [])
      try place.execute(#"UPDATE "A" SET price = 21 WHERE id = 1"#)
      #expect(
        try store.check().problems.map { "\($0)" }.contains { $0.contains("fastmap_exact_price") })
    }

    @Test("A string that an index begins with is found by it, however long it is")
    func string() throws {
      let place = try explaining()
      let plan = try Plan(
        Mapping("A", primaryKey: "id") {
          Attribute("id", .string)
          Attribute("no", .string)
          Attribute("n", .integer)
          Index("no")
          Index("no", "n")
          Index("n")
          Index("-n")
        })
      let store = try place.open()
      let long = String(repeating: "long ", count: 2000)
      _ = try Mapper(store).importJSON(
        #"[{"id":"a","no":"x","n":1},{"id":"b","no":"y","n":2},{"id":"c","no":"\#(long)","n":3}]"#, as: plan)
      func names(_ role: String) throws -> Int {
        try place.rows(
          "SELECT ARRAY[indexname::text] FROM pg_indexes WHERE schemaname = '\(place.schema)' AND tablename = 'A' "
            + "AND indexname LIKE 'fastmap\\_\(role)\\_%'"
        ).count
      }
      #expect(try [names("index"), names("equal"), names("long")] == [4, 1, 2])
      for value in ["y", long] {
        let question = #"SELECT id FROM "A" WHERE no = '\#(value)'"#
        let lines = try place.rows("SELECT ARRAY[p] FROM plan($q$\(question)$q$) p")
        #expect(lines.contains { $0.contains("fastmap_equal_") }, "\(lines)")
        #expect(try place.rows("SELECT ARRAY[id] FROM (\(question)) q") == [value == "y" ? "b" : "c"])
      }
      // Indexes that go leave to others what they share.
      try store.dropIndex("no", of: "A")
      try store.dropIndex("n", of: "A")
      #expect(try [names("index"), names("equal"), names("long")] == [2, 1, 2])
      #expect(try store.check().problems == [])
      try store.dropIndex("no,n", of: "A")
      #expect(try [names("index"), names("equal"), names("long")] == [1, 0, 1])
      #expect(try store.check().problems == [])
      try #expect(store.exported(plan).contains(long))
    }

    @Test("Comments say which column a relationship joins")
    func comments() throws {
      let place = try TestStores()
      let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
      let plan = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", .integer)
          ToOne("best", tag)
          ToMany("tags", tag)
        })
      _ = try place.open().prepare(plan.schema)
      let comments = try place.rows(
        """
        SELECT ARRAY[col_description(c.oid, a.attnum)] FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = '\(place.schema)'::regnamespace AND c.relkind = 'r'
          AND col_description(c.oid, a.attnum) LIKE '%References%' ORDER BY a.attname
        """)
      let places = ["Tag", "Book", "Tag"].map { #"References "\#(place.schema)"."\#($0)" (fastmap_id)."# }
      #expect(comments.count == 3)
      for (comment, end) in zip(comments, places) { #expect(comment.hasSuffix(end), "\(comment)") }
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
