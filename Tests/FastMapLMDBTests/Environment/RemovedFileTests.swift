import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Files that are removed or replaced while a store is open: later commits into them would be lost.
@Suite struct RemovedFileTests {
  let scratch = Scratch()

  enum Deed: CaseIterable, Sendable {
    case removesData, replacesData, movesData, removesLock, replacesLock, replacesDirectory

    /// The file that the error names.
    var file: String { self == .removesLock || self == .replacesLock ? "lock.mdb" : "data.mdb" }

    func run(_ scratch: Scratch) throws {
      let data = scratch.dataFile
      let lock = scratch.store + "/lock.mdb"
      switch self {
      case .removesData: unlink(data)
      case .replacesData:
        write(try Files.bytes(of: data), to: data + "-copy")
        rename(data + "-copy", data)
      case .movesData:
        // The file has a name still, but not that one.
        rename(data, data + "-old")
        write(try Files.bytes(of: data + "-old"), to: data)
      case .removesLock: unlink(lock)
      case .replacesLock:
        unlink(lock)
        write([], to: lock)
      case .replacesDirectory:
        for file in [data, lock] { unlink(file) }
        rmdir(scratch.store)
        mkdir(scratch.store, 0o700)
      }
    }
  }

  @Test(arguments: Deed.allCases)
  func aCommitIntoAFileThatIsNoLongerTheDirectorysIsRefused(_ deed: Deed) throws {
    let environment = try Environment.open(at: scratch.store, .test)
    try environment.write { try $0.put(environment.things, 1, "one") }
    try deed.run(scratch)
    let removed = LMDBError.Reason.removed(file: deed.file)
    for isSharing in [false, true] {
      let found = reason {
        try environment.write(isSharing: isSharing) { try $0.put(environment.things, 1, "two") }
      }
      #expect(found == removed)
    }
    // Open snapshots may be read, and no write has left a trace.
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
    // A write without changes is no commit.
    #expect(reason { try environment.write { _ in } } == nil)
  }

  /// The file may be removed in the midst of a write, too.
  @Test func aFileThatIsRemovedInAWriteTakesNoCommit() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    let found = reason {
      try environment.write {
        try $0.put(environment.things, 1, "one")
        unlink(scratch.dataFile)
      }
    }
    #expect(found == .removed(file: "data.mdb"))
    #expect(try environment.read { try $0.text(environment.things, 1) } == nil)
  }

  /// The directory is known by itself, not by its name.
  @Test func aDirectoryMayMoveWhileItIsOpen() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    rename(scratch.store, scratch.path + "/moved")
    try environment.write { try $0.put(environment.things, 1, "one") }
    withExtendedLifetime(environment) {}
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
  }

  /// A second environment on the same lock file would take the first one's locks along when either is closed.
  @Test func aNewDataFileBesideAnOpenLockFileIsRefused() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    unlink(scratch.dataFile)
    #expect(reason { _ = try Environment.open(at: scratch.store, .test) } == .inUse)
    #expect(reason { _ = try Environment.open(at: scratch.store, .test) } == .inUse)
    withExtendedLifetime(consume environment) {}
    let next = try Environment.open(at: scratch.store, .test)
    try next.write { try $0.put(next.things, 1, "new") }
    #expect(try next.read { try $0.text(next.things, 1) } == "new")
  }

  @Test func theErrorHasAdvice() throws {
    let store = try LMDBStore(at: scratch.store)
    unlink(scratch.dataFile)
    let error = thrown(LMDBError.self) {
      let mapping = try MappingSet(
        file: Array(
          #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer"}}}}"#.utf8))
      _ = try Mapper(store).importJSON(Array(#"{"id": 1}"#.utf8), as: mapping.plan(for: "A"))
    }
    #expect(
      error?.description
        == "\(scratch.store): data.mdb was removed or replaced while the store was open, and nothing was written;"
        + " close it everywhere, and open it again")
  }

  // MARK: Removing a store that nothing came of

  @Test func aStoreWithoutACommitIsRemoved() throws {
    for keepsDirectory in [true, false] {
      _ = try LMDBStore(at: scratch.store)
      #expect(try LMDBStore.removeUnused(at: scratch.store, keepsDirectory: keepsDirectory))
      #expect(try FileSystem.names(in: scratch.path) == (keepsDirectory ? ["people.db"] : []))
      if keepsDirectory { #expect(try FileSystem.names(in: scratch.store) == []) }
    }
  }

  @Test func aDirectoryInWhichAnotherStoreIsBeingMadeIsRemovedOnceThatIsGone() throws {
    _ = try LMDBStore(at: scratch.store)
    // Another process finds the directory, and keeps it when it fails.
    let making = scratch.store + "/.creating-1-1"
    mkdir(making, 0o700)
    let other = ThreadWork {
      usleep(50_000)
      rmdir(making)
    }
    #expect(try LMDBStore.removeUnused(at: scratch.store, keepsDirectory: false, tries: 1000))
    try other.value()
    #expect(try FileSystem.names(in: scratch.path) == [])
  }

  @Test func aStoreWithACommitStays() throws {
    try scratch.makeStore { try $0.put($1, 1, "one") }
    try expect(LMDBStore.removeUnused(at: scratch.store, keepsDirectory: false), is: false)
    let environment = try Environment.open(at: scratch.store, .test)
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
  }

  @Test func aStoreThatIsOpenHereStays() throws {
    let store = try LMDBStore(at: scratch.store)
    try expect(LMDBStore.removeUnused(at: scratch.store, keepsDirectory: false), is: false)
    #expect(try store.check().isSound)
    #expect(size(of: scratch.dataFile) > 0)
  }

  @Test func aStoreThatAnotherProcessHasOpenStays() async throws {
    let path = scratch.store
    let store = try LMDBStore(at: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try expect(LMDBStore.removeUnused(at: path, keepsDirectory: false), is: false)
    }
    #expect(size(of: scratch.dataFile) > 0)
    withExtendedLifetime(store) {}
  }

  @Test func filesOfOthersAreNotRemoved() throws {
    try expect(LMDBStore.removeUnused(at: scratch.store, keepsDirectory: false), is: false)
    mkdir(scratch.store, 0o700)
    write(Array("not a store".utf8), to: scratch.dataFile)
    try expect(LMDBStore.removeUnused(at: scratch.store, keepsDirectory: false), is: false)
    #expect(size(of: scratch.dataFile) == 11)
  }

  /// Makers, openers and removers of one store, in one process.
  @Test func aStoreIsMadeAndRemovedByMany() throws {
    let path = scratch.store
    let written = Shared(Set<Int>())
    onThreads(6) { number in
      for round in 0..<40 {
        do {
          let key = number * 100 + round
          if number < 2, written.value.isEmpty {
            _ = try LMDBStore.removeUnused(at: path, keepsDirectory: round % 2 == 0)
          } else if number == 2, round == 30 {
            let environment = try Environment.open(at: path, .test)
            try environment.write { try $0.put(environment.things, key, "x") }
            written.change { $0.insert(key) }
          } else {
            _ = try Environment.open(at: path, .test)
          }
        } catch { Issue.record("\(error)") }
      }
    }
    let environment = try Environment.open(at: path, .test)
    for key in written.value {
      #expect(try environment.read { try $0.text(environment.things, key) } == "x")
    }
  }
}
