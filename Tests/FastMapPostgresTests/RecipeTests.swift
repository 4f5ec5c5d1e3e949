#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The SQL of docs/SCALING.md.
  @Suite(.needsServer) struct RecipeTests {
    private let stores: TestStores

    init() throws { stores = try TestStores() }

    /// Runs the one block of SQL that contains a text, with the names of this test.
    private func run(_ text: String) throws {
      let page = String(decoding: try Files.bytes(of: Files.root + "/docs/SCALING.md"), as: UTF8.self)
      let blocks = page.split(separator: "```sql\n").dropFirst().compactMap {
        $0.split(separator: "```").first.map(String.init)
      }
      let found = blocks.filter { $0.contains(text) }
      #expect(found.count == 1)
      for statement in (found.first ?? "").split(separator: ";")
      where statement.contains(where: { !$0.isWhitespace }) {
        try stores.execute(
          String(statement).replacing("fastmap.", with: "\(stores.schema).")
            .replacing("SCHEMA fastmap", with: "SCHEMA \(stores.schema)")
            .replacing("EXISTS fastmap", with: "EXISTS \(stores.schema)")
            .replacing("shop_", with: "\(stores.schema)_"))
      }
    }

    @Test("The views of the documentation show keys, and do not hinder later fields")
    func views() throws {
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
      try run("CREATE VIEW book_tags")
      let tags = "SELECT ARRAY[book::text, tag] FROM book_tags ORDER BY book, position"
      #expect(try stores.rows(tags) == ["1|b", "1|a", "2|a"])
      #expect(try stores.rows("SELECT ARRAY[book::text, author::text] FROM book_authors") == ["1|7"])
      _ = try Mapper(store).importJSON(#"[{"id": 3, "more": "x", "tags": [{"id": "c"}]}]"#, as: plan("more"))
      #expect(try stores.rows(tags).last == "3|c")
    }

    @Test("Exact dates and strings are read with SQL")
    func exactValues() throws {
      let plan = try Plan(
        Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
          Attribute("born", .date(.iso8601))
        })
      let payload = #"""
        [{"id":1,"name":"a\u0000b\u0001c\u0002","born":"2013-07-01T18:00:00.123456789Z"},
         {"id":2,"name":"d","born":"1969-12-31T23:59:58.5Z"},{"id":3}]
        """#
      _ = try Mapper(stores.open()).importJSON(payload, as: plan)
      try run("CREATE VIEW person_exact")
      #expect(
        try stores.rows("SELECT ARRAY[name, seconds::text, nanoseconds::text] FROM person_exact ORDER BY id")
          == [
            "a␀b\u{1}c\u{2}|1372701600|123456789", "d|-2|500000000", "",
          ])
    }

    @Test("A field that is renamed in the catalog keeps its values")
    func rename() throws {
      func plan(_ name: String) throws -> Plan {
        try Plan(
          Mapping("Person", primaryKey: "id") {
            Attribute("id", .integer)
            Attribute(name, .string)
          })
      }
      let store = try stores.open()
      _ = try Mapper(store).importJSON(#"[{"id":1,"mail":"a"}]"#, as: plan("mail"))
      try run("SET name = 'email'")
      let report = try Mapper(store).importJSON(#"[{"id":1,"email":"a"}]"#, as: plan("email"))
      #expect(report.notes == [], "\(report)")
      #expect(try store.exported(plan("email")).contains(#"{"id":1,"email":"a"}"#))
      #expect(try store.check().problems == [])
    }

    @Test("Tables of later mappings have the rights that the owner has granted before")
    func laterTables() throws {
      let roles = ["owner", "writer", "reader"].map { "\(stores.schema)_\($0)" }
      for role in roles { try stores.execute("CREATE ROLE \(role) LOGIN PASSWORD 'secret'") }
      defer {
        for role in roles { try? stores.execute("DROP OWNED BY \(role) CASCADE", "DROP ROLE \(role)") }
      }
      try run("ALTER DEFAULT PRIVILEGES")
      let plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      _ = try stores.open(as: roles[0]).prepare(plan.schema)
      _ = try Mapper(stores.open(as: roles[1])).importJSON(#"[{"id":1}]"#, as: plan)
      let reader = try stores.open(as: roles[2])
      #expect(try reader.read(plan.schema) { try $0.count(of: 0) } == 1)
      let error = #expect(throws: PostgresError.self) {
        _ = try Mapper(reader).importJSON(#"[{"id":2}]"#, as: plan)
      }
      #expect(error?.code == "42501")
    }
  }
#endif
