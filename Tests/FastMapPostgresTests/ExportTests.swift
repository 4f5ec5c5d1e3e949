#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct ExportTests {
    private let place: TestStores
    private let store: PostgresStore
    private let plan: Plan
    private let text: String

    init() throws {
      place = try TestStores()
      store = try place.open()
      plan = try Plan(Fixture.book())
      let books = (0..<6000).map { book in
        let tags = (0..<book % 4).map { #"{"id": \#(book * 3 % 5000 + $0), "t": "tag"}"# }
        return
          #"{"id": \#(book), "t": "title \#(book)", "a": {"id": \#(book % 10)}, "tags": [\#(tags.joined(separator: ","))]}"#
      }
      text = "[\(books.joined(separator: ","))]"
      _ = try Mapper(store).importJSON(text, as: plan)
    }

    private func export<R: StoreReader>(_ reader: inout R, limit: Int = .max) throws -> String {
      var bytes: [UInt8] = []
      _ = try Serializer(plan).export(from: &reader, limit: limit) { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }

    @Test("An export asks ahead, and writes what another store writes", arguments: [.max, 1, 128, 5000])
    func same(_ limit: Int) throws {
      let other = try ScratchStore()
      _ = try Mapper(other).importJSON(text, as: plan)
      let expected = try other.read(plan.schema) { try export(&$0, limit: limit) }
      let found = try store.read(plan.schema) { try export(&$0, limit: limit) }
      #expect(found == expected)
      // What was asked ahead and not needed disturbs nobody.
      let count = try store.read(plan.schema) { try $0.count(of: 0) }
      #expect(count == 6000)
    }

    @Test("An export finds objects by an index, in tables without statistics, too")
    func scans() throws {
      let question = Statement(
        """
        SELECT count(*), coalesce(sum(seq_scan), 0)::int8 FROM pg_stat_xact_user_tables
        WHERE schemaname = '\(place.schema)' AND relname IN ('Book', 'Tag', 'Author', 'Book_tags')
        """)
      let counts = try store.read(plan.schema) { reader in
        // The server may still count what the connection has done before.
        let before = try reader.connection.run(question).int8(0, 1)
        _ = try export(&reader)
        let answer = try reader.connection.run(question)
        return (tables: answer.int8(0, 0), scans: answer.int8(0, 1) - before)
      }
      #expect(counts == (4, 0))
    }

    @Test("Questions that were sent ahead are answered as those that were not")
    func anticipated() throws {
      try store.read(plan.schema) { reader in
        let ids = try reader.find((0..<300).map { .integer($0) }, of: 0).compactMap(\.self)
        let field = try #require(plan.schema.entities[0].fields.firstIndex { $0.name == "tags" })
        func rows() throws -> [Int: String] {
          var rows: [Int: String] = [:]
          try reader.read(ids, of: 0) { rows[$0] = $1[1].string }
          return rows
        }
        let (plain, lists) = (
          try rows(), try reader.targets(of: ids, entity: 0, fields: [field])
        )
        #expect(plain.count == 300)
        let before = reader.connection.trips
        try reader.anticipate(targetsOf: ids, entity: 0, fields: [field])
        try reader.anticipate(rowsOf: ids, of: 0)
        try reader.anticipate(rowsOf: Array(ids.prefix(3)), of: 0)
        try reader.takeInput()
        let found = try rows()
        #expect(found == plain)
        let again = try reader.targets(of: ids, entity: 0, fields: [field])
        #expect(again == lists)
        #expect(reader.connection.trips == before + 1)
        try reader.dropAnticipated()
        #expect(reader.connection.stash.isEmpty)
        let last = try rows()
        #expect(last == plain)
      }
    }
  }
#endif
