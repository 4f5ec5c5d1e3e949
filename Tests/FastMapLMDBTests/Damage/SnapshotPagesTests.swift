import CFastMap
import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// Snapshots read LMDB's pages themselves: as LMDB does, and without crashing on damage.
@Suite struct SnapshotPagesTests {
  let scratch = Scratch()

  // MARK: As LMDB

  enum Keys: String, CaseIterable {
    case none, one, counted, scattered, words, links, mixed
  }

  @Test(arguments: Keys.allCases, [true, false])
  func everyMoveIsLMDBs(_ keys: Keys, isStrict: Bool) throws {
    var random = Random(for: "SnapshotPagesTests")
    let environment = try Environment.open(
      at: scratch.store,
      .test {
        $0.tables = [Table.numbers.name, Table.records.name]
        $0.verifiedSize = isStrict ? 0 : .max
      })
    #expect(!environment.isVerified)
    let known = make(keys, &random)
    for place in 0..<2 {
      let table = try #require(Table(name: environment.configuration.tables[place]))
      try environment.write { writing in
        for key in known {
          let length = random.next(40) == 0 ? 9000 : random.next(120)
          let rest = [UInt8](repeating: UInt8(random.next(256)), count: length)
          try key.withUnsafeBytes { key in
            try rest.withUnsafeBytes { rest in
              let checksum = Checksum.make(table, key, rest)
              let value = withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + Array(rest)
              try value.withUnsafeBytes { try writing.put(environment.databases[place], key, $0) }
            }
          }
        }
      }
    }
    #expect(environment.isVerified == !isStrict)
    try environment.read { transaction in
      #expect(transaction.view.snapshot != nil)
      for database in environment.databases { try compare(transaction.view, database, known, &random) }
    }
  }

  private func make(_ keys: Keys, _ random: inout Random) -> [[UInt8]] {
    func few(_ count: Int) -> Int { TestSize.count(small: count / 8, whole: count) }
    func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    switch keys {
    case .none: return []
    case .one: return [bytes(7)]
    case .counted: return (0..<few(6000)).map { bytes(1 << 48 | UInt64($0)) }
    case .scattered:
      return (0..<few(4000)).map { _ in [0, 1, 1] + bytes(UInt64(random.next(.max)) &* 0x9E37) }
    case .words:
      return (0..<few(3000)).map { _ in
        [0, 1, 2] + (0..<random.next(40)).map { _ in UInt8(97 + random.next(3)) }
      }
    case .links:
      return (0..<few(3000)).map { _ in
        bytes(UInt64(random.next(50))) + [0, 1] + bytes(UInt64(random.next(100)))
      }
    case .mixed:
      return (0..<few(3000)).map { _ in (0..<(7 + random.next(11))).map { _ in UInt8(random.next(3)) } }
    }
  }

  private func compare(
    _ own: TransactionView, _ database: Database, _ known: [[UInt8]], _ random: inout Random
  ) throws {
    let lmdb = TransactionView(handle: own.handle, environment: own.environment, snapshot: nil)
    let ownCursor = try own.unsafeCursor(database)
    let lmdbCursor = try lmdb.unsafeCursor(database)
    func same(_ a: Cursor.Entry?, _ b: Cursor.Entry?, _ what: String) -> Bool {
      let isSame =
        (a == nil) == (b == nil)
        && (a.map { $0.key.elementsEqual(b!.key) && $0.value.elementsEqual(b!.value) } ?? true)
      if !isSame {
        Issue.record("\(what): \(a.map { Array($0.key) } ?? []), not \(b.map { Array($0.key) } ?? [])")
      }
      return isSame
    }

    var (mine, its) = (try ownCursor.first(), try lmdbCursor.first())
    while same(mine, its, "next"), mine != nil {
      (mine, its) = (try ownCursor.next(), try lmdbCursor.next())
    }
    (mine, its) = (try ownCursor.last(), try lmdbCursor.last())
    while same(mine, its, "previous"), mine != nil {
      (mine, its) = (try ownCursor.previous(), try lmdbCursor.previous())
    }

    for _ in 0..<TestSize.rounds(small: 200, whole: 2000) {
      var key = known.isEmpty || random.next(8) == 0 ? [1, 2, 3] : known[random.next(known.count)]
      if random.next(3) == 0 { key[random.next(key.count)] &+= UInt8(1 + random.next(255)) }
      if random.next(9) == 0 { key.append(UInt8(random.next(256))) }
      if random.next(9) == 0, key.count > 1 { key.removeLast() }
      try key.withUnsafeBytes { key in
        let (a, b) = (try own.get(database, key), try lmdb.get(database, key))
        #expect((a == nil) == (b == nil) && a?.elementsEqual(b!) ?? true, "get \(Array(key))")
        if random.next(3) == 0 {
          _ = same(try ownCursor.seek(key), try lmdbCursor.seek(key), "seek \(Array(key))")
          return
        }
        var (mine, its) = (try ownCursor.seek(atLeast: key), try lmdbCursor.seek(atLeast: key))
        for _ in 0..<3 where same(mine, its, "from \(Array(key))") && mine != nil {
          let isBack = random.next(2) == 0
          mine = try isBack ? ownCursor.previous() : ownCursor.next()
          its = try isBack ? lmdbCursor.previous() : lmdbCursor.next()
        }
      }
    }
  }

