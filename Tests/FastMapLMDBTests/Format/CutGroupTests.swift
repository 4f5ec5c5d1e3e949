import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

/// Strings with so long a common beginning that the entries of an index do not say their order.
@Suite struct CutGroupTests {
  private let scratch = Scratch()

  private static let mapping = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("status", .string)
    Index("status")
  }

  private func store(_ name: String, _ count: Int) throws -> LMDBStore {
    let store = try LMDBStore(at: scratch.path + "/" + name)
    let long = String(repeating: "long ", count: 80)
    // Five digits, so that the strings ascend with the keys.
    let items = (0..<count).map { #"{"id":\#($0),"status":"\#(long)\#(10_000 + $0)"}"# }
    _ = try Mapper(store).importJSON("[\(items.joined(separator: ","))]", as: Self.mapping)
    return store
  }

  @Test(arguments: [false, true])
  func aWriteGoesOnWhereItWasInAGroup(_ isDescending: Bool) throws {
    let count = TestSize.count(small: 500, whole: 1000)
    let store = try store("changes", count)
    let schema = try Self.mapping.plan().schema
    let keys = try store.write(schema) { writer in
      let index = try #require(writer.reader.indexes(of: 0).first)
      var keys: [PrimaryKey] = []
      var reader = writer.reader
      try reader.forEachPage(
        in: index, of: 0, range: IndexRange(), isDescending: isDescending, after: nil, pageSize: 30
      ) { _, page in
        keys += page.keys.compactMap(\.self)
        // Objects that were handed out, and some that come later.
        guard keys.count <= count * 3 / 10, case .integer(let last)? = keys.last else { return true }
        for key in [last, isDescending ? Int64(count) / 2 - 1 - last / 10 : Int64(count) / 2 + last / 10] {
          if let id = try writer.reader.find(.integer(key), of: 0) { _ = try writer.delete([id], of: 0) }
        }
        return true
      }
      return .commit(keys)
    }
    let all = (0..<count).map { PrimaryKey.integer(Int64($0)) }
    let left = try store.read(Self.mapping) { try $0.keys(Self.mapping.plan().query) }
    let sorted = isDescending ? Array(keys.reversed()) : keys
    #expect(sorted == sorted.sorted())
    #expect(Set(keys).count == keys.count)
    #expect(keys.count > count * 9 / 10 && keys.count < count)
    // All but the deleted ones that it had not met.
    #expect(Set(keys).isSuperset(of: left))
    #expect(Set(all).isSuperset(of: keys))
    #expect(try store.check().isSound)
  }

  /// The time of this thread for a walk through a group.
  private func time(_ count: Int) throws -> Double {
    let store = try store("\(count)", count)
    let schema = try Self.mapping.plan().schema
    return try (0..<3).map { _ in
      try store.write(schema) { writer in
        let index = try #require(writer.reader.indexes(of: 0).first)
        var found = 0
        let start = Self.threadTime
        try writer.reader.forEachPage(
          in: index, of: 0, range: IndexRange(), isDescending: false, after: nil, pageSize: 16
        ) { _, page in
          found += page.count
          return true
        }
        #expect(found == count)
        return .rollBack(Self.threadTime - start)
      }
    }.min() ?? 0
  }

  private static var threadTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Four times the objects take about four times as long, and not sixteen times.
  @Test func theTimeOfAWalkInAWriteGrowsWithTheGroup() throws {
    let size = TestSize.count(small: 400, whole: 1000)
    let (few, many) = (try time(size), try time(4 * size))
    #expect(many < few * 8, "\(few) s and \(many) s")
  }
}
