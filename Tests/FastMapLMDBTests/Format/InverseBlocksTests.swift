import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// Blocks of references against a model: a set.
@Suite struct InverseBlocksTests {
  let scratch = Scratch()

  private func blocks(_ store: LMDBStore) throws -> [[InverseEntry]] {
    try store.environment.read { transaction in
      var blocks: [[InverseEntry]] = []
      let cursor = try transaction.view.unsafeCursor(store.tables.inverse)
      var found = try cursor.first()
      while let entry = found {
        let rest = try Checksum.open(.inverse, entry.key, entry.value, in: transaction.view)
        let block = try #require(InverseBlock(entry.key, rest))
        blocks.append((0..<block.count).map { block[$0] })
        found = try cursor.next()
      }
      return blocks
    }
  }

  private func write(
    _ store: LMDBStore, limit: Int = InverseBlock.limit, added: [InverseEntry] = [],
    removed: [InverseEntry] = []
  ) throws {
    try store.environment.write { transaction in
      var inverse = try InverseBlocks(transaction.view, store.tables, limit: limit)
      for entry in removed { inverse.remove(entry) }
      for entry in added { inverse.add(entry) }
      try inverse.write()
    }
  }

  private func expectShape(
    _ blocks: [[InverseEntry]], limit: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(blocks.allSatisfy { (1...limit).contains($0.count) }, sourceLocation: location)
    let entries = blocks.joined()
    #expect(zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }, sourceLocation: location)
    let least = (limit + 3) / 4
    for (block, next) in zip(blocks, blocks.dropFirst()) {
      #expect(max(block.count, next.count) >= least, sourceLocation: location)
    }
  }

  private static func entry(_ random: inout Random, _ size: Int) -> InverseEntry {
    InverseEntry(
      target: ObjectID(rawValue: UInt64(1 + random.next(size))), field: UInt16(random.next(3)),
      owner: ObjectID(rawValue: UInt64(1 + random.next(20))))
  }

  @Test(arguments: [1, 2, 3, 4, 8, 16, 111])
  func anyChangesMatchASet(_ limit: Int) throws {
    let store = try LMDBStore(at: scratch.store)
    var random = Random(for: "InverseBlocksTests")
    var model: Set<InverseEntry> = []
    for round in 0..<TestSize.rounds(small: 12, whole: 120) {
      let size = [3, 40, 1000][random.next(3)]
      var added: [InverseEntry] = []
      var removed: [InverseEntry] = []
      let count = random.next([3, 3 * limit + 2, 400][random.next(3)])
      switch random.next(6) {
      case 0: added = (0..<count).map { _ in Self.entry(&random, size) }
      case 1: removed = (0..<count).map { _ in Self.entry(&random, size) }
      case 2:  // behind all others, and with repeats
        let last = model.max()?.target.rawValue ?? 0
        added = (0..<count).map {
          InverseEntry(
            target: ObjectID(rawValue: last + 1 + UInt64($0 / 2)), field: 0, owner: .init(rawValue: 1))
        }
      case 3:  // a range
        let sorted = model.sorted()
        let start = random.next(sorted.count + 1)
        removed = Array(sorted[start..<min(start + count, sorted.count)])
      case 4:  // most
        removed = model.sorted().filter { _ in random.next(8) > 0 }
      default:
        added = (0..<count).map { _ in Self.entry(&random, size) }
        removed = model.sorted().filter { _ in random.next(3) == 0 } + added.prefix(2)
      }
      try write(store, limit: limit, added: added, removed: removed)
      model.subtract(removed)
      model.formUnion(added)
      let found = try blocks(store)
      #expect(found.joined().elementsEqual(model.sorted()), "round \(round)")
      expectShape(found, limit: limit)

      try store.environment.read { transaction in
        let cursor = try InverseCursor(transaction.view, store.tables)
        for _ in 0..<20 {
          let entry = Self.entry(&random, size)
          #expect(try cursor.contains(entry) == model.contains(entry))
          var references: [InverseEntry] = []
          try cursor.forEach(to: entry.target) { references.append($0) }
          #expect(references == model.filter { $0.target == entry.target }.sorted())
          var next: InverseEntry?
          try cursor.forEach(from: entry) {
            next = $0; return false
          }
          #expect(next == model.filter { $0 >= entry }.min())
        }
      }
    }
  }

  private static func entries(_ targets: some Sequence<Int>, owner: Int = 1) -> [InverseEntry] {
    targets.map {
      InverseEntry(target: .init(rawValue: UInt64($0)), field: 0, owner: .init(rawValue: UInt64(owner)))
    }
  }