  // MARK: Damage

  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("friends", person)
  }

  private struct Reads: Equatable {
    var lines: [String] = []
    var found: [ObjectID?] = []
    var backwards: [ObjectID] = []
    var count = 0
  }

  private func reads(_ store: LMDBStore, _ plan: Plan) throws -> Reads {
    var reads = Reads()
    reads.lines = try store.export(plan)
    try store.read(plan.schema) { reader in
      for key in 0..<340 { reads.found.append(try reader.find(.integer(Int64(key)), of: 0)) }
      try reader.forEachObject(of: 0, keys: nil, isDescending: true) { _, id, _ in
        reads.backwards.append(id)
        return true
      }
      reads.count = try reader.count(of: 0, keys: KeyRange(from: 10, to: 250))
    }
    return reads
  }

  /// A read of an unverified store throws an error or returns the right data. A crash ends all tests.
  @Test(.timeLimit(.minutes(5))) func aChangedByteIsAnErrorOrDoesNoHarm() throws {
    let plan = try Plan(Self.person)
    let store = try LMDBStore(at: scratch.store)
    for half in 0..<2 {
      let people = (0..<300).filter { $0 % 2 == half }.map {
        #"{"id": \#($0), "name": "person \#($0)", "friends": [{"id": \#(($0 + 2) % 300)}, {"id": \#($0 / 2)}]}"#
      }
      _ = try Mapper(store).importJSON(Array("[\(people.joined(separator: ","))]".utf8), as: plan)
    }
    let right = try reads(store, plan)
    #expect(right.lines.count == 300 && right.count == 241)
    withExtendedLifetime(consume store) {}

    let bytes = try Files.bytes(of: scratch.dataFile)
    let page = 4096
    var random = Random(for: "SnapshotPagesTests")
    var tally = ["refused": 0, "error": 0, "harmless": 0]
    let count = TestSize.rounds(small: 20, whole: 200)
    for _ in 0..<count {
      // Half of them in the header and the slots of a page.
      let inPage = random.next(2) == 0 ? random.next(64) : random.next(page)
      let offset = (2 + random.next(bytes.count / page - 2)) * page + inPage
      let changed = random.next(2) == 0 ? bytes[offset] ^ (1 << random.next(8)) : UInt8(random.next(256))
      write([changed], to: scratch.dataFile, at: offset)
      if let store = try? LMDBStore(at: scratch.store) {
        do {
          let found = try reads(store, plan)
          #expect(found == right, "page \(offset / page), byte \(inPage): \(bytes[offset]) → \(changed)")
          tally["harmless", default: 0] += 1
        } catch is LMDBError { tally["error", default: 0] += 1 }
      } else {
        tally["refused", default: 0] += 1
      }
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    print("SnapshotPagesTests: \(tally)")
    #expect(tally["error", default: 0] > count / 20 - 2)
  }

  /// A key in a branch that is a little too low, or too high, leads keys beside it to the wrong page, where all is in order.
  @Test func aBranchThatLeadsAstrayHidesNothing() throws {
    let plan = try Plan(Self.person)
    let store = try LMDBStore(at: scratch.store)
    let people = (0..<3000).map { #"{"id": \#(2 * $0)}"# }
    _ = try Mapper(store).importJSON(Array("[\(people.joined(separator: ","))]".utf8), as: plan)
    let records = try store.environment.read { try #require($0.view.snapshot).pointee.trees.1 }
    #expect(records.levels == 2)
    withExtendedLifetime(consume store) {}

    let bytes = try Files.bytes(of: scratch.dataFile)
    let root = Int(records.root) * 4096
    let nodes = (Int(bytes[root + 12]) | Int(bytes[root + 13]) << 8) / 2 - 8
    var faults = 0
    for node in 1..<nodes {
      let offset = Int(bytes[root + 16 + 2 * node]) | Int(bytes[root + 17 + 2 * node]) << 8
      // The last two bytes of the key: entity 2 | kind 1 | number 8.
      let place = root + offset + 8 + 9
      let separator = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      for change in [-60, -2, 2, 60] {
        write(UInt16(separator + change).bigEndian, to: scratch.dataFile, at: place)
        let store = try LMDBStore(at: scratch.store)
        for number in stride(from: separator - 70, through: separator + 70, by: 2)
        where (0..<6000).contains(number) {
          let key = PrimaryKey.integer(Int64(number))
          do {
            try store.read(plan.schema) { reader in
              #expect(try reader.find(key, of: 0) != nil, "\(number), separator \(separator) \(change)")
              var count = 0
              try reader.forEachObject(of: 0, keys: KeyRange(from: key, to: key), isDescending: false) {
                _, _, _ in
                count += 1
                return true
              }
              #expect(count == 1, "a range of \(number), separator \(separator) \(change)")
            }
          } catch is LMDBError { faults += 1 }
        }
      }
      write(UInt16(separator).bigEndian, to: scratch.dataFile, at: place)
    }
    #expect(faults > 500)
  }

  /// In a tree of three levels, as long keys make soon.
  @Test func manyKeysAreFoundAsOneByOne() throws {
    let mapping = Mapping("Word", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("count", .integer)
    }
    let plan = try Plan(mapping)
    let store = try LMDBStore(at: scratch.store)
    let prefix = String(repeating: "k", count: 480)
    let size = TestSize.count(small: 100, whole: 400)
    func key(_ number: Int) -> PrimaryKey { .string("\(prefix)\(1000 + number)") }
    let words = (0..<size).map { #"{"id": "\#(prefix)\#(1000 + 2 * $0)", "count": \#($0)}"# }
    _ = try Mapper(store).importJSON(Array("[\(words.joined(separator: ","))]".utf8), as: plan)
    #expect(try store.environment.read { try #require($0.view.snapshot).pointee.trees.1.levels } > 2)
    let tooLong = PrimaryKey.string(String(repeating: "k", count: 509))
    let keys = (0..<2 * size).map(key) + [.integer(3), tooLong, .string("")]
    func counts(_ store: LMDBStore, _ keys: [PrimaryKey]) throws -> [Value?] {
      try store.read(plan.schema) { reader in
        try reader.find(keys, of: 0).map { id in
          try id.flatMap { try reader.withRow($0, of: 0) { $0[1].value } ?? nil }
        }
      }
    }
    let right = try counts(store, keys)
    let expected = (0..<2 * size + 3).map { (number: Int) -> Value? in
      number < 2 * size && number % 2 == 0 ? .integer(Int64(number / 2)) : nil
    }
    #expect(right == expected)
    #expect(try keys.map { try counts(store, [$0])[0] } == right)
    #expect(try counts(store, keys.reversed()) == right.reversed())
    withExtendedLifetime(consume store) {}

    let bytes = try Files.bytes(of: scratch.dataFile)
    var random = Random(for: "SnapshotPagesTests")
    var faults = 0
    let count = TestSize.rounds(small: 12, whole: 60)
    for _ in 0..<count {
      // Most of them in the header and the slots of a page.
      let inPage = random.next(4) == 0 ? random.next(4096) : random.next(48)
      let offset = (2 + random.next(bytes.count / 4096 - 2)) * 4096 + inPage
      let changed = UInt8(random.next(256))
      write([changed], to: scratch.dataFile, at: offset)
      do {
        let found = try counts(try LMDBStore(at: scratch.store), keys)
        #expect(found == right, "page \(offset / 4096), byte \(inPage): \(bytes[offset]) → \(changed)")
      } catch is LMDBError { faults += 1 }
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    #expect(faults > count / 20 - 1)
  }

  /// A number in a branch, or of a table's root, that leads to a page as it was some commits ago: of the same table, for the
  /// same keys, with the right checksums.
  @Test func aFreePageIsNotReadAgain() throws {
    let plan = try Plan(Self.person)
    let store = try LMDBStore(at: scratch.store)
    for turn in 0..<6 {
      let people = (0..<200).filter { turn == 0 || $0 % 7 == turn }.map {
        #"{"id": \#($0), "name": "\#(turn) \#(String(repeating: "n", count: $0 == 100 ? 9000 + turn : 60))", "friends": [{"id": \#(($0 + turn) % 200)}]}"#
      }
      _ = try Mapper(store).importJSON(Array("[\(people.joined(separator: ","))]".utf8), as: plan)
    }
    let right = try reads(store, plan)
    let (trees, free) = try store.environment.read { transaction in
      let trees = try #require(transaction.view.snapshot).pointee.trees
      let free = try #require(try store.environment.freePages(transaction.view.handle))
      return ([trees.0, trees.1, trees.2, trees.3, trees.4, trees.5, trees.6, trees.7], free)
    }
    withExtendedLifetime(consume store) {}

    let bytes = try Files.bytes(of: scratch.dataFile)
    func number(_ place: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    let old = (2..<bytes.count / 4096).filter {
      free.bits[$0 / 64] >> UInt64($0 % 64) & 1 == 1 && number($0 * 4096, 8) == $0
    }
    var (faults, harmless) = (0, 0)
    for root in trees where root.levels == 2 {
      let page = Int(root.root) * 4096
      for node in 0..<number(page + 12, 2) / 2 - 8 {
        let place = page + number(page + 16 + 2 * node, 2)
        let child = number(place, 6)
        for other in TestSize.cases(old, small: 8)
        where number(other * 4096 + 10, 2) == number(child * 4096 + 10, 2) {
          write(UInt32(other), to: scratch.dataFile, at: place)
          do {
            #expect(try reads(try LMDBStore(at: scratch.store), plan) == right, "page \(child) → \(other)")
            harmless += 1
          } catch is LMDBError { faults += 1 }
        }
        write(UInt32(child), to: scratch.dataFile, at: place)
      }
    }
    print("SnapshotPagesTests: \(old.count) old pages, \(faults) faults, \(harmless) harmless")
    #expect(faults > TestSize.count(small: 10, whole: 100))
  }

  @Test func checkNamesAllThatIsDamaged() throws {
    let plan = try Plan(Self.person)
    let store = try LMDBStore(at: scratch.store)
    let people = (0..<10).map { #"{"id": \#($0), "name": "number \#($0)"}"# }
    _ = try Mapper(store).importJSON(Array("[\(people.joined(separator: ","))]".utf8), as: plan)
    withExtendedLifetime(consume store) {}
    let bytes = try Files.bytes(of: scratch.dataFile)
    for number in [3, 7] {
      let text = Array("number \(number)".utf8)
      let place = try #require(bytes.indices.last { bytes[$0...].starts(with: text) })
      write([0x58], to: scratch.dataFile, at: place)
    }
    let report = try LMDBStore(at: scratch.store).check()
    let places = Set(report.problems.map(\.place))
    #expect(places.isSuperset(of: ["records, key 3 of entity 0", "records, key 7 of entity 0"]))
    #expect(report.keyCount == 10)
  }

  @Test func damagedTablesAndPagesAreNamed() throws {
    let plan = try Plan(Self.person)
    let store = try LMDBStore(at: scratch.store)
    _ = try Mapper(store).importJSON(Array(#"[{"id": 1}, {"id": 2}]"#.utf8), as: plan)
    let root = try store.environment.read { transaction in
      try #require(transaction.view.snapshot).pointee.trees.1.root  // the records
    }
    withExtendedLifetime(consume store) {}
    // One entry fewer, as far as the page's header goes.
    let lower = Int(root) * 4096 + 12
    write(UInt16(18), to: scratch.dataFile, at: lower)
    let damaged = try LMDBStore(at: scratch.store)
    #expect(
      thrown(LMDBError.self) { _ = try damaged.read(plan.schema) { try $0.find(2, of: 0) } }?.reason
        == .damaged(place: "data.mdb, page \(root)", detail: "the entries do not fill the page"))
    #expect(try damaged.read(plan.schema) { try $0.find(1, of: 0) } != nil)
  }
}
