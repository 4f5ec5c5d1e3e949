import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Copies of a store in use, and stores made smaller.
@Suite struct BackupTests {
  let scratch = Scratch()
  private var copy: String { scratch.path + "/copy.db" }

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToMany("items", item)
  }

  private static func items(_ ids: Range<Int>, _ text: String) -> String {
    let items = ids.map { #"{"id": \#($0), "text": "\#(text) \#($0)", "items": [\#($0 / 2), \#($0 / 3)]}"# }
    return "[\(items.joined(separator: ","))]"
  }

  /// A store with free pages.
  private func makeStore(_ path: String? = nil) throws -> LMDBStore {
    let store = try LMDBStore(at: path ?? scratch.store)
    try store.take(Self.items(0..<TestSize.count(small: 1200, whole: 3000), "old"), as: Self.item)
    try store.delete(try Plan(Self.item).query(of: "Item").keys(KeyRange(from: 200)))
    try store.take(Self.items(0..<10, "new"), as: Self.item)
    return store
  }

  // MARK: Backup

  @Test(arguments: [false, true])
  func aBackupIsTheNewestCommit(compacting: Bool) throws {
    let store = try makeStore()
    try store.backup(to: copy, compacting: compacting)
    #expect(permissions(of: copy) == 0o700)
    #expect(permissions(of: copy + "/data.mdb") == 0o600)
    #expect(Set(try FileSystem.names(in: copy)) == ["data.mdb", SchemaFile.name])
    let sizes = (size(of: scratch.dataFile), size(of: copy + "/data.mdb"))
    #expect(compacting ? sizes.1 < sizes.0 / 2 : sizes.1 <= sizes.0)

    let other = try LMDBStore(at: copy)
    try other.expectSound()
    #expect(try (other.export(Self.item), other.commits) == (store.export(Self.item), store.commits))
    // It is a store like any other.
    try other.take(Self.items(0..<300, "newer"), as: Self.item)
    try other.expectSound()
    #expect(try other.commits == store.commits + 1)
    #expect(try store.count(Self.item) == 200)
    #expect(try other.count(Self.item) == 300)
  }

  @Test func aBackupOfAStoreInUseIsOneOfItsCommits() throws {
    let store = try LMDBStore(at: scratch.store)
    let isDone = Flag()
    let writer = Thread {
      var round = 0
      while !isDone.value {
        round += 1
        do { try store.take(Self.items(0..<50, "\(round)"), as: Self.item) } catch { Issue.record(error) }
      }
    }
    for number in 0..<6 {
      let path = scratch.path + "/\(number).db"
      try store.backup(to: path, compacting: number % 2 == 1)
      let copy = try LMDBStore(at: path)
      try copy.expectSound()
      let texts = Set(
        try copy.export(Self.item).map { $0.split(separator: #"text":""#)[1].split(separator: " ")[0] })
      #expect(texts.count <= 1)
    }
    isDone.raise()
    writer.join()
  }

  @Test func aBackupNeverOverwrites() throws {
    let store = try makeStore()
    mkdir(copy, 0o755)
    try store.backup(to: copy)
    let before = try Files.bytes(of: copy + "/data.mdb")
    #expect(thrown(LMDBError.self) { try store.backup(to: copy) }?.reason == .targetExists)
    #expect(thrown(LMDBError.self) { try store.backup(to: scratch.store) }?.reason == .targetExists)
    #expect(thrown(LMDBError.self) { try store.backup(to: copy + "/data.mdb") }?.reason == .targetExists)
    #expect(
      thrown(LMDBError.self) { try store.backup(to: scratch.path + "/none/copy.db") }?.reason
        == .parentNotFound)
    #expect(try Files.bytes(of: copy + "/data.mdb") == before)
    #expect(Set(try FileSystem.names(in: copy)) == ["data.mdb", SchemaFile.name])
  }

  /// As a killed process leaves it, of a repair even one within another. The next one is not kept from its place by it.
  @Test func leftoversOfAKilledBackupDoNotDisturb() throws {
    let store = try makeStore()
    mkdir(copy, 0o700)
    mkdir(copy + "/.creating-999999999-1", 0o700)
    mkdir(copy + "/.creating-999999999-1/.creating-999999999-2", 0o700)
    write([1, 2, 3], to: copy + "/.creating-999999999-1/data.mdb")
    write([1, 2, 3], to: copy + "/.creating-999999999-1/.creating-999999999-2/data.mdb")
    try store.backup(to: copy)
    #expect(Set(try FileSystem.names(in: copy)) == ["data.mdb", SchemaFile.name])
    try LMDBStore(at: copy).expectSound()
  }

  @Test func insideAWriteThereIsNoBackup() throws {
    let store = try makeStore()
    let plan = try Plan(Self.item)
    let error = thrown(LMDBError.self) {
      try store.write(plan.schema) { _ in
        try store.backup(to: copy)
        return .commit(())
      }
    }
    #expect(error?.reason == .reentrantWrite)
    #expect(size(of: copy) == -1)
    // A read is no hindrance.
    try store.read(plan.schema) { _ in try store.backup(to: copy) }
    #expect(try LMDBStore(at: copy).export(Self.item) == store.export(Self.item))
  }

  @Test(arguments: [false, true])
  func aDamagedStoreIsNotBackedUp(compacting: Bool) throws {
    try withExtendedLifetime(makeStore()) {}
    let bytes = try Files.bytes(of: scratch.dataFile)
    let text = Array("new 7".utf8)
    let place = try #require(bytes.indices.dropLast(8).last { Array(bytes[$0..<($0 + 5)]) == text })
    write([0x58], to: scratch.dataFile, at: place)
    let store = try LMDBStore(at: scratch.store)
    let error = thrown(LMDBError.self) { try store.backup(to: copy, compacting: compacting) }
    #expect(
      error?.reason == .damaged(place: "records, key 7 of entity 0", detail: "the checksum does not match"))
    #expect(size(of: copy) == -1)
  }

  // MARK: Compacting

  @Test func aCompactStoreHasNoFreePages() throws {
    var store: LMDBStore? = try makeStore()
    let lines = try store?.export(Self.item)
    let commits = try store?.commits
    let before = size(of: scratch.dataFile)
    store = nil
    let saved = try LMDBStore.compact(at: scratch.store)
    #expect(saved == before - size(of: scratch.dataFile))
    #expect(saved > before / 2)
    #expect(Set(try FileSystem.names(in: scratch.store)) == ["data.mdb", "lock.mdb", SchemaFile.name])
    #expect(permissions(of: scratch.dataFile) == 0o600)

    let compact = try LMDBStore(at: scratch.store)
    try compact.expectSound()
    #expect(try (compact.export(Self.item), compact.commits) == (lines, commits))
    #expect(try compact.file.freeBytes <= 3 * Int(getpagesize()))
    for round in 0..<5 { try compact.take(Self.items(0..<100, "\(round)"), as: Self.item) }
    try compact.expectSound()
  }

  @Test func aCompactStoreKeepsItsModeAndOwner() throws {
    try withExtendedLifetime(makeStore()) {}
    chmod(scratch.dataFile, 0o640)
    let group: gid_t = getuid() == 0 ? 1 : getgid()
    #expect(chown(scratch.dataFile, getuid(), group) == 0)
    #expect(try LMDBStore.compact(at: scratch.store) > 0)
    #expect(permissions(of: scratch.dataFile) == 0o640)
    #expect(try FileSystem.status(of: scratch.dataFile)?.st_gid == group)
  }

  /// The system takes all of a process's locks on a file when any of its descriptors is closed.
  @Test func whoOpensTheNewFileOfACompactionKeepsItsLocks() async throws {
    let path = scratch.store
    for _ in 0..<TestSize.rounds(small: 1, whole: 3) {
      try withExtendedLifetime(makeStore()) {}
      let old = try FileSystem.status(of: scratch.dataFile).map { FileID($0) }
      let opened = Shared<LMDBStore?>(nil)
      onThreads(2) { thread in
        do {
          if thread == 0 {
            try LMDBStore.compact(at: path)
          } else {
            while try FileSystem.status(of: path + "/data.mdb").map({ FileID($0) }) == old { usleep(20) }
            opened.set(try LMDBStore(at: path))
          }
        } catch { Issue.record(error) }
      }
      await #expect(processExitsWith: .success) { [path = path as String] in
        #expect(!StoreDirectory(path, LMDBStore.Configuration()).isOpenNowhere)
      }
      #expect(opened.value != nil)
      opened.set(nil)
    }
  }

  @Test func aCompactStoreIsLeftAlone() throws {
    try withExtendedLifetime(makeStore()) {}
    try LMDBStore.compact(at: scratch.store)
    let bytes = try Files.bytes(of: scratch.dataFile)
    #expect(try LMDBStore.compact(at: scratch.store) == 0)
    #expect(try Files.bytes(of: scratch.dataFile) == bytes)
  }

  @Test func aStoreInUseIsNotCompacted() async throws {
    let path = scratch.store
    let store = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    #expect(thrown(LMDBError.self) { try LMDBStore.compact(at: path) }?.reason == .inUse)
    await #expect(processExitsWith: .success) { [path = path as String] in
      #expect(reason { try LMDBStore.compact(at: path) } == .inUse)
    }
    #expect(try Files.bytes(of: scratch.dataFile) == bytes)
    #expect(Set(try FileSystem.names(in: path)) == ["data.mdb", "lock.mdb", SchemaFile.name])
    try store.expectSound()
  }

  @Test func whereNoStoreIsNothingIsCompacted() {
    #expect(thrown(LMDBError.self) { try LMDBStore.compact(at: copy) }?.reason == .notFound)
    #expect(size(of: copy) == -1)
  }

  /// A process that opens a store during a compaction waits, and finds the new file.
  @Test func openersWaitForACompaction() throws {
    try withExtendedLifetime(makeStore()) {}
    let path = scratch.store
    let isDone = Flag()
    onThreads(4) { thread in
      do {
        if thread == 0 {
          for _ in 0..<10 {
            do { try LMDBStore.compact(at: path) } catch let error as LMDBError where error.reason == .inUse {
            }
          }
          isDone.raise()
        } else {
          var round = 0
          while !isDone.value || round == 0 {
            round += 1
            try LMDBStore(at: path).take(Self.items(thread..<thread + 1, "\(round)"), as: Self.item)
          }
        }
      } catch { Issue.record(error) }
    }
    try LMDBStore(at: path).expectSound()
  }
}
