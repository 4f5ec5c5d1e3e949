#if Postgres
  import FastMapCore
  import FastMapStoreTesting
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
      _ = try Serializer(plan).exportTable(from: &reader, limit: limit) { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }

    @Test("An export asks ahead, and writes as another store", arguments: [.max, 1, 128, 5000])
    func same(_ limit: Int) throws {
      let other = try ScratchStore()
      _ = try Mapper(other).importJSON(text, as: plan)
      let expected = try other.read(plan.schema) { try export(&$0, limit: limit) }
      let found = try store.read(plan.schema) { try export(&$0, limit: limit) }
      #expect(found == expected)
      // Questions asked ahead and not needed disturb nobody.
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
        // The server may still count earlier work of the connection.
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
        let (plain, lists) = (try rows(), try reader.targets(of: ids, entity: 0, fields: [field]))
        #expect(plain.count == 300)
        let before = reader.connection.trips
        try reader.anticipate(targetsOf: ids, entity: 0, fields: [field])
        try reader.anticipate(rowsOf: ids, of: 0)
        try reader.anticipate(rowsOf: Array(ids.prefix(3)), of: 0)
        try reader.consumeInput()
        let found = try rows()
        #expect(found == plain)
        let again = try reader.targets(of: ids, entity: 0, fields: [field])
        #expect(again == lists)
        #expect(reader.connection.trips == before + 1)
        reader.dropAnticipated()
        #expect(reader.connection.stash.isEmpty)
        let last = try rows()
        #expect(last == plain)
      }
    }

    @Test("An answer asked ahead before a deletion is not used for a later question")
    func deleted() throws {
      try store.write(plan.schema) { writer -> TransactionCompletion<Void> in
        let ids = try writer.reader.find((0..<300).map { .integer($0) }, of: 0).compactMap(\.self)
        try writer.reader.anticipate(rowsOf: ids, of: 0)
        let deleted = try writer.delete(ids, of: 0)
        #expect(deleted.count == 300)
        var count = 0
        try writer.reader.read(ids, of: 0) { _, _ in count += 1 }
        #expect(count == 0)
        return .rollBack(())
      }
    }

    @Test("An answer asked ahead before a change is not used by a later export")
    func changed() throws {
      try store.write(plan.schema) { writer -> TransactionCompletion<Void> in
        let expected = try export(&writer.reader, limit: 3000).replacing("title ", with: "other title ")
        // These leave questions behind: one ends at its limit, and the other at an error.
        _ = try export(&writer.reader, limit: 1500)
        struct Stopped: Error {}
        #expect(throws: Stopped.self) {
          try Serializer(plan).export(from: &writer.reader) { _ in throw Stopped() }
        }
        let ids = try writer.reader.find((0..<3000).map { .integer($0) }, of: 0).compactMap(\.self)
        let changes = ids.enumerated().map { key, id in
          TestChange(
            of: id, isNew: false,
            values: ["bookID": .integer(Int64(key)), "title": .string("other title \(key)")])
        }
        try ChangeBatch.lend(changes, in: plan.schema) {
          try writer.apply(&$0)
          try writer.finish(&$0)
        }
        let found = try export(&writer.reader, limit: 3000)
        #expect(found == expected)
        return .rollBack(())
      }
    }

    @Test("An iteration that ends early leaves no answers behind")
    func endsEarly() throws {
      struct Stopped: Error {}
      let store = try place.open { $0.maxRowsPerStatement = 100 }
      try store.read(plan.schema) { reader in
        let ids = try reader.find((0..<300).map { .integer($0) }, of: 0).compactMap(\.self)
        #expect(throws: Stopped.self) { try reader.read(ids, of: 0) { _, _ in throw Stopped() } }
        var pages = 0
        try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 100) { _, _ in
          pages += 1
          return pages < 2
        }
        #expect(throws: Stopped.self) {
          try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 100) { _, _ in
            pages += 1
            if pages == 4 { throw Stopped() }
            return true
          }
        }
        let count = try reader.count(of: 0)
        #expect(count == 6000)
        #expect(reader.connection.stash.isEmpty)
        #expect(reader.connection.forgotten.isEmpty)
      }
    }
  }
#endif