  /// Room for later entries costs an eighth.
  @Test(arguments: [1, 7, 1000])
  func entriesInOrderFillBlocksToSevenEighths(_ atOnce: Int) throws {
    let store = try LMDBStore(at: scratch.store)
    let other = 1 << ObjectNumber.serialBits
    let count = TestSize.count(small: 500, whole: 2000)
    try write(store, added: Self.entries(other..<(other + 150)))
    for start in stride(from: 1, to: count + 1, by: atOnce) {
      try write(store, added: Self.entries(start..<min(start + atOnce, count + 1)))
    }
    for start in stride(from: other + 150, to: other + 150 + count, by: atOnce) {
      try write(store, added: Self.entries(start..<min(start + atOnce, other + 150 + count)))
    }
    let found = try blocks(store)
    expectShape(found, limit: InverseBlock.limit)
    #expect(found.joined().count == 2 * count + 150)
    // In small steps, an eighth less where other blocks follow.
    #expect(found.count <= count / (atOnce > 100 ? 96 : 83) + (count + 150) / 96 + 4)
  }

  @Test func aFullBlockIsSplitInTheMiddle() throws {
    let store = try LMDBStore(at: scratch.store)
    let all = Self.entries(stride(from: 2, through: 222, by: 2))
    try write(store, added: all)
    try #expect(blocks(store).map(\.count) == [111])
    try write(store, added: Self.entries([33]))
    try #expect(blocks(store).map(\.count) == [56, 56])
  }

  @Test func aSmallBlockJoinsANeighbour() throws {
    let store = try LMDBStore(at: scratch.store)
    try write(store, added: Self.entries(1...291))
    try #expect(blocks(store).map(\.count) == [97, 97, 97])
    try write(store, removed: Self.entries(98...167))
    try #expect(blocks(store).map(\.count) == [97, 27, 97])  // it fits in neither
    try write(store, removed: Self.entries([195, 196] + (199...218)))
    try #expect(blocks(store).map(\.count) == [97, 27, 75])
    try write(store, removed: Self.entries([170]))
    try #expect(blocks(store).map(\.count) == [97, 101])
    try write(store, removed: Self.entries(1...80))
    try #expect(blocks(store).map(\.count) == [17, 101])
    try write(store, removed: Self.entries(220...291))
    try #expect(blocks(store).map(\.count) == [17, 29])
    try write(store, removed: Self.entries(219...291))
    try #expect(blocks(store).map(\.count) == [17, 28])
    try write(store, removed: Self.entries([198]))
    try #expect(blocks(store).map(\.count) == [44])
    try write(store, removed: Self.entries(1...291))
    try #expect(blocks(store).isEmpty)
  }

