#if Postgres
  import FastMapCore
  import FastMapSQL
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Changes that others make in the tables by hand.
  @Suite(.needsServer) struct HandChangeTests {
    private static let tag = Mapping("T", primaryKey: "id") { Attribute("id", .string) }
    private static let part = Mapping("P") { Attribute("a", .string) }
    private static let book = Mapping("B", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("t", .string)
      Attribute("d", .date(.iso8601))
      Attribute("n", .integer)
      Attribute("x", .number)
      Attribute("j", .json)
      Attribute("k", .json)
      ToOne("boss", tag)
      ToOne("one", part)
      ToMany("tags", tag)
      ToMany("parts", part)
    }

    private static let payload =
      "["
      + (1...9).map { number in
        """
        {"id":\(number),"t":"text \(number)","d":"2024-02-0\(number)T00:00:00.123456789Z","n":922337203685477580\(number % 8),
        "x":-0.0,"j":{"bb":\(number),"a":[1.50,1e3]},"k":["\\u0000\(number % 2 == 0 ? "" : "\\ud83d\\ude00")"],"boss":{"id":"boss"},"one":{"a":"one \(number)"},
        "tags":[{"id":"a"},{"id":"b"},{"id":"c"}],"parts":[{"a":"p\(number)"},{"a":"q\(number)"}]}
        """
      }.joined(separator: ",") + "]"

    private func makeStore() throws -> (TestStores, PostgresStore) {
      let stores = try TestStores()
      let store = try stores.open()
      _ = try Mapper(store).importJSON(Self.payload, as: Self.book)
      return (stores, store)
    }

    @Test("Imported objects have their fingerprints, also after updates of parts and merges")
    func sound() throws {
      let (stores, store) = try makeStore()
      func known() throws -> String {
        try stores.rows(
          #"SELECT ARRAY[count(*)::text] FROM "B" WHERE right(fastmap_fingerprint::text, 17) <> '0000-000000000000'"#
        )[0]
      }
      #expect(try store.check().problems == [])
      #expect(try known() == "9")
      #expect(try Mapper(store).importJSON(Self.payload, as: Self.book)["B"]?.unchanged == 9)
      _ = try Mapper(store).importJSON(
        #"[{"id":1,"t":"other"},{"id":2,"boss":null,"tags":[]},{"id":20,"tags":[{"id":"a"},{"id":"a"}]}]"#,
        as: Self.book)
      let merging = Mapping("B", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("tags", Self.tag, policy: .merge)
      }
      _ = try Mapper(store).importJSON(
        #"[{"id":3,"tags":[{"id":"z"}]},{"id":21,"tags":[{"id":"y"},{"id":"y"},{"id":"x"}]},{"id":22,"tags":[{"id":"y"}]}]"#,
        as: merging)
      #expect(try store.check().problems == [])
      // Rows changed in part by an update have no known fingerprint; new rows have one.
      #expect(try known() == "8")
      _ = try Mapper(store).importJSON(Self.payload, as: Self.book)
      _ = try store.delete(Plan(Self.book).query(of: "T").keys(["a"]))
      #expect(try store.check().problems == [])
    }

    private static let changes: [(change: String, place: String, words: String)] = [
      (
        #"UPDATE "B" SET t = 'hand' WHERE id = 3"#, "B",
        "another program has changed, or whose links: 1, for example key 3; set"
      ),
      (#"UPDATE "B" SET boss = NULL WHERE id = 4"#, "B", "1, for example key 4"),
      (#"UPDATE "B" SET x = 0 WHERE id = 4"#, "B", "1, for example key 4"),
      (
        #"UPDATE "B" SET one = (SELECT one FROM "B" WHERE id = 4), fastmap_fingerprint = NULL WHERE id = 3"#,
        "P", "owned objects that two owners have, or that one has twice: 1, for example fastmap_id "
      ),
      (#"UPDATE "B" SET one = NULL WHERE id = 3"#, "B", "1, for example key 3"),
      (#"TRUNCATE "B_tags""#, "B", "has changed, or whose links: 9"),
      (#"DELETE FROM "B_tags" WHERE position = 1"#, "B", "whose links: 9"),
      (#"DELETE FROM "B_tags" WHERE position = 0"#, "B", "whose links: 9"),
      (
        #"UPDATE "B_tags" SET target = (SELECT fastmap_id FROM "T" WHERE id = 'boss') WHERE position = 2"#,
        "B",
        "whose links: 9"
      ),
      (#"UPDATE "B" SET fastmap_exact_j = '{' WHERE id = 3"#, "B.j", "does not write: 1, for example key 3"),
      (
        #"UPDATE "B" SET fastmap_exact_j = '{}' WHERE id = 3"#, "B.j",
        "columns j and fastmap_exact_j have different values: 1, for example key 3"
      ),
      (
        #"UPDATE "B" SET fastmap_exact_n = '99' WHERE id = 3"#, "B.n",
        "have different values: 1, for example key 3"
      ),
      (#"UPDATE "B" SET n = 5 WHERE id = 3"#, "B", "whose links: 1, for example key 3"),
      (
        #"UPDATE "B" SET d = '2020-01-01' WHERE id = 3"#, "B.d", "have different values: 1, for example key 3"
      ),
      (#"UPDATE "B" SET d = NULL WHERE id = 3"#, "B.d", "have different values: 1, for example key 3"),
      (#"UPDATE "B" SET j = '{"q":1}' WHERE id = 3"#, "B.j", "have different values: 1, for example key 3"),
      (#"UPDATE "B" SET k = '[]' WHERE id = 3"#, "B.k", "have different values: 1, for example key 3"),
      (#"UPDATE "B" SET k = '[]' WHERE id = 4"#, "B.k", "have different values: 1, for example key 4"),
      (#"UPDATE "P" SET a = 'hand' WHERE a = 'p1'"#, "P", "1, for example fastmap_id "),
      (#"DELETE FROM "P" WHERE a = 'p7'"#, "B.parts", " in B with key 7"),
    ]

    @Test(
      "A change by hand is found and named, and the remedy of the message brings the imported values back",
      arguments: changes.indices)
    func found(_ index: Int) throws {
      let (change, place, words) = Self.changes[index]
      let (stores, store) = try makeStore()
      let plan = try Plan(Self.book)
      func export() throws -> String { try store.exported(plan) }
      let before = try export()
      try stores.execute(change)
      let problems = try store.check().problems
      #expect(
        problems.contains { $0.place == place && $0.detail.contains(words) } && problems.count == 1,
        "\(problems)")
      if change.contains("'{' ") {
        let error = #expect(throws: PostgresError.self) { try export() }
        #expect(error?.message.contains("a value was not written by FastMap") ?? false)
        #expect(error?.column == "j")
      }
      if change.contains("one = (SELECT") {
        #expect(
          problems.first?.detail.hasSuffix("in B with key 3 and B with key 4")
            ?? false || problems.first?.detail.hasSuffix("in B with key 4 and B with key 3") ?? false)
      }
      // Links to objects that are gone, and to parts of another owner, go first.
      try stores.execute(
        #"DELETE FROM "B_parts" WHERE target NOT IN (SELECT fastmap_id FROM "P")"#,
        #"UPDATE "B" b SET one = NULL WHERE EXISTS (SELECT 1 FROM "B" o WHERE o.one = b.one AND o.id > b.id)"#,
        #"UPDATE "B" SET fastmap_fingerprint = NULL"#)
      _ = try Mapper(store).importJSON(Self.payload, as: plan)
      #expect(try export() == before)
      #expect(try store.check().problems == [])
    }

    @Test("Objects without a key that have lost their owner, or their order, are noted")
    func keyless() throws {
      for (change, words) in [
        (
          #"UPDATE "B" SET one = NULL, fastmap_fingerprint = NULL WHERE id = 3"#,
          ["P: objects without a key that no object has: 1, for example fastmap_id ", "root objects"]
        ),
        (#"DELETE FROM "B" WHERE id = 3"#, ["P: objects without a key that no object has: 1, for example"]),
        (
          #"UPDATE "P" SET fastmap_order = 77"#,
          ["P: values of fastmap_order that several objects have: 1, for example fastmap_id "]
        ),
      ] {
        let (stores, store) = try makeStore()
        #expect(try store.check().notes == [])
        try stores.execute(change)
        let report = try store.check()
        #expect(report.notes.count == 1)
        for word in words { #expect(report.notes.first?.contains(word) ?? false, "\(report.notes)") }
        #expect(report.problems.count == (change.contains("DELETE") ? 2 : 0), "\(report.problems)")
      }
      // Root objects have no owner.
      let (stores, store) = try makeStore()
      try withExtendedLifetime(stores) {
        _ = try Mapper(store).importJSON(#"[{"a":"root"},{"a":"root"}]"#, as: Self.part)
        let report = try store.check()
        #expect((report.problems, report.notes.count) == ([], 1))
      }
    }

    /// Every index and constraint of a store, with a statement that removes it.
    private func constraints(_ store: PostgresStore) throws -> [(TableConstraint, removal: String)] {
      let layout = try #require(
        try store.pool.read { try Layout.read($0, schema: store.configuration.schema) })
      return layout.catalog.entities.flatMap { layout.constraints(of: $0) }.map { constraint in
        (
          constraint,
          constraint.definition == nil
            ? "DROP INDEX \"\(constraint.name)\""
            : "ALTER TABLE \(constraint.table) DROP CONSTRAINT \"\(constraint.name)\""
        )
      }
    }

    @Test("A missing index or constraint is named, and the next import makes it again")
    func constraints() throws {
      let (stores, store) = try makeStore()
      let all = try constraints(store)
      #expect(all.count == 24)
      func definitions() throws -> [String] {
        try stores.rows(
          """
          SELECT ARRAY[indexdef] FROM pg_indexes WHERE schemaname = current_schema() UNION ALL
          SELECT ARRAY[conname || conrelid::regclass || pg_get_constraintdef(oid)] FROM pg_constraint
          WHERE connamespace = current_schema()::regnamespace ORDER BY 1
          """)
      }
      let before = try definitions()
      for (constraint, removal) in all {
        try stores.execute(removal)
        let problems = try store.check().problems
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.detail.contains(constraint.name) ?? false)
        let statement = problems.first?.detail.split(separator: "again with: ").last ?? ""
        if constraint.name.contains("target") {
          try stores.execute(String(statement))
        } else {
          #expect(statement == constraint.statement)
          let report = try Mapper(stores.open()).importJSON(Self.payload, as: Self.book)
          #expect(report.notes.contains("made \(constraint.name) again, which another program had removed"))
        }
      }
      for (_, removal) in all { try stores.execute(removal) }
      let report = try Mapper(stores.open()).importJSON(Self.payload, as: Self.book)
      #expect(report.notes.count == all.count)
      #expect(try Mapper(stores.open()).importJSON(Self.payload, as: Self.book).notes == [])
      #expect(try definitions() == before)
      #expect(try store.check().problems == [])
    }

    @Test(
      "An index or a constraint that the rows no longer allow is an error that names it, and nothing is imported"
    )
    func restoring() throws {
      for (name, change, words) in [
        (
          "fastmap_key_1_B",
          #"UPDATE "B" b SET id = 5, fastmap_id = o.fastmap_id + 1, fastmap_shard = o.fastmap_shard FROM "B" o WHERE o.id = 5 AND b.id = 6"#,
          [
            "another program has removed fastmap_key_1_B, and it cannot be made again", "duplicated",
            "Run check",
          ]
        ),
        (
          "B_tags", #"UPDATE "B_tags" SET owner_shard = 1"#,
          ["another program has removed fastmap_owner_", "cannot be made again", "is violated by some row"]
        ),
      ] {
        let (stores, store) = try makeStore()
        let all = try constraints(store).filter {
          $0.0.name == name || $0.0.name.hasPrefix("fastmap_owner_") && $0.0.table.contains(name)
        }
        #expect(all.count == 1)
        for (_, removal) in all { try stores.execute(removal) }
        try stores.execute(change)
        let error = #expect(throws: PostgresError.self) {
          try Mapper(stores.open()).importJSON(#"{"id":100}"#, as: Self.book)
        }
        let text = error.map { "\($0)" } ?? ""
        for word in words { #expect(text.contains(word), "\(text)") }
        // Reads do not mind.
        #expect(try stores.open().read(Plan(Self.book).schema) { try $0.count(of: 0) } == 9)
      }
    }

    @Test("A column of another program with the name of a new field is an error that names it")
    func column() throws {
      let (stores, store) = try makeStore()
      let more = Mapping("B", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("mine", .string)
      }
      try stores.execute(#"ALTER TABLE "B" ADD COLUMN mine text"#)
      let error = #expect(throws: PostgresError.self) {
        try Mapper(store).importJSON(#"{"id":1,"mine":"m"}"#, as: more)
      }
      #expect((error?.table, error?.column) == ("B", "mine"))
      #expect(
        error?.message.contains(#"another program has added a column that the new field "mine" of B needs"#)
          ?? false)
      try stores.execute(#"ALTER TABLE "B" RENAME COLUMN mine TO theirs"#)
      #expect(try Mapper(store).importJSON(#"{"id":1,"mine":"m"}"#, as: more)["B"]?.updated == 1)
    }

    @Test("A NOT NULL and a check of another program name table and column, and show no value")
    func constraint() throws {
      for changes in [
        [
          #"ALTER TABLE "B" ADD must text NOT NULL DEFAULT 'x'"#, #"ALTER TABLE "B" ALTER must DROP DEFAULT"#,
        ],
        [#"ALTER TABLE "B" ADD CONSTRAINT short CHECK (length(t) < 9)"#],
      ] {
        let (stores, store) = try makeStore()
        for change in changes { try stores.execute(change) }
        let error = #expect(throws: PostgresError.self) {
          try Mapper(store).importJSON(#"{"id":100,"t":"secret value"}"#, as: Self.book)
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("table \(stores.schema).B"))
        #expect(text.contains("must") || text.contains("short"))
        #expect(!text.contains("secret"))
      }
    }

    @Test("A server that quotes all identifiers is like any other")
    func quoting() throws {
      let address = Cluster.connection ?? ""
      let quoting = address + (address.contains("?") ? "&" : "?") + "options=-c%20quote_all_identifiers%3Don"
      let stores = try TestStores(at: quoting)
      let store = try stores.open()
      #expect(try stores.rows("SELECT ARRAY[current_setting('quote_all_identifiers')]") == ["on"])
      _ = try Mapper(store).importJSON(Self.payload, as: Self.book)
      #expect(try stores.open().check().problems == [])
    }

    @Test("An entity with more fields than a table has columns is an error that names it")
    func wide() throws {
      let stores = try TestStores()
      let wide = Mapping("W") {
        for number in 0..<900 { Attribute("f\(number)", .integer) }
      }
      let error = #expect(throws: PostgresError.self) { try stores.open().prepare(Plan(wide).schema) }
      #expect(error?.message == "the entity W needs 1804 columns, and a table of PostgreSQL has at most 1600")
    }
  }
#endif
