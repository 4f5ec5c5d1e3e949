import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

/// Questions that were sent ahead.
private final class Anticipations {
  var rows: [(ids: [ObjectID], entity: Int)] = []
  var targets: [(owners: [ObjectID], entity: Int, fields: [Int])] = []
  /// The questions asked after they were sent, the questions given up, and the rows asked for directly.
  var (answered, dropped, late) = (0, 0, 0)
}

/// A reader like one whose server answers ahead.
private struct Anticipating<Inner: StoreReader>: InterceptedReader, AnticipatingReader {
  var base: SetsReader<Inner>
  let ahead: Anticipations

  mutating func anticipate(rowsOf ids: [ObjectID], of entity: Int) { ahead.rows.append((ids, entity)) }

  mutating func anticipate(targetsOf owners: [ObjectID], entity: Int, fields: [Int]) {
    ahead.targets.append((owners, entity, fields))
  }

  mutating func consumeInput() {}

  mutating func dropAnticipated() {
    ahead.dropped += ahead.rows.count + ahead.targets.count
    ahead.rows.removeAll()
    ahead.targets.removeAll()
  }

  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    if let index = ahead.rows.firstIndex(where: { $0.entity == entity && $0.ids == ids }) {
      ahead.rows.remove(at: index)
      ahead.answered += 1
    } else {
      ahead.late += ids.count
    }
    try base.read(ids, of: entity, body)
  }

  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    let index = ahead.targets.firstIndex { $0.entity == entity && $0.owners == owners && $0.fields == fields }
    if let index {
      ahead.targets.remove(at: index)
      ahead.answered += 1
    }
    return try base.targets(of: owners, entity: entity, fields: fields)
  }
}

