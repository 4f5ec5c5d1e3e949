#if Postgres
  import FastMapCore
  import FastMapLMDB
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Dumps of a server. `FastMapParityTests` test every store.
  @Suite(.needsServer) struct DumpTests {
    private let scratch = Scratch()

    private func text(_ store: some Store) throws -> String {
      var bytes: [UInt8] = []
      try store.dump { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }

    private static let item = Mapping("Item", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("text", .string)
      ToMany("notes", Mapping("Note") { Attribute("text", .string) })
      ToMany("others", Mapping<Record>("Item", primaryKey: "id") { Attribute("id", .string) })
      Index("text", isUnique: true)
    }

    private func file(_ count: Int) throws -> LMDBStore {
      let rows = (0..<count).map {
        #"{"id":"\#($0)","text":"\u0001\#($0)","notes":[{"text":"a"},{"text":"\#($0)"}],"others":[{"id":"\#(count - 1 - $0)"},{"id":"0"},{"id":"0"}]}"#
      }
      let store = try LMDBStore(at: scratch.path("file.db"))
      _ = try Mapper(store).importJSON(Array("[\(rows.joined(separator: ","))]".utf8), as: Self.item)
      return store
    }

    @Test(
      "A load and a dump take few objects for each statement, and have the same text",
      arguments: [100, 1 << 20])
    func fewObjects(_ maxBytes: Int) throws {
      let file = try file(700)
      try file.dump(to: scratch.path("all.dump"))
      let stores = try TestStores()
      let server = try stores.open { $0.maxBytesPerStatement = maxBytes }
      #expect(try server.load(dump: scratch.path("all.dump")).objectCount == 2100)
      #expect(try text(server) == text(file))
      #expect(try server.check().problems == [])
    }

    @Test("A faulty dump makes no tables, and a value that is not unique leaves them empty")
    func faults() throws {
      try file(20).dump(to: scratch.path("all.dump"))
      let whole = String(decoding: try Files.bytes(of: scratch.path("all.dump")), as: UTF8.self)
        .replacing(/,"checksum":"[^"]*"/, with: "")
      let stores = try TestStores()
      let server = try stores.open()
      let tables = "SELECT ARRAY[count(*)::text] FROM pg_tables WHERE schemaname = '\(stores.schema)'"
      try scratch.write(whole.replacing(#""targets":[1,"#, with: #""targets":[99,"#), to: "faulty.dump")
      #expect(throws: DumpError.self) { try server.load(dump: scratch.path("faulty.dump")) }
      #expect(try stores.rows(tables).first?.contains("0") == true)
      try scratch.write(
        whole.replacing(#""text":"\u000117""#, with: #""text":"\u000118""#), to: "faulty.dump")
      #expect(throws: UniquenessError.self) { try server.load(dump: scratch.path("faulty.dump")) }
      #expect(try server.statistics().entities.map(\.objectCount) == [0, 0])
      #expect(try server.load(dump: scratch.path("all.dump")).objectCount == 60)
      #expect(try server.check().problems == [])
    }
  }
#endif
