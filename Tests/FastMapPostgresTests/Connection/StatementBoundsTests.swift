#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  @Suite struct StatementBoundsTests {
    private func bounds(rows: Int, bytes: Int) -> StatementBounds {
      var configuration = PostgresStore.Configuration()
      configuration.maxRowsPerStatement = rows
      configuration.maxBytesPerStatement = bytes
      return StatementBounds(configuration)
    }

    @Test(
      "Statements have at most so many rows, and so many bytes unless one row has more",
      arguments: [
        (3, 100, [1, 1, 1, 1, 1, 1, 1], [3, 3, 1]), (3, 100, [], []), (10, 5, [2, 2, 2, 2], [2, 2]),
        (10, 5, [9, 1, 1, 9, 9], [1, 2, 1, 1]), (0, 0, [1, 0, 1], [1, 1, 1]), (10, 5, [0, 5, 0, 1], [3, 1]),
      ] as [(Int, Int, [Int], [Int])])
    func ranges(_ rows: Int, _ bytes: Int, _ sizes: [Int], _ counts: [Int]) {
      // Not from zero on, as keys of one kind.
      let ranges = bounds(rows: rows, bytes: bytes).ranges(7..<7 + sizes.count) { sizes[$0 - 7] }
      #expect((ranges.map(\.count), ranges.flatMap(Array.init)) == (counts, Array(7..<7 + sizes.count)))
    }

    @Test("No bound is above PostgreSQL's")
    func most() {
      #expect(bounds(rows: 1, bytes: .max).bytes == StatementBounds.mostBytes)
      #expect(bounds(rows: .max, bytes: .max).count(ofSize: 8) <= StatementBounds.mostBytes / 12)
      #expect(bounds(rows: 0, bytes: 0).count(ofSize: 8) == 1)
    }

    @Test("An object that no row takes is refused with its name and its largest property")
    func refusal() throws {
      let schema = try Plan(Fixture.book()).schema
      let entity = try #require(schema.entities.firstIndex { $0.name == "Book" })
      var buffer = RowBuffer()
      buffer.reset(count: schema.entities[entity].fields.count)
      buffer.set(.integer(7), at: 0)
      buffer.set(.string(String(repeating: "a", count: 600)), at: 1)
      // Two bytes each.
      buffer.set(.string(String(repeating: "\0", count: 350)), at: 2)
      let change = ObjectChange(
        id: ObjectID(rawValue: 1), entity: entity, isNew: true, keyField: 0, row: buffer.row)
      #expect(change.refusal(schema.entities[entity], most: 1300) == nil)
      #expect(
        change.refusal(schema.entities[entity], most: 1299)
          == "expected an object of at most 1299 bytes, found 1300 bytes in Book 7, 700 of them in year")
    }

    @Test("JSON that is sent in two forms counts twice")
    func json() throws {
      let schema = try Plan(PreparationTests.person).schema
      let entity = try #require(schema.entities.firstIndex { $0.name == "Person" })
      let fields = schema.entities[entity].fields
      let extra = try #require(fields.firstIndex { $0.name == "extra" })
      func refusal(_ json: String, _ most: Int) throws -> String? {
        var buffer = RowBuffer()
        buffer.reset(count: fields.count)
        return Array(json.utf8).withUnsafeBytes { bytes in
          buffer.borrow(.bytes(bytes, as: .json), at: extra)
          let change = ObjectChange(
            id: ObjectID(rawValue: 1), entity: entity, isNew: true, keyField: 0, row: buffer.row)
          #expect(change.byteCount([extra]) == change.byteCount() + json.utf8.count)
          return change.refusal(schema.entities[entity], most: most)
        }
      }
      let letters = String(repeating: "a", count: 490)
      let (same, other) = (#"{"a":1,"b":"\#(letters)"}"#, #"{"b":"\#(letters)","a":1}"#)
      #expect(same.utf8.count == 504 && other.utf8.count == 504)
      #expect(try refusal(same, 504) == nil)
      #expect(try refusal(same, 503)?.contains("504 of them in extra") ?? false)
      #expect(try refusal(other, 1008) == nil)
      #expect(try refusal(other, 1007)?.contains("1008 of them in extra") ?? false)
    }
  }

  /// The same against a server.
  @Suite(.needsServer) struct SmallStatementTests {
    private static func books(_ count: Int) -> String {
      let books = (0..<count).map {
        #"{"id": \#($0), "t": "\#(String(repeating: "x", count: $0 % 300))", "tags": [{"id": \#($0)}, {"id": \#($0 + 1)}]}"#
      }
      return "[" + books.joined(separator: ",") + "]"
    }

    @Test(
      "An import with small statements stores the same", arguments: [(100, 1 << 20), (10_000, 5000), (7, 1)])
    func imports(_ rows: Int, _ bytes: Int) throws {
      let place = try TestStores()
      let store = try place.open {
        $0.maxRowsPerStatement = rows
        $0.maxBytesPerStatement = bytes
      }
      let plan = try Plan(Fixture.book())
      let trips = store.pool.trips
      let report = try Mapper(store).importJSON(Self.books(400), as: plan)
      #expect(report.entities.map(\.counts.inserted).reduce(0, +) == 801)
      // A COPY answers by itself: 400 books, 401 tags and 800 links in statements of 100 rows.
      if rows == 100 { #expect(store.pool.trips - trips >= 4 + 5 + 8) }
      let again = try Mapper(store).importJSON(Self.books(400), as: plan)
      #expect(again.entities.map(\.counts.updated).reduce(0, +) == 0)
      let text = Self.books(400).replacing("xx", with: "yy")
      let changed = try Mapper(store).importJSON(text, as: plan)
      #expect(changed.entities.map(\.counts.updated).reduce(0, +) > 390)
      let serializer = Serializer(plan)
      func export(_ store: some Store) throws -> String {
        var bytes: [UInt8] = []
        try store.read(plan.schema) { try serializer.export(from: &$0) { bytes += $0 } }
        return String(decoding: bytes, as: UTF8.self)
      }
      let other = try ScratchStore()
      _ = try Mapper(other).importJSON(text, as: plan)
      let (found, expected) = (try export(store), try export(other))
      #expect(found == expected)
    }

    @Test("Values that no statement takes are an error before they are sent")
    func tooLarge() throws {
      let schema = try TestSchema()
      try schema.pool.read { connection in
        var parameters = Parameters()
        connection.mostBytes = 1000
        parameters.text(String(repeating: "a", count: 1001))
        let error = #expect(throws: PostgresError.self) {
          try connection.run(Statement("SELECT length($1)", .text), parameters)
        }
        #expect(error?.message.contains("found 1001") ?? false)
        let answer = try connection.run(Statement("SELECT 1::int8"))
        #expect(answer.int8(0, 0) == 1)
      }
    }
  }
#endif
