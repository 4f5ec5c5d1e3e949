#if Postgres
  import FastMapCore
  import FastMapPostgres
  import TestSupport
  import Testing

  /// The rows that the server sends for an index with values that are longer than an index of PostgreSQL takes.
  @Suite(.needsServer, .serialized) struct LongValuePagingTests {
    private let proxy: Proxy
    private let place: TestStores
    private let store: PostgresStore
    private let plan: Plan
    private static let count = 3000

    init() throws {
      proxy = try Proxy(to: Cluster.connection ?? "")
      place = try TestStores()
      var configuration = PostgresStore.Configuration()
      configuration.schema = place.schema
      store = try PostgresStore(proxy.address, configuration: configuration)
      plan = try Plan(
        Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("status", .string)
          Index("status")
        })
      let long = String(repeating: "s", count: 200)
      let items = (0..<Self.count).map {
        #"{"id":\#($0),"status":"s\#($0 % 7)\#($0 % 1000 == 0 ? long : "")"}"#
      }
      _ = try Mapper(store).importJSON("[\(items.joined(separator: ","))]", as: plan)
    }

    private var sorted: Query<Plan> { plan.query.sorted(by: ["status"], descending: false) }

    /// All keys in order: short values before long ones that begin alike.
    private static var expected: [PrimaryKey] {
      (0..<7).flatMap { remainder in
        let numbers = (0..<count).filter { $0 % 7 == remainder }
        let sorted = numbers.filter { $0 % 1000 != 0 } + numbers.filter { $0 % 1000 == 0 }
        return sorted.map { PrimaryKey.integer(Int64($0)) }
      }
    }

    @Test func aPageIsNoMoreThanItsRows() throws {
      var found: [PrimaryKey] = []
      let before = proxy.rows
      while true {
        var query = sorted.limit(100)
        if let last = found.last { query = query.after(key: last) }
        let keys = try store.read(plan) { try $0.keys(query) }
        if keys.isEmpty { break }
        found += keys
      }
      #expect(found == Self.expected)
      // Each page is asked for in several parts at once, first of short values alone. Each of them may be as long as the page.
      let rows = proxy.rows - before
      #expect(rows < 5 * Self.count, "\(rows) rows for \(found.count) objects")
    }

    @Test func aWalkThroughAllPagesReceivesEachObjectOnce() throws {
      let before = proxy.rows
      for pageSize in [10, 1000] {
        let keys = try store.read(plan.schema) { reader in
          var keys: [PrimaryKey?] = []
          let index = try #require(try reader.indexes(of: 0).first)
          try reader.forEachPage(
            in: index, of: 0, range: IndexRange(), isDescending: false, after: nil, pageSize: pageSize
          ) { _, page in
            #expect(page.count <= pageSize)
            keys += page.keys
            return true
          }
          return keys
        }
        #expect(keys == Self.expected)
      }
      let rows = proxy.rows - before
      #expect(rows < 3 * Self.count, "\(rows) rows for \(2 * Self.count) objects")
    }
  }
#endif
