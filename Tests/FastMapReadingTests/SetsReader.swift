import FastMapCore
import FastMapStoreTesting

@testable import FastMapReading

/// Counts the questions to a reader.
final class QuestionCount {
  var finds = 0
  var reads = 0
  var targets = 0
  var owners = 0
  var pages = 0
  /// The rows that were asked for.
  var rows = 0
  /// The most rows of one question.
  var mostRows = 0
  /// The lists that were asked for.
  var lists = 0
  var total: Int { finds + reads + targets + owners + pages }
}

/// A rule of the protocols that a store breaks.
enum StoreFault: CaseIterable {
  case shortRows, farRows, fewerLists, fewerFields, fewerResults
  // Faults of writers.
  case fewerNumbers, lastNumbers, farLeftovers
  // Faults of inverses.
  case fewerOwners

  static let ofReads: [StoreFault] = [.shortRows, .farRows, .fewerLists, .fewerFields, .fewerResults]
}

/// A reader on top of another that prefers sets. It counts questions, and answers about rows in reverse.
struct SetsReader<Base: StoreReader>: InterceptedReader {
  var base: Base
  let count: QuestionCount
  /// Objects that are gone by now, although others still refer to them.
  var gone: Set<ObjectID> = []
  /// A rule of the protocol that it breaks.
  var fault: StoreFault?

  init(_ base: Base, _ count: QuestionCount = QuestionCount(), fault: StoreFault? = nil) {
    (self.base, self.count, self.fault) = (base, count, fault)
  }

  var prefersSets = true

  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    count.finds += 1
    let found = try base.find(keys, of: entity)
    return fault == .fewerResults ? found.dropLast() : found
  }

  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    count.reads += 1
    count.rows += ids.count
    count.mostRows = max(count.mostRows, ids.count)
    let (gone, fault) = (gone, fault)
    try base.read(ids.reversed(), of: entity) { index, row in
      let index = ids.count - 1 - index
      if gone.contains(ids[index]) { return }
      switch fault {
      case .shortRows: try Row.lend(count: row.count - 1, decoding: { row[$0] }) { try body(index, $0) }
      case .farRows: try body(index + ids.count, row)
      default: try body(index, row)
      }
    }
  }

  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    count.targets += 1
    count.lists += owners.count * fields.count
    let found = try base.targets(of: owners, entity: entity, fields: fields)
    return switch fault {
    case .fewerLists: found.map { $0.dropLast() }
    case .fewerFields: found.dropLast()
    default: found
    }
  }

  mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    count.owners += 1
    let found = try base.owners(of: targets, entity: entity, field: field)
    return fault == .fewerOwners ? found.dropLast() : found
  }

  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    // LMDB begins with small pages; a store on another machine does not.
    var all = ObjectPage()
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      for (id, key) in zip(page.ids, page.keys) { all.append(id, key) }
      return true
    }
    var copy = self
    defer { self = copy }
    for start in stride(from: 0, to: max(1, all.count), by: pageSize) {
      count.pages += 1
      let end = min(start + pageSize, all.count)
      let page = ObjectPage(ids: Array(all.ids[start..<end]), keys: Array(all.keys[start..<end]))
      guard page.count > 0, try body(&copy, page) else { return }
    }
  }
}

extension Store {
  /// Lends a reader that prefers sets, and returns the number of questions.
  func readInSets<R>(
    _ schema: Schema, _ body: (inout SetsReader<Reader>) throws -> R
  ) throws -> (result: R, count: QuestionCount) {
    let count = QuestionCount()
    let result = try read(schema) { reader in
      var sets = SetsReader(reader, count)
      return try body(&sets)
    }
    return (result, count)
  }
}