@Suite struct AnticipatingReaderTests {
  /// Owners with items of their own and shared ones, friends of their own entity, and a level below.
  private static let owner: Mapping<Record> = Mapping("Owner", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("items", item)
    ToOne("best", item)
    ToMany("friends", owner)
  }

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "code") {
    Attribute("code", .string)
    ToMany("parts", part)
  }

  private static let part: Mapping<Record> = Mapping("Part", primaryKey: "id") { Attribute("id", .integer) }

  private static let owners = TestSize.count(small: 700, whole: 5000)

  /// The tests only read them.
  private static let filled = Result { try store() }

  /// More owners than a page, without anything else.
  private static let thin = Result {
    let owners = (0..<5000).map { #"{"id":\#($0)}"# }
    let store = MemoryStore()
    _ = try Mapper(store).importJSON("[\(owners.joined(separator: ","))]", as: owner)
    return store
  }

  private static func store() throws -> MemoryStore {
    let owners = (0..<owners).map { owner in
      let items = (0..<owner % 4).map {
        let code = $0 == 0 ? "shared" : "\(owner)-\($0)"
        return #"{"code":"\#(code)","parts":[{"id":\#(owner % 50)}]}"#
      }
      return #"{"id":\#(owner),"name":"Owner \#(owner)","items":[\#(items.joined(separator: ","))],"#
        + #""best":{"code":"best \#(owner % 7)"},"friends":[{"id":\#((owner + 1) % Self.owners)}]}"#
    }
    let store = MemoryStore()
    _ = try Mapper(store).importJSON("[\(owners.joined(separator: ","))]", as: owner)
    return store
  }

  /// The text of an export, with and without answers ahead.
  private static func texts(
    _ store: MemoryStore, _ serializer: Serializer, ids: [ObjectID]?, limit: Int = .max
  ) throws -> (plain: [UInt8], ahead: [UInt8], Anticipations) {
    let ahead = Anticipations()
    var (plain, found) = ([UInt8](), [UInt8]())
    try store.read(serializer.plan.schema) { reader in
      var anticipating = Anticipating(base: SetsReader(reader), ahead: ahead)
      if let ids {
        _ = try serializer.export(ids, from: &reader) { plain += $0 }
        _ = try serializer.export(ids, from: &anticipating) { found += $0 }
      } else {
        _ = try serializer.exportTable(from: &reader, limit: limit) { plain += $0 }
        _ = try serializer.exportTable(from: &anticipating, limit: limit) { found += $0 }
      }
    }
    return (plain, found, ahead)
  }

  @Test(arguments: SerializerOptions.Cycles.allCases, [nil, 0, 1, 2])
  func anExportWithAnswersAheadHasTheSameText(_ cycles: SerializerOptions.Cycles, depth: Int?) throws {
    var options = SerializerOptions.with { $0.cycles = cycles }
    // A ring of friends is one object otherwise.
    options.depth = cycles == .entityAsKey ? depth : depth ?? 3
    let serializer = try Serializer(Self.owner, options: options)
    let store = try Self.filled.get()
    let limit = TestSize.count(small: 300, whole: 1500, long: .max)
    let (plain, found, ahead) = try Self.texts(store, serializer, ids: nil, limit: limit)
    #expect(found == plain)
    #expect(ahead.answered > TestSize.count(small: 1, whole: 4))
    #expect(ahead.rows.count + ahead.targets.count + ahead.dropped <= 2)
  }

  @Test func mostRowsAreAskedForAhead() throws {
    let (plain, found, ahead) = try Self.texts(Self.filled.get(), Serializer(Self.owner), ids: nil)
    #expect(found == plain)
    // The late rows, from more than 10 000, are the rows of the first group, and the rows two levels below each.
    #expect(ahead.late < TestSize.count(small: 1100, whole: 2000), "\(ahead.late)")
  }

  @Test(arguments: TestSize.cases([1, 100, 129, 640, 641, 4095, 4096, 4097, 5000], small: 5))
  func anExportMayEndAnywhere(_ limit: Int) throws {
    for store in [
      limit > 4000 ? try Self.thin.get() : nil, limit <= Self.owners ? try Self.filled.get() : nil,
    ] {
      guard let store else { continue }
      let (plain, found, _) = try Self.texts(store, Serializer(Self.owner), ids: nil, limit: limit)
      #expect(found == plain)
    }
  }

  @Test func selectedObjectsMayRepeatAndBeGone() throws {
    let store = try Self.filled.get()
    let serializer = try Serializer(Self.owner)
    let all = try store.read(serializer.plan.schema) { reader in
      var ids: [ObjectID] = []
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, _ in
        ids.append(id)
        return true
      }
      return Array(ids.prefix(TestSize.count(small: 300, whole: 1500, long: .max)))
    }
    let gone = ObjectID(rawValue: 1 << 60)
    let lists = [
      all + all, all.flatMap { [$0, $0] }, [gone] + all + [gone],
      all.enumerated().flatMap { $0 % 100 == 0 ? [gone, $1, all[0]] : [$1] }, all.reversed() + all,
      [gone, gone],
    ]
    for ids in lists {
      let (plain, found, _) = try Self.texts(store, serializer, ids: ids)
      #expect(found == plain)
    }
  }

  @Test(arguments: [1, 1000, 20_000, 200_000, 2_000_000])
  func littleMemoryGivesTheSameText(_ limit: Int) throws {
    let store = try Self.filled.get()
    let serializer = try Serializer(Self.owner)
    try store.read(serializer.plan.schema) { reader in
      var ids: [ObjectID] = []
      let keys = (0..<TestSize.count(small: 300, whole: 2000)).keyRange
      try reader.forEachObject(of: 0, keys: keys, isDescending: false) { _, id, _ in
        ids.append(id)
        return true
      }
      func text<R: StoreReader>(
        _ reader: inout R, _ body: (inout SerializerRun, inout R, inout JSONWriter) throws -> Void
      ) throws -> [UInt8] {
        var run = try serializer.borrowRun()
        var output = JSONWriter()
        output.beginArray()
        try body(&run, &reader, &output)
        output.endArray()
        return output.bytes
      }
      let plain = try text(&reader) { run, reader, output in
        for id in ids { _ = try run.write(id, &reader, &output) }
      }
      let ahead = Anticipations()
      var anticipating = Anticipating(base: SetsReader(reader), ahead: ahead)
      let found = try text(&anticipating) { run, reader, output in
        let gatherer = PrefetchingReader(reader, for: run, limit: limit)
        try reader.reading(ahead: &run, with: gatherer) { reader, run in
          try gatherer.forEach(of: ids) { id in try run.write(id, &reader, &output) }
        }
      }
      #expect(found == plain)
      if limit > 1_000_000 { #expect(ahead.answered > TestSize.count(small: 1, whole: 5)) }
    }
  }
}
