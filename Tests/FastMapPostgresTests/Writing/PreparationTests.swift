#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct PreparationTests {
    static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Attribute("born", .date(.iso8601))
      Attribute("extra", .json)
      ToOne("boss", person)
      ToMany("friends", person)
      ToMany("notes", Mapping("Note") { Attribute("text", .string) })
    }

    /// `table.column type` of all tables of entities and links.
    private func columns(_ stores: TestStores) throws -> [String] {
      try stores.rows(
        """
        SELECT ARRAY[c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END]
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
          AND c.relname NOT LIKE 'fastmap%' ORDER BY c.relname, a.attnum
        """)
    }

    @Test("An entity is a table with native columns, and a to-many relationship a table of links")
    func tables() throws {
      let stores = try TestStores()
      #expect(try stores.open().prepare(Plan(Self.person).schema) == [])
      let own = [
        "fastmap_id bigint not null", "fastmap_shard integer not null", "fastmap_order bigint",
        "fastmap_fingerprint uuid",
      ]
      let link = [
        "owner bigint not null", "owner_shard integer not null", "position integer not null",
        "target bigint not null",
      ]
      let person = [
        "id bigint", "fastmap_exact_id text", "name text", "born timestamp with time zone",
        "fastmap_exact_born text",
        "extra jsonb", "fastmap_exact_extra text", "boss bigint",
      ]
      let notes = (own + ["text text"]).map { "Note.\($0)" }
      let people = (own + person).map { "Person.\($0)" }
      let links = ["friends", "notes"].flatMap { table in link.map { "Person_\(table).\($0)" } }
      #expect(try columns(stores) == notes + people + links)
      let comments = try stores.rows(
        """
        SELECT ARRAY[obj_description('"Person"'::regclass), col_description('"Person"'::regclass, 12),
          obj_description('"Person_friends"'::regclass)]
        """)
      #expect(comments[0].contains("entity Person"))
      #expect(comments[0].contains("The relationship boss, a to-one relationship to Person"))
      #expect(comments[0].contains("The relationship friends of Person, a to-many relationship to Person"))
    }

    @Test("The constraints of a table refuse invalid objects")
    func constraints() throws {
      let stores = try TestStores()
      _ = try stores.open().prepare(Plan(Self.person).schema)
      try stores.execute(#"INSERT INTO "Person" (fastmap_id, fastmap_shard, id) VALUES (4294967297, 1, 7)"#)
      // A object without a key may have any value.
      try stores.execute(
        #"INSERT INTO "Person" (fastmap_id, fastmap_shard, fastmap_order, id) VALUES (4294967298, 1, 1, 7), (4294967299, 1, 2, null)"#
      )
      for row in [
        "(4294967300, 1, null, 7)",  // the key again
        "(4294967297, 1, 3, null)",  // the number again
        "(4294967300, 2, 3, null)",  // another shard
        "(0, 0, 3, null)", "(-1, -1, 3, null)",  // no number
        "(4294967300, 1, null, null)",  // no key
      ] {
        #expect(throws: PostgresError.self, "\(row)") {
          try stores.execute(
            #"INSERT INTO "Person" (fastmap_id, fastmap_shard, fastmap_order, id) VALUES \#(row)"#)
        }
      }
      #expect(throws: PostgresError.self) {
        try stores.execute(#"INSERT INTO "Person_friends" VALUES (4294967297, 2, 0, 4294967297)"#)
      }
    }

    @Test("Another program's table is not taken: a note, said once, has the name of the store's own")
    func otherTable() throws {
      let stores = try TestStores()
      try stores.execute("CREATE SCHEMA \(stores.schema)", #"CREATE TABLE "Person" (x integer)"#)
      let store = try stores.open()
      let schema = try Plan(Self.person).schema
      let note = #"the objects of Person go into the table "Person_2", because the name "Person" is taken"#
      #expect(try store.prepare(schema) == [note + " in the schema \"\(stores.schema)\""])
      #expect(try stores.open().prepare(schema) == [])
      #expect(try stores.rows(#"SELECT ARRAY[count(*)::text] FROM "Person_2""#) == ["0"])
    }

    @Test("Another program's table with the name of one of the catalog is an error that names it")
    func otherCatalog() throws {
      let stores = try TestStores()
      try stores.execute("CREATE SCHEMA \(stores.schema)", "CREATE TABLE fastmap_entity (x integer)")
      let store = try stores.open()
      let error = #expect(throws: PostgresError.self) { _ = try store.prepare(Plan(Self.person).schema) }
      #expect(
        error?.message
          == "there is no store in the schema \"\(stores.schema)\", but another program's fastmap_entity, "
          + "whose name a store needs")
      #expect(try stores.rows("SELECT ARRAY[to_regclass('fastmap_store')::text]") == [""])
    }

    @Test("Several instances prepare different schemas at once, and each finds the additions of the others")
    func atOnce() async throws {
      let stores = try TestStores()
      let plans = try (0..<8).map { number in
        try Plan(
          Mapping("Person", primaryKey: "id") {
            Attribute("id", .integer)
            Attribute("field \(number % 4)", .string)
            ToMany("list \(number)", Mapping("Entity \(number / 2)") { Attribute("text", .string) })
          })
      }
      let instances = try plans.map { _ in try stores.open { $0.maxConnections = 2 } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (store, plan) in zip(instances, plans) { group.addTask { _ = try store.prepare(plan.schema) } }
        try await group.waitForAll()
      }
      #expect(
        try stores.rows("SELECT ARRAY[name] FROM fastmap_entity").sorted() == [
          "Entity 0", "Entity 1", "Entity 2", "Entity 3", "Person",
        ])
      #expect(
        try stores.rows(
          "SELECT ARRAY[f.name] FROM fastmap_field f JOIN fastmap_entity e ON e.number = entity WHERE e.name = 'Person'"
        ).count == 13)
      for (store, plan) in zip(instances, plans) {
        #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 0)
      }
    }

    @Test(
      "A write that began before a list was added deletes nothing that a later write has put into that list")
    func listBesideWrite() throws {
      let stores = try TestStores()
      let (first, second) = (try stores.open(), try stores.open())
      let tag: Mapping<Record> = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
      let tags = try Plan(tag)
      let books = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("tags", tag)
        })
      _ = try Mapper(first).importJSON(#"[{"id": 7}]"#, as: tags)
      #expect(throws: ConflictError.self) {
        try first.write(tags.schema) { writer in
          let id = try #require(try writer.reader.find(7, of: 0))
          _ = try Mapper(second).importJSON(#"[{"id": 1, "tags": [{"id": 7}]}]"#, as: books)
          return .commit(try writer.delete([id], of: 0))
        }
      }
      #expect(try stores.open().check().problems == [])
    }

    @Test("An entity that gets keys later keeps its objects without a key")
    func lateKey() throws {
      let stores = try TestStores()
      let store = try stores.open()
      _ = try store.prepare(Plan(Mapping("Person") { Attribute("id", .string) }).schema)
      try stores.execute(
        #"INSERT INTO "Person" (fastmap_id, fastmap_shard, fastmap_order, id) VALUES (1, 0, 1, 'a'), (2, 0, 2, 'a')"#
      )
      let keyed = try Plan(Mapping("Person", primaryKey: "id") { Attribute("id", .string) })
      _ = try store.prepare(keyed.schema)
      try stores.execute(#"INSERT INTO "Person" (fastmap_id, fastmap_shard, id) VALUES (3, 0, 'a')"#)
      try store.read(keyed.schema) { reader in
        let (found, count) = (try reader.find("a", of: 0), try reader.count(of: 0))
        #expect(found == ObjectID(rawValue: 3))
        #expect(count == 3)
      }
      let other = try Plan(
        Mapping("Person", primaryKey: "name") {
          Attribute("id", .string)
          Attribute("name", .string)
        })
      for attempt in [{ _ = try store.prepare(other.schema) }, { try store.read(other.schema) { _ in } }] {
        let error = #expect(throws: SchemaMismatchError.self) { try attempt() }
        #expect(error.map { "\($0)".contains("\"id\"") && "\($0)".contains("\"name\"") } ?? false)
      }
    }

    @Test("Names are any: long ones, equal beginnings, case, quotes, NUL, and the store's own")
    func names() throws {
      let stores = try TestStores()
      let long = String(repeating: "é", count: 40)
      let names = [
        "id", "ID", "Id", long + "a", long + "b", "fastmap_id", "xmin", "ctid", "a\"b'; --", "a\0b",
        "a\u{1}b", " ", "select",
        "%s", "\\", "id_2", "日本語", "fastmap_exact_id", "owner", "e\u{301}", "\u{E9}",
      ]
      let schema = Schema(entities: [
        Schema.Entity(
          name: long + "1", fields: names.map { Schema.Field(name: $0, kind: .attribute(.integer)) },
          keyKind: nil),
        Schema.Entity(
          name: long + "2",
          fields: names.map { Schema.Field(name: $0, kind: .toMany(entity: 0, isOwned: false)) },
          keyKind: nil),
        Schema.Entity(name: "fastmap_store", fields: [], keyKind: nil),
        Schema.Entity(name: long + "2_\(names[3])", fields: [], keyKind: nil),
        Schema.Entity(name: "Person_pkey", fields: [], keyKind: nil),
        Schema.Entity(name: "\0", fields: [], keyKind: nil),
        Schema.Entity(
          name: "Person", fields: [Schema.Field(name: "pkey", kind: .toMany(entity: 0, isOwned: false))],
          keyKind: .string),
      ])
      let store = try stores.open()
      _ = try store.prepare(schema)
      _ = try store.prepare(schema)
      _ = try stores.open().prepare(schema)
      try stores.open().read(schema) { reader in
        #expect(reader.binding.entities.allSatisfy { $0 != nil })
        for entity in reader.binding.entities {
          #expect(entity?.fields.allSatisfy { $0 != nil } ?? false)
        }
        let counts = try schema.entities.indices.map { try reader.count(of: $0) }
        #expect(counts == schema.entities.map { _ in 0 })
      }
      let comments = try stores.rows(
        "SELECT ARRAY[description] FROM pg_description WHERE description LIKE '%ééé%1%'")
      #expect(comments.contains { $0.contains(long + "1") })
    }

    @Test("No index or constraint has a name that an entity wants")
    func ownNames() throws {
      let stores = try TestStores()
      let long = String(repeating: "é", count: 40)
      let names =
        [
          "Person", "Person_pkey", "Person_check", "Person_fastmap_id_check", "Person_id_fastmap_shard_idx",
          "Person_fastmap_order_fastmap_id_idx", "Person_boss_fastmap_id_idx", "Person_list_pkey",
          "Person_list_target_owner_idx", "fastmap_id_1_Person", "fastmap_store_pkey", "_Person", "taken",
        ] + (0..<4).map { "\(long)\($0)" }
      let schema = Schema(
        entities: names.map { name in
          Schema.Entity(
            name: name,
            fields: [
              Schema.Field(name: "id", kind: .attribute(.integer)),
              Schema.Field(name: "boss", kind: .toOne(entity: 0, isOwned: false)),
              Schema.Field(name: "list", kind: .toMany(entity: 0, isOwned: false)),
              Schema.Field(name: long, kind: .toOne(entity: 0, isOwned: false)),
              Schema.Field(name: long + "2", kind: .toMany(entity: 0, isOwned: false)),
            ], keyKind: .integer, keyField: 0)
        })
      try stores.execute("CREATE SCHEMA \(stores.schema)", "CREATE TYPE taken AS ENUM ('a')")
      let store = try stores.open()
      _ = try store.prepare(schema)
      try store.read(schema) { reader in
        #expect(reader.binding.entities.allSatisfy { $0.map { $0.fields.allSatisfy { $0 != nil } } ?? false })
      }
      // Each name of ours has the prefix and the name of its table.
      let others = try stores.rows(
        """
        SELECT ARRAY[name] FROM (
          SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i'
          UNION ALL
          SELECT conname::text FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'
        ) n (name) WHERE name NOT LIKE 'fastmap\\_%'
        """)
      #expect(others == [])
      let own = try stores.rows(
        """
        SELECT ARRAY[relname::text] FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i'
          AND relname LIKE 'fastmap\\_%\\_%\\_Person%' ORDER BY relname COLLATE "C"
        """)
      #expect(own.contains("fastmap_id_1_Person") && own.contains("fastmap_key_2_Person_pkey"), "\(own)")
    }

    @Test("A new field beside an old one that the mapping no longer names gets a note")
    func renames() throws {
      let stores = try TestStores()
      func plan(_ names: String...) throws -> Plan {
        try Plan(
          Mapping("Person", primaryKey: "id") {
            Attribute("id", .integer)
            for name in names { Attribute(name, .string) }
          })
      }
      let store = try stores.open()
      #expect(try store.prepare(plan("name").schema) == [])
      // Without objects there is nothing to move.
      #expect(try store.prepare(plan("title").schema) == [])
      _ = try Mapper(store).importJSON(#"[{"id": 1, "name": "a"}]"#, as: plan("name", "title"))
      let renamed = try plan("nam", "title", "more")
      let notes = try store.prepare(renamed.schema)
      #expect(
        notes
          == ["nam", "more"].map {
            "Person has a new field \"\($0)\", and the mapping no longer has \"name\", which is still stored; "
              + "if this is a rename, the stored values do not move to the new name"
          })
      #expect(try store.prepare(renamed.schema) == [])
      #expect(try store.prepare(plan("name", "title", "new").schema).count == 1)
      #expect(try Mapper(store).importJSON("[]", as: plan("id2")).notes.count == 1)
      let together = MappingSet(
        [("Person", "name"), ("Namesake", "alias")].map { name, field in
          Mapping(name, entity: "Person", primaryKey: "id") {
            Attribute("id", .integer)
            for name in ["title", "nam", "more", "new", "id2", field] { Attribute(name, .string) }
          }
        })
      #expect(try store.prepare(together.plan(for: "Namesake").schema) == [])
    }

    @Test(
      "A store of another format is refused, and named older or newer",
      arguments: [(0, "older"), (99, "newer")])
    func format(_ format: Int, _ word: String) throws {
      let stores = try TestStores()
      let schema = try Plan(Self.person).schema
      _ = try stores.open().prepare(schema)
      try stores.execute("UPDATE fastmap_store SET format = \(format)")
      let store = try stores.open()
      for attempt in [{ _ = try store.prepare(schema) }, { try store.read(schema) { _ in } }] {
        let error = #expect(throws: PostgresError.self) { try attempt() }
        #expect(error.map { "\($0)".contains("\(word) version of FastMap") } ?? false)
        #expect(error.map { "\($0)".contains("expected format \(Layout.format), found \(format)") } ?? false)
      }
    }

    @Test("An unprepared store has no objects")
    func nothing() throws {
      let store = try TestStores().open()
      let plan = try Plan(Self.person)
      try store.read(plan.schema) { reader in
        let counts = [try reader.count(of: 0), try reader.count(of: 0, keys: KeyRange(from: 1))]
        #expect(counts == [0, 0])
        let found = try reader.find([1, "a"], of: 0)
        #expect(found == [nil, nil])
        let id = ObjectID(rawValue: 1)
        let targets = try reader.targets(of: [id], entity: 0, fields: [5, 6])
        #expect(targets == [[[]], [[]]])
        try reader.read([id], of: 0) { _, _ in Issue.record("there is no object") }
        try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 10) { _, _ in
          Issue.record("there is no page")
          return true
        }
      }
    }
  }
#endif
