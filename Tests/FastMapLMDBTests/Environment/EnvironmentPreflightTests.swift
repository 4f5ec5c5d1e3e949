import CFastMap
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct EnvironmentPreflightTests {
  let scratch = Scratch()
  let page = Int(getpagesize())

  private func opening() -> LMDBError.Reason? {
    reason { _ = try Environment.open(at: scratch.store, .test) }
  }

  /// Where the newer meta page begins.
  private func newerMeta() throws -> Int {
    let bytes = try bytes(of: scratch.dataFile)
    let commits = bytes.withUnsafeBytes { bytes in
      [0, page].map { MetaPage(UnsafeRawBufferPointer(rebasing: bytes[$0...])).commit }
    }
    return commits[0] < commits[1] ? page : 0
  }

  struct Foreign: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let detail: String

    init(_ name: String, _ bytes: [UInt8], _ detail: String) {
      testDescription = name
      self.bytes = bytes
      self.detail = detail
    }
  }

  static let shortest = 2 * Int(getpagesize())

  @Test(arguments: [
    Foreign("nothing", [], "data.mdb is 0 bytes long, the shortest has \(shortest)"),
    Foreign("five bytes", Array("hello".utf8), "data.mdb is 5 bytes long, the shortest has \(shortest)"),
    Foreign("five zeros", [0, 0, 0, 0, 0], "data.mdb is 5 bytes long, the shortest has \(shortest)"),
    Foreign("text", [UInt8](repeating: 0x41, count: 100_000), "data.mdb is not LMDB's"),
    Foreign("zeros", [UInt8](repeating: 0, count: 100_000), "data.mdb is not LMDB's"),
  ])
  func aForeignFileIsNotAStore(_ file: Foreign) throws {
    mkdir(scratch.store, 0o700)
    write(file.bytes, to: scratch.dataFile)
    #expect(opening() == .notAStore(detail: file.detail))
    #expect(size(of: scratch.dataFile) == file.bytes.count)
    #expect(try FileSystem.names(in: scratch.store) == ["data.mdb"])
  }

  @Test func aDirectoryOrAPipeInPlaceOfTheFileIsNotAStore() {
    mkdir(scratch.store, 0o700)
    mkdir(scratch.dataFile, 0o700)
    #expect(opening() == .notAStore(detail: "data.mdb is not a file"))
    rmdir(scratch.dataFile)
    mkfifo(scratch.dataFile, 0o600)
    #expect(opening() == .notAStore(detail: "data.mdb is not a file"))
  }

  @Test func everyTruncationIsRefused() throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    let whole = size(of: scratch.dataFile)
    let lengths = TestSize.cases(Array(stride(from: whole - 1, through: 160, by: -1021)), small: 7)
    for length in lengths {
      truncate(scratch.dataFile, off_t(length))
      let expected = length < 2 * page ? 2 * page : whole
      #expect(opening() == .truncated(expected: expected, found: length), "\(length)")
    }
    for length in [151, 100, 24] {
      truncate(scratch.dataFile, off_t(length))
      #expect(opening() == .truncated(expected: 2 * page, found: length))
    }
  }

  /// LMDB never writes a page that one transaction takes and gives back. If it was the last one, the file is
  /// shorter than its header says. Of random writes like these, one in five leaves such a file.
  @Test func aFileThatEndsInFreePagesIsWhole() throws {
    var shortFiles = 0
    // If small, up to the first one.
    for seed in 1...8 where shortFiles < TestSize.count(small: 1, whole: .max) {
      try stirNewStore(Random(seed: UInt64(seed)), &shortFiles)
    }
    #expect(shortFiles > 0)
  }

  private func stirNewStore(_ seeded: Random, _ shortFiles: inout Int) throws {
    var random = seeded
    let scratch = Scratch()
    let environment = try Environment.open(at: scratch.store, .test)
    for _ in 0..<8 {
      try environment.write { try Self.stir(&random, $0, environment.things) }
      let used = try environment.statistics().usedSize
      let length = size(of: scratch.dataFile)
      guard used > length else { continue }
      shortFiles += 1

      // A copy, to truncate it, and because LMDB forbids to open the file itself.
      let copy = StoreDirectory(scratch.path, .test)
      write(try bytes(of: scratch.dataFile), to: copy.dataFile)
      #expect(try Preflight.inspect(copy).usedBytes == used)
      truncate(copy.dataFile, off_t(length / 2))
      #expect(reason { _ = try Preflight.inspect(copy) } == .truncated(expected: used, found: length / 2))
      unlink(copy.dataFile)
    }
  }

  private static func stir(
    _ random: inout Random, _ transaction: borrowing WriteTransaction, _ things: Database
  ) throws {
    let count = random.next(2000)
    for _ in 0..<count {
      let key = random.next(3000)
      try transaction.fill(things, key..<key + 1, length: random.next(12_000))
    }
    guard random.next(2) == 0 else { return }
    for _ in 0..<2 * count { try transaction.delete(things, random.next(3000)) }
  }

  private func bytes(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return try FileSystem.bytes(of: descriptor, at: 0, count: size(of: path), path: path)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let offset: Int
    let value: UInt32
    let isInNewerMeta: Bool
    let expected: @Sendable (LMDBError.Reason) -> Bool

    init(
      _ name: String, at offset: Int, _ value: UInt32, inNewerMeta: Bool = true,
      _ expected: @escaping @Sendable (LMDBError.Reason) -> Bool = {
        if case .damaged = $0 { true } else { false }
      }
    ) {
      testDescription = name
      self.offset = offset
      self.value = value
      isInNewerMeta = inNewerMeta
      self.expected = expected
    }
  }

  @Test(arguments: [
    Damage("magic of the first page", at: 16, 7, inNewerMeta: false),
    Damage("magic of the other byte order", at: 16, 0xDEC0_EFBE, inNewerMeta: false) {
      if case .foreignFile = $0 { true } else { false }
    },
    Damage("format", at: 20, 2, inNewerMeta: false) { if case .foreignFile = $0 { true } else { false } },
    Damage("magic of the newer page", at: 16, 7),
    Damage("page number", at: 0, 77),
    Damage("kind of page", at: 8, 0),
    Damage("page size 0", at: 40, 0),
    Damage("page size 100", at: 40, 100),
    Damage("page size 64 KiB", at: 40, 65_536),
    Damage("another page size", at: 40, 8192),
    Damage("flags of the free pages", at: 44, 0),
    Damage("flags of the main table", at: 92, 4) { if case .foreignFile = $0 { true } else { false } },
    Damage("depth of the main table", at: 94, 40),
    Damage("root of the main table", at: 128, 3_000_000),
    Damage("root in a meta page", at: 128, 1),
    Damage("another page as the root", at: 128, 5),
    Damage("high half of the last page", at: 140, 0x7FFF_FFFF),
    Damage("last page", at: 136, 3_000_000) { if case .truncated = $0 { true } else { false } },
    Damage("commit of the other page", at: 144, 1000),
  ])
  func aDamagedHeaderIsRefused(_ damage: Damage) throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    #expect(opening() == nil)
    let meta = damage.isInNewerMeta ? try newerMeta() : 0
    // The commit that the newer page would have next has the last bit of the other page.
    let value = damage.testDescription.hasPrefix("commit") ? damage.value + (meta == 0 ? 1 : 0) : damage.value
    write(value, to: scratch.dataFile, at: meta + damage.offset)
    let found = opening()
    #expect(found.map(damage.expected) == true, "\(String(describing: found))")
  }

  /// A table without a root is empty: LMDB would open the store as a new one, and write over its pages.
  @Test(arguments: [("free pages", 40), ("main table", 88)], [(1, 0), (0, 5), (1, 5)] as [(UInt16, UInt64)])
  func aTableWithEntriesAndNoRootIsRefused(
    _ table: (name: String, offset: Int), _ size: (levels: UInt16, entries: UInt64)
  ) throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    let start = try newerMeta() + table.offset
    write(size.levels, to: scratch.dataFile, at: start + 6)
    write(size.entries, to: scratch.dataFile, at: start + 32)
    write(TreeRecord.noRoot, to: scratch.dataFile, at: start + 40)
    #expect(opening() == .damaged(place: "data.mdb, \(table.name)", detail: "entries without a root"))
  }

  @Test func anOlderHeaderMayBeTorn() throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    let older = try newerMeta() == 0 ? page : 0
    // A power cut in the middle of a commit: the commit's number comes last.
    write([UInt8](repeating: 0xEE, count: 8), to: scratch.dataFile, at: older + 128)
    #expect(opening() == nil)
  }

  /// A process that has the store open counts from the commit before, and may write pages of the one after.
  @Test func aHeaderIsCompletedOnlyWhileTheStoreIsClosed() async throws {
    let environment = try Environment.open(at: scratch.store, .test)
    for number in 0..<2 { try environment.write { try $0.put(environment.things, number, "x") } }
    let newest = try environment.statistics().lastCommit
    let header = newest & 1 * page
    write(UInt64(newest - 2), to: scratch.dataFile, at: header + MetaPage.commitOffset)
    let before = try bytes(of: scratch.dataFile)
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      let findings = try Preflight.inspect(StoreDirectory(path, .test), mayWrite: true)
      #expect(findings.commit > 0)
    }
    #expect(try bytes(of: scratch.dataFile) == before)
    withExtendedLifetime(environment) {}
  }

  @Test func aRandomFlipInTheHeadersNeverCrashes() throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    let original = try bytes(of: scratch.dataFile)
    for meta in [0, page] {
      for offset in TestSize.cases(Array(0..<MetaPage.size), small: 8) {
        for bit in [UInt8(1), 0x80] {
          write([original[meta + offset] ^ bit], to: scratch.dataFile, at: meta + offset)
          _ = try? Preflight.inspect(StoreDirectory(scratch.store, .test))
          write([original[meta + offset]], to: scratch.dataFile, at: meta + offset)
        }
      }
    }
    #expect(opening() == nil)
  }

  @Test func theFindingsComeFromTheNewerHeader() throws {
    try scratch.makeStore { try $0.fill($1, 0..<500, length: 100) }
    let findings = try Preflight.inspect(StoreDirectory(scratch.store, .test))
    #expect((findings.usedBytes, findings.commit) == (size(of: scratch.dataFile), 2))
    #expect(findings.mapSize == 16 << 30)
  }

  @Test func theOneWhoCreatesAStoreRemovesTheWorkOfKilledCreators() throws {
    mkdir(scratch.store, 0o700)
    mkdir(scratch.store + "/.creating-999999999-1", 0o700)
    write([1, 2, 3], to: scratch.store + "/.creating-999999999-1/data.mdb")
    try scratch.makeStore()
    #expect(Set(try FileSystem.names(in: scratch.store)) == ["data.mdb", "lock.mdb"])
  }
}
