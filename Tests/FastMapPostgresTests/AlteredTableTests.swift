#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct AlteredTableTests {
    private static let changes: [(change: String, words: [String])] = [
      (
        #"ALTER TABLE "Person" DROP COLUMN name"#,
        ["table", "Person", "column name", "of the type text", "found none"]
      ),
      (
        #"ALTER TABLE "Person" ALTER name TYPE integer USING 0"#,
        ["Person", "column name", "of the type text", "found one of the type integer"]
      ),
      (
        #"ALTER TABLE "Person" RENAME COLUMN fastmap_exact_born TO x"#,
        ["Person", "column fastmap_exact_born", "of the type text", "found none"]
      ),
      (#"DROP TABLE "Person_friends""#, ["Person_friends", "expected a table, found none"]),
      (
        #"ALTER TABLE "Person_friends" ALTER target TYPE numeric"#,
        ["Person_friends", "column target", "of the type bigint", "found one of the type numeric"]
      ),
      (
        #"ALTER TABLE "Person" DROP COLUMN fastmap_order CASCADE"#,
        ["Person", "column fastmap_order", "bigint", "none"]
      ),
    ]

    @Test("A table that somebody else has changed is an error that names it", arguments: changes.indices)
    func altered(_ index: Int) throws {
      let (change, words) = Self.changes[index]
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let (open, later) = (try stores.open(), try stores.open())
      _ = try open.prepare(plan.schema)
      try stores.execute(#"INSERT INTO "Person" (fastmap_id, fastmap_shard, id) VALUES (4294967297, 1, 7)"#)
      let id = ObjectID(rawValue: 4_294_967_297)
      try open.read(plan.schema) { try $0.read([id], of: 0) { _, _ in } }
      try stores.execute(change)
      // One instance has read the catalog before the change, the other reads it now.
      for store in [open, later] {
        let error = #expect(throws: PostgresError.self) {
          try store.read(plan.schema) { reader in
            try reader.read([id], of: 0) { _, _ in }
            _ = try reader.targets(of: [id], entity: 0, fields: [5])
            _ = try reader.find(7, of: 0)
            try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 10) { _, _ in true }
          }
        }
        for word in words {
          #expect(error.map { "\($0)".contains(word) } ?? false, "\(word): \(String(describing: error))")
        }
      }
    }

    @Test("A value that FastMap does not write is an error that names its column")
    func value() throws {
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let store = try stores.open()
      _ = try store.prepare(plan.schema)
      try stores.execute(
        #"INSERT INTO "Person" (fastmap_id, fastmap_shard, id, born) VALUES (4294967297, 1, 7, 'infinity')"#)
      let error = #expect(throws: PostgresError.self) {
        try store.read(plan.schema) { reader in
          try reader.read([ObjectID(rawValue: 4_294_967_297)], of: 0) { _, row in _ = row[2] }
        }
      }
      #expect(error?.table == "Person")
      #expect(error?.column == "born")
    }

    @Test("A store that was dropped and made anew is another store")
    func dropped() throws {
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let (first, second) = (try stores.open(), try stores.open())
      _ = try first.prepare(plan.schema)
      _ = try second.read(plan.schema) { try $0.count(of: 0) }
      try stores.execute("DROP SCHEMA \(stores.schema) CASCADE")
      #expect(throws: PostgresError.self) { try second.read(plan.schema) { try $0.count(of: 0) } }
      #expect(try second.read(plan.schema) { try $0.count(of: 0) } == 0)
      _ = try first.prepare(plan.schema)
      #expect(try second.read(plan.schema) { try $0.count(of: 0) } == 0)
    }
  }
#endif
