import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// The entries that a choice of an index counts, in a store that counts one by one.
@Suite struct PlannerCountTests {
  private static let mapping = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("number", .integer)
    Attribute("name", .string)
    Index("number")
  }

  private let store = MemoryStore()

  init() throws {
    let items = (0..<500).map { #"{"id":\#($0),"number":\#(500 - $0),"name":"n"}"# }
    _ = try Mapper(store).importJSON("[\(items.joined(separator: ","))]", as: Self.mapping)
  }

  private func query(_ filter: String?, limit: Int?) throws -> Query<Plan> {
    var query = try Self.mapping.plan().query.sorted(by: ["number"], descending: false)
    if let filter { query = query.where(try Filter(filter)) }
    return limit.map { query.limit($0) } ?? query
  }

  private func run(_ query: Query<Plan>) throws -> (keys: [PrimaryKey?], counted: Int, run: QueryRun) {
    let plan = try Self.mapping.plan()
    var run = QueryRun(try query.bound(to: plan))
    return try store.read(plan.schema) { inner in
      var reader = CountingReader(base: inner)
      var keys: [PrimaryKey?] = []
      try run.forEachPage(&reader) { _, page in
        keys += page.keys
        return true
      }
      return (keys, reader.counted.value, run)
    }
  }

  /// A scan would have to sort its objects.
  @Test func theOnlyIndexWithTheOrderIsTakenWithoutACount() throws {
    for limit in [10, nil] {
      let (keys, counted, run) = try run(query(nil, limit: limit))
      #expect(keys == (500 - (limit ?? 500)..<500).reversed().map { PrimaryKey($0) })
      #expect(run.path != nil)
      #expect(counted == 0)
    }
  }

  @Test func aVeryLargeLimitIsNoOverflow() throws {
    for limit in [Int.max, .max / 3, .max / 3 + 1, .max - 1] {
      #expect(try run(query(nil, limit: limit)).keys.count == 500)
    }
  }

  /// The store tests the filter and sorts, as an index that does not say all of it is of no use then.
  @Test func nothingIsCountedForAnIndexThatIsOfNoUse() throws {
    let (keys, counted, run) = try run(query("@.name == 'n'", limit: 10))
    #expect(keys.count == 10)
    #expect(run.path == nil)
    #expect(run.pushed != nil)
    #expect(counted == 0)
  }
}

/// A reader that tests any condition, and notes how many objects it has counted.
private struct CountingReader: InterceptedReader {
  final class Counter { var value = 0 }

  var base: MemoryReader
  let counted = Counter()

  mutating func count(of entity: Int) throws -> Int {
    counted.value += base.count(of: entity)
    return base.count(of: entity)
  }

  mutating func indexes(of entity: Int) throws -> [Schema.Index] { base.indexes(of: entity) }

  mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    try base.forEachPage(
      in: index, of: entity, range: range, isDescending: isDescending, after: position, pageSize: pageSize
    ) { try body(&copy, $1) }
  }

  mutating func canTest(_ condition: BoundFilter.Condition, of entity: Int) throws -> Bool { true }

  /// Its conditions are true for all objects.
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, isDescending: Bool,
    pageSize: Int, _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize, body)
  }

  mutating func count(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, limit: Int
  ) throws -> Int {
    let count = min(limit, base.count(of: entity))
    counted.value += count
    return count
  }
}
