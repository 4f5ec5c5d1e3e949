#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  /// Reads of rows that SQL has written.
  @Suite(.needsServer) struct ReaderTests {
    private let stores: TestStores
    private let store: PostgresStore
    private let plan: Plan

    private static let word = Mapping("Word", primaryKey: "key", missingPrimaryKey: .insert) {
      Attribute("key", .string)
      Attribute("n", .integer)
    }

    init() throws {
      stores = try TestStores()
      store = try stores.open { $0.maxRowsPerStatement = 100 }
      plan = try Plan(PreparationTests.person)
      _ = try store.prepare(plan.schema)
      _ = try store.prepare(Plan(Self.word).schema)
      try stores.execute(
        #"INSERT INTO "Person" (fastmap_id, fastmap_shard, id, name, boss) SELECT n, 0, n, 'name ' || n, nullif(n % 7, 0) FROM generate_series(1, 1000) n"#,
        #"INSERT INTO "Person_friends" SELECT o, 0, p, (o * p) % 1000 + 1 FROM generate_series(1, 1000) o, generate_series(5, 1, -1) p WHERE o % 2 = 0"#,
        #"INSERT INTO "Word" (fastmap_id, fastmap_shard, key) VALUES (1, 0, 'b'), (2, 0, ''), (3, 0, 'a' || chr(1) || chr(1)), (4, 0, 'a'), (5, 0, 'ab'), (6, 0, 'B'), (7, 0, 'é')"#,
        #"INSERT INTO "Word" (fastmap_id, fastmap_shard, fastmap_order, key) VALUES (20, 0, 1, 'b'), (19, 0, 2, null), (18, 0, 2, null), (17, 0, 3, null)"#
      )
    }

    private func ids(_ numbers: some Sequence<Int>) -> [ObjectID] {
      numbers.map { ObjectID(rawValue: UInt64($0)) }
    }

    @Test("Objects are read as a set, with repeats, in several statements and one trip")
    func read() throws {
      let name = plan.schema.entities[0].fields.firstIndex { $0.name == "name" } ?? 0
      let boss = plan.schema.entities[0].fields.firstIndex { $0.name == "boss" } ?? 0
      let wanted = [5, 5, 2000] + Array(stride(from: 900, to: 300, by: -1)) + [5]
      var found = [Int: (Value?, ObjectID?)]()
      let trips = try store.read(plan.schema) { reader in
        _ = try reader.count(of: 0)
        let before = reader.connection.trips
        try reader.read(ids(wanted), of: 0) { index, row in found[index] = (row[name].value, row[boss].target)
        }
        return reader.connection.trips - before
      }
      #expect(trips == 1)
      #expect(found.count == wanted.count - 1)
      for (index, number) in wanted.enumerated() where number != 2000 {
        #expect(found[index]?.0 == .string("name \(number)"))
        #expect(found[index]?.1 == (number % 7 == 0 ? nil : ObjectID(rawValue: UInt64(number % 7))))
      }
    }

    @Test("Targets of several relationships take one trip, in the order of their positions")
    func targets() throws {
      let names = plan.schema.entities[0].fields.map(\.name)
      let fields = ["friends", "boss", "notes"].map { name in names.firstIndex(of: name) ?? 0 }
      let owners = Array(1...1000) + [8, 2000, 7]
      let (found, trips) = try store.read(plan.schema) { reader in
        _ = try reader.count(of: 0)
        let before = reader.connection.trips
        let found = try reader.targets(of: ids(owners), entity: 0, fields: fields)
        return (found, reader.connection.trips - before)
      }
      #expect(trips == 1)
      for (index, owner) in owners.enumerated() {
        #expect(
          found[0][index]
            == (owner % 2 == 0 && owner <= 1000 ? ids((1...5).map { (owner * $0) % 1000 + 1 }) : []))
        #expect(found[1][index] == (owner % 7 == 0 || owner > 1000 ? [] : ids([owner % 7])))
      }
      #expect(found[2].joined().isEmpty)
    }

    @Test(
      "Pages ascend by key and then by order of creation, and descend in reverse",
      arguments: [1, 2, 3, 100, 5000])
    func pages(_ size: Int) throws {
      let schema = try Plan(Self.word).schema
      let order: [UInt64] = [2, 6, 4, 3, 5, 1, 7, 20, 18, 19, 17]
      for isDescending in [false, true] {
        var (found, sizes, keys) = ([UInt64](), [Int](), [PrimaryKey?]())
        try store.read(schema) { reader in
          try reader.forEachPage(of: 0, keys: nil, isDescending: isDescending, pageSize: size) { _, page in
            found += page.ids.map(\.rawValue)
            keys += page.keys
            sizes.append(page.count)
            return true
          }
        }
        #expect(found == (isDescending ? order.reversed() : order))
        #expect(sizes.filter { !(1...size).contains($0) } == [])
        #expect(
          (isDescending ? keys.reversed() : keys).prefix(8) == ["", "B", "a", "a\0", "ab", "b", "é", nil])
      }
    }

    @Test("A read after the first takes one trip for its first question")
    func trips() throws {
      let again = try stores.open { $0.maxConnections = 1 }
      _ = try again.read(plan.schema) { try $0.count(of: 0) }
      let before = again.pool.trips
      _ = try again.read(plan.schema) { try $0.count(of: 0) }
      // Nobody waits for the end of the transaction.
      #expect(again.pool.trips - before == 1)
    }
  }
#endif
