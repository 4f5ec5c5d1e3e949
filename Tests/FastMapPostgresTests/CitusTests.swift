#if Postgres
  import FastMapCore
  import FastMapStoreTesting
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Payloads that are imported one after the other into a store on several nodes.
  struct CitusCase: Sendable, CustomTestStringConvertible {
    let name: String
    let mappings: String
    let payloads: [String]
    var commitInterval: Int?

    var testDescription: String { name }

    private static let shelves = """
      {"fastmap": 1, "mappings": {
        "Shelf": {
          "primaryKey": "id", "attributes": {"id": "integer", "name": "string"},
          "relationships": {
            "items": {"mapping": "Item", "toMany": true, "policy": "merge"},
            "notes": {"mapping": "Note", "toMany": true, "policy": "replace"},
            "first": {"mapping": "Note", "policy": "replace"},
            "likes": {"mapping": "Note", "toMany": true}
          }
        },
        "Item": {"primaryKey": "id", "attributes": {"id": "integer"}},
        "Note": {"primaryKey": "id", "attributes": {"id": "integer", "text": "string"}}
      }}
      """

    private static func keyed(_ type: String) -> String {
      """
      {"fastmap": 1, "mappings": {"Shelf": {
        "primaryKey": "id", "attributes": {"id": "\(type)", "n": "integer"},
        "relationships": {"next": {"mapping": "Shelf"}, "others": {"mapping": "Shelf", "toMany": true}}
      }}}
      """
    }

    private static func list(_ count: Int, _ object: (Int) -> String) -> String {
      "[" + (0..<count).map(object).joined(separator: ",\n") + "]"
    }

    static let all: [CitusCase] = [
      CitusCase(
        name: "merge keeps what a list has", mappings: shelves,
        payloads: [
          #"[{"id": 1, "items": [{"id": 1}, {"id": 2}]}, {"id": 2, "items": [{"id": 2}]}]"#,
          #"[{"id": 1, "items": [{"id": 3}, {"id": 1}, {"id": 3}]}]"#,
          #"[{"id": 1, "items": []}, {"id": 2, "items": [{"id": 9}, {"id": 2}]}]"#,
        ]),
      CitusCase(
        name: "replace deletes what nobody refers to any more", mappings: shelves,
        payloads: [
          #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}], "first": {"id": 3}}, {"id": 2, "likes": [{"id": 2}]}]"#,
          #"[{"id": 1, "notes": [{"id": 4, "text": "new"}], "first": {"id": 5}}]"#,
          #"[{"id": 2, "likes": []}, {"id": 1, "notes": [], "first": null}]"#,
        ]),
      CitusCase(
        name: "a replace of thousands", mappings: shelves,
        payloads: [
          #"[{"id": 1, "notes": \#(list(3000) { #"{"id": \#($0), "text": "\#($0)"}"# })}]"#,
          #"[{"id": 2, "likes": \#(list(40) { #"{"id": \#($0 * 7)}"# })}, {"id": 1, "notes": [{"id": 3}]}]"#,
          #"[{"id": 1, "notes": \#(list(2500) { #"{"id": \#($0 + 2000)}"# })}]"#,
          #"[{"id": 1, "notes": []}, {"id": 2, "likes": []}]"#,
        ]),
      CitusCase(
        name: "many objects in batches, unchanged and changed", mappings: shelves,
        payloads: [
          list(2000) { #"{"id": \#($0), "name": "a", "items": [{"id": \#($0 % 7)}, {"id": \#($0)}]}"# },
          list(2000) { #"{"id": \#($0), "name": "a", "items": [{"id": \#($0 % 7)}, {"id": \#($0)}]}"# },
          list(2000) { #"{"id": \#($0), "name": "b\#($0 % 2)", "items": [{"id": 8}]}"# },
        ]),
      CitusCase(
        name: "an import in several commits deletes what it has unlinked at its end", mappings: shelves,
        payloads: [
          list(30) { #"{"id": \#($0), "notes": [{"id": \#($0)}, {"id": \#($0 + 1)}]}"# },
          list(30) { #"{"id": \#($0), "notes": [{"id": \#($0 + 100)}]}"# },
        ], commitInterval: 7),
      CitusCase(
        name: "owned objects go with their owner",
        mappings: """
          {"fastmap": 1, "mappings": {
            "Shelf": {
              "primaryKey": "id", "attributes": {"id": "integer"},
              "relationships": {
                "parts": {"mapping": "Part", "toMany": true}, "cover": {"mapping": "Cover"}
              }
            },
            "Part": {
              "attributes": {"text": "string"}, "relationships": {"leaves": {"mapping": "Leaf", "toMany": true}}
            },
            "Leaf": {"attributes": {"n": "integer"}},
            "Cover": {"attributes": {"color": "string"}}
          }}
          """,
        payloads: [
          #"[{"id": 1, "parts": [{"text": "a", "leaves": [{"n": 1}, {"n": 2}]}, {"text": "b"}], "cover": {"color": "red"}}]"#,
          #"[{"id": 1, "parts": [{"text": "a", "leaves": [{"n": 2}]}]}, {"id": 2, "cover": {"color": "blue"}}]"#,
          #"[{"id": 1, "parts": null, "cover": null}, {"id": 2, "parts": [{"leaves": [{}]}]}]"#,
        ]),
      CitusCase(
        name: "keys that are integers", mappings: keyed("integer"),
        payloads: [
          """
          [{"id": -9223372036854775808, "next": {"id": 9223372036854775807}}, {"id": 0, "others": [{"id": -1}]},
           {"id": 4294967296, "n": 1}]
          """,
          #"[{"id": 9223372036854775807, "n": 5}, {"id": -1, "next": {"id": 0}}, {"id": 4294967296, "n": 1}]"#,
        ]),
      CitusCase(
        name: "keys that are texts", mappings: keyed("string"),
        payloads: [
          """
          [{"id": "", "n": 1, "next": {"id": "a"}}, {"id": "ä", "others": [{"id": "A"}, {"id": "a\\u0300"}]},
           {"id": "\\u0000", "n": 2}, {"id": "\\u0001", "n": 3}, {"id": "\(String(repeating: "x", count: 2000))"}]
          """,
          #"[{"id": "", "n": 2}, {"id": "à", "n": 7}, {"id": "a\u0300", "n": 8}, {"id": "\u0000", "n": 2}]"#,
        ]),
    ]
  }

  @Suite struct ConflictErrorTests {
    @Test(
      "An error by which a server prefers another transaction is a conflict",
      arguments: [
        ("40001", "could not serialize access", true),
        ("40P01", "canceling the transaction since it was involved in a distributed deadlock", true),
        ("XX000", "could not commit transaction for shard 102008 on at least one active node", true),
        ("XX000", "cache lookup failed", false),
        ("23505", "duplicate key value violates unique constraint \"Book_pkey_102008\"", true),
        ("23503", "violates foreign key constraint", true),
        ("53200", "out of shared memory", true),
        ("55P03", "canceling statement due to lock timeout", true),
        ("57014", "canceling statement due to statement timeout", false),
        ("23514", "violates check constraint", false),
        ("0A000", "could not run distributed query with FOR UPDATE/SHARE commands", false),
      ])
    func conflicts(_ code: String, _ message: String, _ isConflict: Bool) {
      #expect(PostgresError(server: "here", code: code, message: message).isConflict == isConflict)
    }
  }

  /// Imports into a store on several nodes, and the promises of its locks.
  @Suite(.needsCitus) struct CitusTests {
    private let place: TestStores
    private let store: PostgresStore

    init() throws {
      place = try TestStores(at: Cluster.citus)
      store = try place.open()
    }

    @Test("Imports have the same result, report and export as in memory", arguments: CitusCase.all)
    func semantics(_ test: CitusCase) throws {
      let memory = try StoreKind.memory.make()
      let mappings = try MappingSet(file: Array(test.mappings.utf8))
      let plan = try mappings.plan(for: "Shelf")
      let options = ImportOptions(commitInterval: test.commitInterval)
      for (number, payload) in test.payloads.enumerated() {
        let text = Array(payload.utf8)
        let expected = try Mapper(memory).importJSON(text, as: plan, options: options)
        let report = try Mapper(store).importJSON(text, as: plan, options: options)
        #expect(report.entities == expected.entities, "payload \(number)")
        for entity in plan.schema.entities {
          let one = try mappings.plan(for: entity.name)
          #expect(try store.exported(one) == memory.exported(one), "\(entity.name) of payload \(number)")
        }
        #expect(try store.check().problems == [])
      }
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_import") == ["0"])
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_leftover") == ["0"])
    }

    @Test("The tables are distributed, and a list is beside its owner")
    func distribution() throws {
      try load(1, "a")
      let tables = try place.rows(
        """
        SELECT ARRAY[p.logicalrelid::text, p.partmethod::text, column_to_column_name(p.logicalrelid, p.partkey)]
        FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = '\(place.schema)'::regnamespace AND p.partmethod = 'h'
        """)
      #expect(tables.sorted() == [#""Book"|h|fastmap_shard"#, #""Book_similar"|h|owner_shard"#])
      #expect(
        try place.rows(
          """
          SELECT ARRAY[count(DISTINCT colocationid)::text] FROM pg_dist_partition p
          JOIN pg_class c ON c.oid = p.logicalrelid
          WHERE c.relnamespace = '\(place.schema)'::regnamespace AND partmethod = 'h'
          """) == ["1"])
    }

    @Test("Writes of different objects run at the same time")
    func atTheSameTime() throws {
      try load(1, "a")
      let other = try #require((2...20).first { lockNumber($0) != lockNumber(1) })
      let (store, plan) = (store, Self.plan)
      try store.transact(plan.schema) { writer -> TransactionCompletion<Void> in
        _ = try writer.reader.find(1, of: 0)
        // It would wait for ever if the first one had locked the store.
        let inner = ThreadWork { try Self.load(other, "b", into: store) }
        try inner.value()
        return .commit(())
      }
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 2)
    }

    @Test("A wait for another write that lockTimeout ends is a conflict, and is repeated")
    func lockTimeout() throws {
      try load(1, "a")
      let (store, plan) = (store, Self.plan)
      let impatient = try place.open { $0.lockTimeout = .milliseconds(50) }
      let options = ImportOptions(retries: RetryPolicy(attempts: 3, firstDelay: .zero))
      try store.transact(plan.schema) { writer -> TransactionCompletion<Void> in
        _ = try writer.reader.find(1, of: 0)
        let error = #expect(throws: ConflictError.self) {
          try ThreadWork { [options] in
            try Mapper(impatient).importJSON(#"{"id": 1, "title": "b"}"#, as: plan, options: options)
          }.value()
        }
        #expect(error?.reason.contains("(55P03)") == true)
        return .commit(())
      }
      try Self.load(1, "c", into: impatient)
      #expect(try store.exported(plan).contains(#""title":"c""#))
    }

    @Test("A write that walks all objects waits for the others, and they for it")
    func walking() throws {
      try load(1, "a")
      let (store, plan) = (store, Self.plan)
      let inner = try store.transact(plan.schema) { writer -> TransactionCompletion<ThreadWork<Void>> in
        let before = try writer.reader.count(of: 0)
        #expect(before == 1)
        let inner = ThreadWork { try Self.load(2, "b", into: store) }
        for _ in 0..<20 where !inner.isOver { usleep(10_000) }
        #expect(!inner.isOver)
        let after = try writer.reader.count(of: 0)
        #expect(after == 1)
        return .commit(inner)
      }
      try inner.value()
    }

    @Test("A change of the tables waits for the writes")
    func preparation() throws {
      try load(1, "a")
      let (store, other) = (store, try place.open())
      let plan = try Plan(
        Mapping<Record>("Shelf", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("books", Mapping("Book", primaryKey: "id") { Attribute("id", .integer) })
        })
      let inner = try store.transact(Self.plan.schema) {
        writer -> TransactionCompletion<ThreadWork<[String]>> in
        let id = try #require(try writer.reader.find(1, of: 0))
        let inner = ThreadWork { try other.prepare(plan.schema) }
        for _ in 0..<20 where !inner.isOver { usleep(10_000) }
        #expect(!inner.isOver)
        let deleted = try writer.delete([id], of: 0)
        #expect(deleted == [id])
        return .commit(inner)
      }
      #expect(try inner.value() == [])
      _ = try Mapper(store).importJSON(#"[{"id": 1, "books": [{"id": 1}]}]"#, as: plan)
      // The other store has the catalog of before.
      try Self.load(1, "b", into: store)
      #expect(try store.check().problems == [])
    }

    @Test("The nodes look up keys, and no table is copied to the coordinator")
    func keysAreLookedUpOnTheNodes() throws {
      try load(1, "a")
      func explain(isSharded: Bool) throws -> String {
        try store.write(Self.plan.schema) { writer -> TransactionCompletion<String> in
          let statement = try #require(writer.binding[0]?.resolving(isSharded: isSharded))
          let answer = try writer.connection.run(
            Statement("EXPLAIN " + statement.text, types: statement.types), Parameters(ArrayColumn([1, 2])))
          return .rollBack((0..<answer.rowCount).map { answer.text($0, 0) }.joined(separator: "\n"))
        }
      }
      let plan = try explain(isSharded: true)
      #expect(plan.contains("Citus Adaptive"), "\(plan)")
      #expect(!plan.contains("Distributed Subplan"), "\(plan)")
      #expect(try explain(isSharded: false).contains("Distributed Subplan"))
    }

    @Test(
      "A link to an object that was read from a list, and that another write has deleted, is a conflict",
      arguments: [false, true])
    func staleTarget(_ isReadAgain: Bool) throws {
      try load(3, "a")
      let (store, plan) = (store, Self.plan)
      let target = try #require((4...30).first { ![lockNumber(1), lockNumber(3)].contains(lockNumber($0)) })
      let text = #"{"id": 1, "similar": [{"id": \#(target)}]}"#
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan)
      #expect(throws: ConflictError.self) {
        try store.write(plan.schema) { writer in
          let (owner, other) = (
            try #require(try writer.reader.find(1, of: 0)), try #require(try writer.reader.find(3, of: 0))
          )
          let found = try writer.reader.targets(of: owner, entity: 0, field: 2)
          #expect(found.count == 1)
          _ = try ThreadWork { try store.delete(plan.query(of: "Book").keys([PrimaryKey.integer(target)])) }
            .value()
          // It is locked then, and not found.
          if isReadAgain { try writer.reader.read(found, of: 0) { _, _ in Issue.record("it is gone") } }
          let change = TestChange(of: other, isNew: false, targets: ["similar": found])
          try ChangeBatch.lend([change], in: plan.schema) { batch in
            try writer.apply(&batch)
            try writer.finish(&batch)
          }
          return .commit(())
        }
      }
      #expect(try store.check().problems == [])
    }

    @Test("A worker takes no writes, and says so")
    func worker() throws {
      try load(1, "a")
      let node = try place.rows("SELECT ARRAY[nodeport::text] FROM pg_dist_node WHERE groupid > 0 LIMIT 1")
      let port = try #require(node.first)
      let address = try #require(Cluster.citus) + "&port=\(port)"
      let configuration = PostgresStore.Configuration.with { $0.schema = place.schema }
      let worker = try PostgresStore(address, configuration: configuration)
      #expect(try worker.read(Self.plan.schema) { try $0.count(of: 0) } == 1)
      let error = #expect(throws: PostgresError.self) { try Self.load(1, "b", into: worker) }
      #expect(error?.message == "expected the coordinator of Citus, found a worker")
      #expect(try store.exported(Self.plan).contains(#""a""#))
    }

    private static let plan = {
      let file = """
        {"fastmap": 1, "mappings": {"Book": {
          "primaryKey": "id", "attributes": {"id": "integer", "title": "string"},
          "relationships": {"similar": {"mapping": "Book", "toMany": true}}
        }}}
        """
      do { return try MappingSet(file: Array(file.utf8)).plan(for: "Book") } catch {
        preconditionFailure("\(error)")
      }
    }()

    private static func load(_ key: Int64, _ title: String, into store: PostgresStore) throws {
      let text = #"{"id": \#(key), "title": "\#(title)"}"#
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan)
    }

    private func load(_ key: Int64, _ title: String) throws { try Self.load(key, title, into: store) }

    /// The lock of a key.
    private func lockNumber(_ key: Int64) -> UInt32? {
      guard case .known(let layout) = store.layouts.current else { return nil }
      return PrimaryKey.integer(key).shard(layout.fingerprintKey.low) % KeyLocks.count
    }
  }
#endif