  // MARK: In a store

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("first", item)
    ToMany("items", item, policy: .assign)
    ToMany("merged", item, policy: .merge)
  }

  /// Items with four references each. All refer to the first one.
  private func makeStore(_ count: Int = 400) throws -> LMDBStore {
    let store = try LMDBStore(at: scratch.store)
    let items = (0..<count).map { id in
      #"{"id": \#(id), "first": {"id": 0}, "items": [\#(id / 2), \#(id / 3), \#(id / 2)], "merged": [\#(id)]}"#
    }
    try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    return store
  }

  @Test func anObjectWithReferrersInManyBlocksIsDeleted() throws {
    let store = try makeStore()
    try store.expectSound()
    let plan = try Plan(Self.item)
    let first = try #require(try store.id(0, Self.item))
    try store.write(plan.schema) { writer in
      var found: [Reference] = []
      while true {
        let some = try writer.references(to: [first], of: 0, after: found.last, limit: 7)[0]
        if some.isEmpty { break }
        found += some
      }
      #expect(found.count == 400 + 3 + 1)  // three have it in "items", and it has itself in "merged"
      #expect(Set(found).count == found.count)
      let rest = try (1..<100).compactMap { try writer.reader.find(.integer(2 * $0), of: 0) }
      return .commit(_ = try writer.delete([first] + rest, of: 0))
    }
    try store.expectSound()
    #expect(try store.count(Self.item) == 300)
    try store.write(plan.schema) { writer in
      let all = try (0..<400).compactMap { try writer.reader.find(.integer($0), of: 0) }
      return .commit(_ = try writer.delete(all, of: 0))
    }
    try store.expectSound()
    try #expect(blocks(store).isEmpty)
  }

  // MARK: Damage

  /// False contents of a block whose checksum is right.
  enum Lie: CaseIterable {
    case isOutOfOrder, repeatsAnEntry, overlaps, isTooLong, lacksAnEntry, hasAnotherEntry, hasAnotherKey
    case hasAnotherLength, isEmpty, hasALongKey

    var detail: String {
      switch self {
      case .isOutOfOrder, .repeatsAnEntry: "entry 4 is not greater than the one before it"
      case .overlaps: "the block before it overlaps it"
      case .isTooLong: "entries, a block has at most 111"
      case .lacksAnEntry: #""first" has no inverse for object 1"#
      case .hasAnotherEntry: "has no relationship"
      case .hasAnotherKey, .hasAnotherLength, .isEmpty, .hasALongKey:
        "not a block of references that begins with its key"
      }
    }
  }

  private func tell(_ lie: Lie, _ store: LMDBStore) throws {
    let found = try blocks(store)
    var (block, next) = (found[1].map(bytes), found[2].map(bytes))
    var key = block[0]
    var other: (key: [UInt8], value: [UInt8]?)?
    switch lie {
    case .isOutOfOrder: block.swapAt(2, 3)
    case .repeatsAnEntry: block.insert(block[2], at: 3)
    case .overlaps: other = (block[5], block[5])
    case .isTooLong:
      block += next
      other = (next[0], nil)
    case .lacksAnEntry: block.remove(at: 3)
    case .hasAnotherEntry:
      next = [bytes(.init(target: found[1][0].target, field: 9, owner: found[1][0].owner))]
      block =
        found[1].map(bytes).filter { $0.lexicographicallyPrecedes(next[0]) } + next
        + found[1].map(bytes).filter { next[0].lexicographicallyPrecedes($0) }
    case .hasAnotherKey:
      other = (key, nil)
      key[17] += 1
    case .hasAnotherLength: block[3].removeLast()
    case .isEmpty: block = []
    case .hasALongKey: other = (key + [0], block.flatMap { $0 })
    }
    if let other { try put(other.value, under: other.key, store) }
    try put(block.flatMap { $0 }, under: key, store)
  }

  /// Writes a value with its checksum; nil to remove the entry.
  private func put(_ rest: [UInt8]?, under key: [UInt8], _ store: LMDBStore) throws {
    try store.environment.write { transaction in
      try key.withUnsafeBytes { key in
        guard let rest else { return _ = try transaction.delete(store.tables.inverse, key) }
        let checksum = rest.withUnsafeBytes { Checksum.make(.inverse, key, $0) }
        let value = withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + rest
        try value.withUnsafeBytes { try transaction.put(store.tables.inverse, key, $0) }
      }
    }
  }

  private func bytes(_ entry: InverseEntry) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: InverseEntry.size) { memory, count in
      if let start = memory.baseAddress { entry.write(to: UnsafeMutableRawPointer(start)) }
      count = InverseEntry.size
    }
  }

  @Test(arguments: Lie.allCases) func checkFindsALieAndRepairMendsIt(_ lie: Lie) throws {
    let lines: [String]
    do {
      let store = try makeStore(TestSize.count(small: 150, whole: 400))
      lines = try store.export(Self.item)
      try tell(lie, store)
      let details = try store.check().problems.map(\.detail)
      #expect(details.contains { $0.hasSuffix(lie.detail) }, "\(details.prefix(3))")
    }
    let repaired = scratch.path + "/repaired.db"
    _ = try LMDBStore.repair(from: scratch.store, to: repaired)
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    #expect(try store.export(Self.item) == lines)
  }

  /// Its references are in the records and in the lists, too.
  @Test func aLostBlockIsRebuilt() throws {
    let (lines, block) = try withExtendedLifetime(makeStore()) { store in
      (try store.export(Self.item), try #require(blocks(store).last).flatMap(bytes))
    }
    let file = try Files.bytes(of: scratch.dataFile)
    let place = try #require(file.indices.dropLast(block.count).last { file[$0...].starts(with: block) })
    FastMapLMDBTests.write([file[place + 40] ^ 4], to: scratch.dataFile, at: place + 40)
    let detail = "the checksum does not match"
    do {
      let store = try scratch.openLarge()
      let report = try store.check()
      #expect(report.problems.map(\.detail) == [detail])
      #expect(report.problems.first?.place.hasPrefix("inverse, the block from object ") == true)
      let error = thrown(LMDBError.self) {
        try store.take(#"{"id": 399, "merged": \#(Array(0..<400))}"#, as: Self.item)
      }
      if case .damaged? = error?.reason {} else { Issue.record("it was not met") }
    }
    let repaired = scratch.path + "/repaired.db"
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(report.problems.map(\.detail) == [detail])
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    #expect(try store.export(Self.item) == lines)
  }
}
