#if Postgres
  import FastMapCore
  import TestSupport
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

    @Test("A table that another program has changed is an error that names it", arguments: changes.indices)
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

    private static let catalogChanges: [(change: String, words: [String])] = [
      ("DROP TABLE fastmap_import", ["fastmap_import", "expected a table, found none"]),
      (
        "ALTER TABLE fastmap_leftover DROP COLUMN object",
        ["fastmap_leftover", "column object", "of the type bigint, found none"]
      ),
      ("DROP TABLE fastmap_entity", ["fastmap_entity", "does not exist"]),
      ("DROP TABLE fastmap_field", ["fastmap_field", "does not exist"]),
      ("ALTER TABLE fastmap_field RENAME COLUMN kind TO sort", ["kind", "does not exist"]),
      ("DELETE FROM fastmap_store", ["expected one row in fastmap_store, found 0"]),
      ("INSERT INTO fastmap_field SELECT 99, 98, 'x', 'integer', NULL, false, 'x'", ["entity 98"]),
    ]

    @Test(
      "A table of the catalog that another program has changed is an error that says so",
      arguments: catalogChanges.indices)
    func catalog(_ index: Int) throws {
      let (change, words) = Self.catalogChanges[index]
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let open = try stores.open()
      _ = try Mapper(open).importJSON(#"{"id": 1, "notes": [{}, {}]}"#, as: plan)
      try stores.execute(change)
      let options = ImportOptions(commitInterval: 1)
      // An instance that knows the catalog may not need to read it again.
      for store in index < 2 ? [open, try stores.open()] : [try stores.open()] {
        let error = #expect(throws: PostgresError.self) {
          try Mapper(store).importJSON(#"[{"id": 1, "notes": []}, {"id": 2}]"#, as: plan, options: options)
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("another program has changed the store: "), "\(text)")
        #expect(text.hasPrefix("PostgreSQL at "), "\(text)")
        for word in words { #expect(text.contains(word), "\(word): \(text)") }
      }
    }

    @Test("Tables and indexes of another program with the names of ours are errors that name them")
    func takenNames() throws {
      for (change, words) in [
        ("CREATE TABLE fastmap_import (a int)", ["there is no store", "another program's fastmap_import"]),
        (
          #"CREATE TABLE theirs (a int); CREATE INDEX "fastmap_key_1_Person" ON theirs (a)"#,
          [
            "another program has a table or an index of the name fastmap_key_1_Person, which the entity Person needs"
          ]
        ),
      ] {
        let stores = try TestStores()
        try stores.open().pool.outsideTransactions { try $0.execute("CREATE SCHEMA \(stores.schema)") }
        for statement in change.split(separator: "; ") { try stores.execute(String(statement)) }
        let store = try stores.open()
        let error = #expect(throws: PostgresError.self) {
          try Mapper(store).importJSON(#"[{"id": 1}]"#, as: PreparationTests.person)
        }
        let text = error.map { "\($0)" } ?? ""
        for word in words { #expect(text.contains(word), "\(word): \(text)") }
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
      #expect((error?.table, error?.column) == ("Person", "born"))
    }

    @Test("A store that was dropped and made again is another store")
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

    /// Drops the store, and makes another one with the same entities in other tables.
    private func makeAnew(_ stores: TestStores, _ plan: Plan) throws {
      try stores.execute("DROP SCHEMA \(stores.schema) CASCADE")
      let other = try stores.open()
      // The tables have other names, because these are taken.
      _ = try other.prepare(Plan(Mapping("Other") { Attribute("text", .string) }).schema)
      try stores.execute(#"CREATE VIEW "Person" AS SELECT 1"#, #"CREATE VIEW "Note" AS SELECT 1"#)
      _ = try Mapper(other).importJSON(#"[{"id": 1, "name": "new"}]"#, as: plan)
      try stores.execute(#"DROP VIEW "Person""#, #"DROP VIEW "Note""#)
    }

    @Test("Readers and writers go on after the store was dropped and made again")
    func madeAnew() throws {
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let (reader, writer, dry) = (try stores.open(), try stores.open(), try stores.open())
      _ = try Mapper(writer).importJSON(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#, as: plan)
      #expect(try reader.read(plan.schema) { try $0.count(of: 0) } == 2)
      _ = try Mapper(dry).importJSON(#"[{"id": 1}]"#, as: plan, options: .dry)
      try makeAnew(stores, plan)
      #expect(try reader.read(plan.schema) { try $0.count(of: 0) } == 1)
      // A write without `prepare` fails once at most, and a repeat goes on.
      let found = try writer.transact(plan.schema) {
        .rollBack(try $0.reader.find([1, 2], of: 0).map { $0 != nil })
      }
      #expect(found == [true, false])
      #expect(
        try Mapper(dry).importJSON(#"[{"id": 1}, {"id": 2}]"#, as: plan, options: .dry)["Person"]?.inserted
          == 1)
      try makeAnew(stores, plan)
      _ = try Mapper(writer).importJSON(#"[{"id": 1, "name": "c"}, {"id": 3}]"#, as: plan)
      #expect(try Mapper(dry).importJSON(#"[{"id": 1, "name": "c"}, {"id": 3}]"#, as: plan).isUnchanged)
      #expect(writer.capabilities.fingerprintKey == (try stores.open().capabilities.fingerprintKey))
      #expect(try reader.read(plan.schema) { try $0.count(of: 0) } == 2)
      #expect(try reader.check().isSound)
    }

    @Test("After any error that comes from changed tables, the next call reads the catalog again")
    func afterAnError() throws {
      let stores = try TestStores()
      let plan = try Plan(PreparationTests.person)
      let store = try stores.open()
      _ = try Mapper(store).importJSON(#"[{"id": 1, "name": "a"}]"#, as: plan)
      // The question after the failing one finds an aborted transaction.
      let error = #expect(throws: PostgresError.self) {
        try store.read(plan.schema) { reader in
          _ = try? reader.connection.run(Statement("SELECT 1 / 0"))
          return try reader.count(of: 0)
        }
      }
      #expect(error?.code == "25P02" || error?.code == "22012")
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 1)
    }
  }
#endif
