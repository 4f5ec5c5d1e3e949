#if Postgres
  import FastMapCore
  import FastMapLMDB
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Whole stores from a file to a server, and back.
  @Suite(.needsServer) struct DumpTests {
    let scratch = Scratch()

    private func text(_ store: some DumpLoading) throws -> String {
      var bytes: [UInt8] = []
      try store.dump { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Loads a text into a store.
    @discardableResult
    private func load(_ text: String, into store: some DumpLoading) throws -> DumpLoadReport {
      try scratch.write(text, to: "all.dump")
      return try store.load(JSONLines(scratch.path("all.dump")))
    }

    private func makeFile(_ name: String = "new.db") throws -> LMDBStore {
      try LMDBStore(at: scratch.path(name))
    }

    /// Expects a text to be the dump of each store that it is loaded into: on a server, and in a file.
    private func expectSame(
      _ first: String, maxBytes: Int = 64 << 20, _ place: SourceLocation = #_sourceLocation
    ) throws {
      let stores = try TestStores()
      let server = try stores.open { $0.maxBytesPerStatement = maxBytes }
      try load(first, into: server)
      let second = try text(server)
      expectEqual(second, first, place)
      #expect(try server.check().problems == [], sourceLocation: place)
      let file = try makeFile("copy\(UInt32.random(in: 0 ... .max)).db")
      try load(second, into: file)
      expectEqual(try text(file), first, place)
      #expect(try file.check().problems.isEmpty, sourceLocation: place)
      withExtendedLifetime(stores) {}
    }

    /// Names the first line that differs.
    private func expectEqual(_ found: String, _ expected: String, _ place: SourceLocation) {
      guard found != expected else { return }
      let (a, b) = (found.split(separator: "\n"), expected.split(separator: "\n"))
      let line = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
      Issue.record(
        "line \(line + 1): found \(a.dropFirst(line).first ?? "nothing"), expected \(b.dropFirst(line).first ?? "nothing")",
        sourceLocation: place)
    }

    // MARK: Stores of every kind

    private static let mappings = #"""
      {"fastmap": 1, "mappings": {
        "All": {"primaryKey": "id", "indexes": [["text", "-whole"], ["next"], {"fields": ["at"], "unique": true}],
          "attributes": {
            "id": "string", "yes": "boolean", "whole": "integer", "real": "number", "text": "string", "exact": "decimal",
            "at": "date", "bytes": "data", "any": "json"},
          "relationships": {
            "next": {"mapping": "All"}, "friends": {"mapping": "All", "toMany": true},
            "parts": {"mapping": "Part", "toMany": true}, "one": {"mapping": "Part"},
            "notes": {"mapping": "Note", "toMany": true, "policy": "replace"},
            "issues": {"mapping": "Issue", "toMany": true}, "steps": {"mapping": "Step", "toMany": true},
            "later": {"mapping": "Key", "toMany": true}}},
        "Part": {"attributes": {"name": "string"}, "relationships": {"all": {"mapping": "All"}}},
        "Note": {"primaryKey": "number", "attributes": {"number": "integer", "text": "string"}},
        "Issue": {"primaryKey": ["repo", "number"], "attributes": {"repo": "string", "number": "integer"}},
        "Step": {"primaryKey": "number", "keyScope": "parent", "attributes": {"number": "integer", "text": "string"}},
        "Key": {"entity": "Later", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
        "Event": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "Push", "w": "Watch"}}},
        "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "size": "integer"}},
        "Watch": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "action": "string"}},
        "Empty": {"primaryKey": "id", "attributes": {"id": "integer"}, "indexes": [["-id"]]}}}
      """#

    private static let payloads = [
      (
        "All",
        #"""
        [{"id": "b", "yes": true, "whole": -9223372036854775808, "real": 0.1, "text": "a\u0000\"\u0001é😀\n",
          "exact": "1.50", "at": "2026-11-22T07:54:21.000000001Z", "bytes": "AP8=",
          "any": {"x": [1, 1.50, 12345678901234567890123, null], "a": "\u0000"},
          "next": {"id": "a", "friends": [{"id": "b"}, {"id": "c"}, {"id": "b"}]},
          "parts": [{"name": "p"}, {"name": "q", "all": {"id": "b"}}, {}], "one": {"name": "r"},
          "notes": [{"number": 7, "text": "x"}, {"number": -1}], "later": [5, 1, 3],
          "issues": [{"repo": "r", "number": 1}, {"repo": "r", "number": 10}], "steps": [{"number": 1, "text": "s"}]},
         {"id": "", "real": -0.0, "text": "", "bytes": "", "any": "s", "yes": false, "at": "1969-12-31T23:59:59Z"},
         {"id": "e\u0301", "real": 5e-324}, {"id": "\u00e9", "exact": "-0.00000000000000000000001"},
         {"id": "d", "real": 1e300, "whole": 9223372036854775807, "any": 1E400, "exact": "99999999999999999999999999999999999999",
          "steps": [{"number": 1, "text": "t"}], "at": "9999-12-31T23:59:59Z"}]
        """#
      ),
      ("Part", #"[{"name": "nobody's"}]"#),
      // Numbers with gaps, and lists that were changed in the middle.
      (
        "All",
        #"[{"id": "b", "parts": [{"name": "p"}], "notes": [{"number": -1}], "at": "2020-01-01T00:00:00Z"}]"#
      ),
      ("Note", #"[{"number": 9}]"#), ("Part", #"[{"name": "last"}]"#),
      ("Event", #"[{"id": 1, "size": 3, "type": "p"}, {"id": 2, "action": "x", "type": "w"}]"#),
      ("Empty", #"[{"id": 4}]"#), ("Key", "[1]"),
    ]

    private func fill(_ store: some Store) throws {
      let set = try MappingSet(file: Array(Self.mappings.utf8))
      for (name, json) in Self.payloads {
        _ = try Mapper(store).importJSON(Array(json.utf8), as: try set.plan(for: name))
      }
    }

    private final class Measure {
      var id = ""
      var real = 0.0
      var whole: UInt64 = 0

      static let mapping = Mapping(Measure.self, "Measure", primaryKey: "id", make: { Measure() }) {
        Attribute("id", \.id)
        Attribute("whole", \.whole)
        Attribute(
          "real", \.real,
          transform: Transform<Double>(reading: {
            .value(Double(bitPattern: UInt64($0.string ?? "", radix: 16) ?? 0))
          }))
      }
    }

    @Test("A store in a file is the same on a server, byte for byte, and in a file again")
    func everyType() throws {
      let file = try makeFile()
      try fill(file)
      let bits = [
        "7ff0000000000000", "fff0000000000000", "7ff8000000000000", "fff800000000beef", "8000000000000000",
      ]
      let json = bits.map { #"{"id": "\#($0)", "real": "\#($0)", "whole": 18446744073709551615}"# }.joined(
        separator: ",")
      _ = try Mapper(file).importJSON(Array("[\(json)]".utf8), as: Measure.mapping)
      let schema = try MappingSet(file: Array(Self.mappings.utf8)).plan(for: "All").schema
      let entity = try #require(schema.entity(named: "All"))
      let mark = try file.write(schema) { writer in
        let ids = try writer.reader.find([.string("d"), .string("")], of: entity)
        let left = ids.compactMap(\.self).enumerated().map {
          Leftover(id: $1, entity: entity, isOwned: $0 == 0, deletesShared: $0 == 1)
        }
        #expect(left.count == 2)
        return .commit(try writer.keepLeftovers(left, of: nil))
      }
      withExtendedLifetime(mark) {}
      let first = try text(file)
      #expect(first.contains(#""left":{"owned":true}"#) && first.contains(#""left":{"shared":true}"#))
      #expect(first.contains("fff800000000beef") && first.contains(#"{"fields":["at"],"unique":true}"#))
      try expectSame(first)
      try expectSame(first, maxBytes: 100)
    }

    @Test(
      "Objects that a server has made get numbers from 1: those with a key in its order, and then the others")
    func madeOnTheServer() throws {
      let stores = try TestStores()
      let server = try stores.open()
      try fill(server)
      let first = try text(server)
      let lines = first.split(separator: "\n")
      #expect(
        lines.contains { $0.hasPrefix(#"{"entity":"Note","object":1,"key":"number","values":{"number":-1"#) })
      #expect(lines.contains { $0.hasPrefix(#"{"entity":"Part","object":1,"values":{"name":"p"#) })
      try expectSame(first)
      let file = try makeFile()
      try load(first, into: file)
      let set = try MappingSet(file: Array(Self.mappings.utf8))
      for name in ["All", "Event", "Part"] {
        let plan = try set.plan(for: name)
        #expect(try file.exported(plan) == server.exported(plan))
      }
    }

    @Test("A loaded store takes imports, finds its objects by their keys, and is dumped again")
    func importsGoOn() throws {
      let file = try makeFile()
      try fill(file)
      let stores = try TestStores()
      let server = try stores.open()
      try load(try text(file), into: server)
      let set = try MappingSet(file: Array(Self.mappings.utf8))
      let json = Array(
        #"[{"id": "a", "text": "new"}, {"id": "z", "friends": [{"id": "b"}], "parts": [{"name": "y"}]}]"#.utf8
      )
      for store in [file, server] as [any Store] {
        let report = try Mapper(store).importJSON(json, as: try set.plan(for: "All"))
        #expect(report["All"]?.inserted == 1 && report["All"]?.updated == 1, "\(report)")
      }
      let duplicate = Array(#"[{"id": "y", "at": "2020-01-01T00:00:00Z"}]"#.utf8)
      #expect(throws: MappingError.self) {
        try Mapper(server).importJSON(duplicate, as: try set.plan(for: "All"))
      }
      #expect(try server.check().problems == [])
      let plan = try set.plan(for: "All")
      #expect(try server.exported(plan) == file.exported(plan))
      try expectSame(try text(server))
    }

    @Test("The next numbers, keys without objects and migrations stay behind in the file")
    func forgotten() throws {
      let text = #"""
        {"fastmapDump":1,"entities":[{"name":"A","key":"integer","next":9,"objects":1,"fields":[{"name":"id","type":"integer"}]},{"name":"B","key":"string","next":4,"objects":0,"fields":[{"name":"id","type":"string"}]}],"changes":[{"kind":1,"entity":"A","field":"key","target":"id"}]}
        {"entity":"A","object":3,"key":"id","values":{"id":7}}
        {"end":true,"objects":1,"targets":0}

        """#
      let stores = try TestStores()
      let server = try stores.open()
      #expect(try load(text, into: server).objectCount == 1)
      #expect(
        try self.text(server).split(separator: "\n").first == #"""
          {"fastmapDump":1,"entities":[{"name":"A","key":"integer","next":4,"objects":1,"fields":[{"name":"id","type":"integer"}]},{"name":"B","next":1,"objects":0,"fields":[{"name":"id","type":"string"}]}],"changes":[]}
          """#)
    }

    // MARK: Faults

    private static let small = """
      {"fastmapDump":1,"entities":[{"name":"A","key":"integer","next":4,"objects":2,"fields":[{"name":"id","type":"integer"},{"name":"n","type":"string"},{"name":"to","toOne":"A"},{"name":"all","toMany":"A"}],"indexes":[{"fields":["n"],"unique":true}]}],"changes":[]}
      {"entity":"A","object":1,"key":"id","values":{"id":5,"n":"x","to":3}}
      {"entity":"A","object":1,"list":"all","targets":[3,1,3]}
      {"entity":"A","object":3,"key":"id","values":{"id":6,"n":"y"}}
      {"end":true,"objects":2,"targets":3}

      """

    private static let damages: [(old: String, new: String, message: String)] = [
      (#""n":"x""#, #""n":7"#, "line 2, $.values.n: expected a string, found the number 7"),
      (
        #""to":3"#, #""to":2"#,
        #""to" of object 1 of A refers to object 2 of A, which is missing from the dump"#
      ),
      (
        "[3,1,3]", "[3,2,3]",
        #""all" of object 1 of A refers to object 2 of A, which is missing from the dump"#
      ),
      (
        #""object":3,"#, #""object":1,"#,
        "line 4, $.object: objects must be sorted by entity and number, each once"
      ),
      (#""id":6"#, #""id":5"#, "object 3 of A has the key 5, which belongs to object 1"),
      (#""n":"y""#, #""n":"x""#, "\"x\""),
      ("[3,1,3]", "[3,1]", "line 5, $.targets: the dump has 2 targets, its last line says 3"),
      (#""targets":3}"#, #""targets":3,"checksum":"00000000"}"#, "the checksum does not match"),
      ("\n{\"end\":true,\"objects\":2,\"targets\":3}", "", "the dump is truncated"),
    ]

    @Test("A faulty dump leaves the server as it was", arguments: damages.indices)
    func faults(_ number: Int) throws {
      let damage = Self.damages[number]
      let text = Self.small.replacing(damage.old, with: damage.new, maxReplacements: 1)
      #expect(text != Self.small)
      let stores = try TestStores()
      let server = try stores.open()
      let tables = "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '\(stores.schema)'"
      for isPrepared in [false, true] {
        if isPrepared {
          let id = Schema.Field(name: "id", kind: .attribute(.integer))
          _ = try server.prepare(
            Schema(entities: [.init(name: "A", fields: [id], keyKind: .integer, keyField: 0)]))
        }
        let before = try server.pool.outsideTransactions { try $0.run(Statement(tables)).int8(0, 0) }
        do {
          try load(text, into: server)
          Issue.record("the dump was loaded")
        } catch {
          let isKey = isPrepared && damage.message.contains("has the key")
          #expect("\(error)".contains(isKey ? "a key that occurs twice" : damage.message), "\(error)")
        }
        #expect(try server.pool.outsideTransactions { try $0.run(Statement(tables)).int8(0, 0) } == before)
      }
      try load(Self.small, into: server)
      #expect(try self.text(server).contains(#""targets":[3,1,3]"#))
    }

    @Test("A dump without objects makes an empty store, whose entities get their keys and indexes later")
    func empty() throws {
      let mapping = Mapping<Record>("A", primaryKey: "id") {
        Attribute("id", .string)
        Attribute("b", .boolean)
        Index("b")
      }
      let plan = try Plan(mapping)
      let file = try makeFile()
      #expect(try text(file).contains(#""objects":0"#))
      let none = try TestStores()
      try #expect(load(text(file), into: none.open()).objectCount == 0)
      _ = try Mapper(file).importJSON("[]", as: plan)
      let stores = try TestStores()
      let server = try stores.open()
      try #expect(load(text(file), into: server).objectCount == 0)
      #expect(try server.check().problems == [])
      for payload in ["[]", #"[{"id":"b","b":true},{"id":"a","b":true}]"#] {
        #expect(try Mapper(server).importJSON(payload, as: plan).notes == [])
        #expect(try stores.open().check().problems == [])
      }
      let columns = try stores.rows(
        "SELECT ARRAY[indexdef] FROM pg_indexes WHERE schemaname = '\(stores.schema)' AND indexname = 'fastmap_index_1_A'"
      )
      #expect(columns.count == 1 && columns[0].contains("fastmap_order IS NULL"), "\(columns)")
    }

    @Test("A store with objects takes no dump, and a server without a store has none")
    func refusals() throws {
      let stores = try TestStores()
      let server = try stores.open()
      let none = try #require(throws: PostgresError.self) { try text(server) }
      #expect(none.message.contains("there is no store"))
      try load(Self.small, into: server)
      let before = try text(server)
      let error = try #require(throws: DumpError.self) { try load(Self.small, into: server) }
      #expect(
        error.description.hasSuffix(
          ", schema \"\(stores.schema)\": the store already has 2 objects; a dump can only be loaded into an empty store"
        ),
        "\(error)")
      #expect(try text(server) == before)
      let key = String(repeating: "k", count: 3000)
      let long = Self.small.replacing(#""key":"integer""#, with: #""key":"string""#)
        .replacing(#""type":"integer""#, with: #""type":"string""#)
        .replacing(#""id":5"#, with: "\"id\":\"\(key)\"").replacing(#""id":6"#, with: #""id":"b""#)
      let other = try TestStores()
      let refused = try #require(throws: DumpError.self) { try load(long, into: try other.open()) }
      #expect(refused.reason == "expected a key of at most 2600 bytes, found one of 3000 bytes")
      #expect(refused.line == 2)
    }
  }
#endif
