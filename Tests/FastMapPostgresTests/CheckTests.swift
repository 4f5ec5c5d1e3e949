#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct CheckTests {
    private func makeStore() throws -> (TestStores, PostgresStore) {
      let stores = try TestStores()
      let store = try stores.open()
      _ = try store.prepare(Plan(PreparationTests.person).schema)
      try stores.execute(
        #"INSERT INTO "Person" (fastmap_id, fastmap_shard, id, boss) SELECT n, 0, n, nullif(n - 1, 0) FROM generate_series(1, 9) n"#,
        #"INSERT INTO "Note" (fastmap_id, fastmap_shard, fastmap_order) VALUES (1, 0, 1), (2, 0, 2)"#,
        #"INSERT INTO "Person_friends" VALUES (1, 0, 0, 2), (1, 0, 1, 2), (2, 0, 5, 1)"#)
      return (stores, store)
    }

    @Test("A sound store has no problems, and is counted")
    func sound() throws {
      let (stores, store) = try makeStore()
      try withExtendedLifetime(stores) {
        let report = try store.check()
        #expect(report.problems == [])
        #expect([report.objectCount, report.keyCount, report.linkCount] == [11, 9, 11])
        let statistics = try store.statistics()
        #expect(statistics.entities.map(\.name).sorted() == ["Note", "Person"])
        #expect(statistics.entities.first { $0.name == "Person" }?.objectCount == 9)
        #expect(statistics.entities.first { $0.name == "Person" }?.keyedCount == 9)
        #expect(statistics.entities.first { $0.name == "Note" }?.keyedCount == 0)
        #expect(statistics.bytes > 0)
      }
    }

    private static let damages: [(change: String, place: String, words: String)] = [
      (
        #"UPDATE "Person" SET boss = 99 WHERE id = 4"#, "Person.boss",
        "targets that do not exist: 1, for example fastmap_id 99 in Person with key 4"
      ),
      (
        #"UPDATE "Person_friends" SET target = 77 WHERE owner = 2"#, "Person.friends",
        "targets that do not exist: 1, for example fastmap_id 77 in Person with key 2"
      ),
      (
        #"UPDATE "Person_friends" SET owner = 88 WHERE owner = 2"#, "Person.friends",
        "owners that do not exist: 1, for example fastmap_id 88"
      ),
      (
        #"UPDATE "Person_friends" SET position = -1 WHERE owner = 2"#, "Person.friends",
        "below 0: 1, for example key 2"
      ),
      (
        #"ALTER TABLE "Person_friends" DROP CONSTRAINT "fastmap_links_6_Person_friends"; INSERT INTO "Person_friends" VALUES (1, 0, 0, 3)"#,
        "Person.friends", "a position that several targets have: 1, for example key 1"
      ),
      (
        #"DROP INDEX "fastmap_key_1_Person"; UPDATE "Person" SET id = 5 WHERE id = 6"#, "Person",
        "keys of several objects: 1, for example 5"
      ),
      (
        #"UPDATE "Person" SET born = 'infinity' WHERE id = 3"#, "Person.born",
        "does not write: 1, for example key 3"
      ),
      (
        #"UPDATE "Person" SET fastmap_exact_born = 'x', born = now() WHERE id = 3"#, "Person.born",
        "does not write: 1, for example key 3"
      ),
      (
        #"UPDATE "Person" SET name = chr(1) || chr(1) || chr(1) WHERE id = 3"#, "Person.name",
        "does not write: 1, for example key 3"
      ),
      (#"ALTER TABLE "Note" DROP COLUMN text"#, "Note", "expected a column of the type text, found none"),
      (#"DROP TABLE fastmap_import"#, "fastmap_import", "expected a table, found none"),
      (
        #"ALTER TABLE fastmap_leftover DROP COLUMN object"#, "fastmap_leftover",
        "column object: another program has changed the store"
      ),
      (#"DROP TABLE "Person_notes""#, "Person", "expected a table, found none"),
      (
        #"ALTER TABLE "Note" DROP CONSTRAINT "fastmap_shard_2_Note"; UPDATE "Note" SET fastmap_shard = 4 WHERE fastmap_id = 2"#,
        "Note",
        "the shard of another number: 1, for example fastmap_id 2"
      ),
      (
        #"UPDATE "Note" SET fastmap_order = NULL WHERE fastmap_id = 2"#, "Note",
        "that have no order: 1, for example fastmap_id 2"
      ),
    ]

    @Test("Each damage is found and named", arguments: damages.indices)
    func damage(_ index: Int) throws {
      let (change, place, words) = Self.damages[index]
      let (stores, store) = try makeStore()
      for statement in change.split(separator: "; ") { try stores.execute(String(statement)) }
      let problems = try store.check().problems
      #expect(problems.contains { $0.place == place && $0.detail.contains(words) }, "\(problems)")
      // Some take an index or a constraint away first.
      #expect(problems.count == (change.contains("DROP INDEX") || change.contains("DROP CONSTRAINT") ? 2 : 1))
    }

    @Test("Where no store is, there is nothing to check or count")
    func absent() throws {
      let stores = try TestStores()
      let store = try stores.open()
      for attempt in [
        { _ = try store.check() }, { _ = try store.statistics() }, { try store.requireStore() },
      ] {
        let error = #expect(throws: PostgresError.self) { try attempt() }
        #expect(error?.message.contains("there is no store in the schema") ?? false)
      }
    }
  }
#endif
