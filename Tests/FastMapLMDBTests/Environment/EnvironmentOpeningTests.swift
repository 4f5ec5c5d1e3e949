import CFastMapLMDB
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct EnvironmentOpeningTests {
  let scratch = Scratch()

  // MARK: Making a store

  @Test func aNewStoreIsForItsOwnerOnly() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    #expect(permissions(of: scratch.store) == 0o700)
    #expect(permissions(of: scratch.dataFile) == 0o600)
    #expect(permissions(of: scratch.store + "/lock.mdb") == 0o600)
    #expect(Set(try FileSystem.names(in: scratch.store)) == ["data.mdb", "lock.mdb"])
    withExtendedLifetime(environment) {}
  }

  @Test func anEmptyDirectoryBecomesAStore() throws {
    mkdir(scratch.store, 0o755)
    mkdir(scratch.store + "/lost+found", 0o700)
    _ = try Environment.open(at: scratch.store, .test)
    #expect(size(of: scratch.dataFile) > 0)
  }

  @Test func aLaterVersionAddsATable() throws {
    try scratch.makeStore { transaction, things in try transaction.put(things, 1, "one") }
    let environment = try Environment.open(at: scratch.store, .test { $0.tables.append("new") })
    #expect(environment.databases.count == 3)
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
    #expect(try environment.read { try $0.text(environment.databases[2], 1) } == nil)
  }

  @Test(arguments: [Int.min, -1, 0, Int.max])
  func sizesBeyondAllBoundsAreBroughtWithinThem(_ size: Int) throws {
    let environment = try Environment.open(
      at: scratch.store,
      .test {
        $0.mapSize = size
        $0.maxMapSize = size
        $0.maxReaders = size
      })
    #expect(try environment.statistics().mapSize >= 1 << 16)
    #expect((1...1 << 20).contains(try environment.statistics().maxReaders))
  }

  // MARK: Remains of a killed maker

  @Test func aHalfMadeStoreIsMadeAgain() throws {
    mkdir(scratch.store, 0o700)
    mkdir(scratch.store + "/.creating-1-2", 0o700)
    write([1, 2, 3], to: scratch.store + "/.creating-1-2/data.mdb")
    write([], to: scratch.store + "/.creating-1-2/lock.mdb")
    _ = try Environment.open(at: scratch.store, .test)
    _ = try Environment.open(at: scratch.store, .test)
    #expect(Set(try FileSystem.names(in: scratch.store)) == ["data.mdb", "lock.mdb"])
  }

  @Test func theLinkOfAKilledMakerIsSweptAway() throws {
    try scratch.makeStore { transaction, things in try transaction.put(things, 1, "one") }
    mkdir(scratch.store + "/.creating-1-2", 0o700)
    link(scratch.dataFile, scratch.store + "/.creating-1-2/data.mdb")
    let environment = try Environment.open(at: scratch.store, .test)
    #expect(Set(try FileSystem.names(in: scratch.store)) == ["data.mdb", "lock.mdb"])
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
  }

  @Test func aFailedMakerLeavesNothing() throws {
    // LMDB has no name so long.
    let options = LMDBStore.Configuration.test { $0.tables = [String(repeating: "x", count: 600)] }
    #expect(reason { _ = try Environment.open(at: scratch.store, options) } == .badSize)
    #expect(size(of: scratch.store) == -1)
  }

  // MARK: Refusals

  @Test func whereNoStoreIsNoneIsMadeUnasked() throws {
    let unasked = LMDBStore.Configuration.test { $0.createsIfMissing = false }
    let readOnly = LMDBStore.Configuration.test { $0.isReadOnly = true }
    for options in [unasked, readOnly] {
      #expect(reason { _ = try Environment.open(at: scratch.store, options) } == .notFound)
    }
    mkdir(scratch.store, 0o700)
    for options in [unasked, readOnly] {
      #expect(reason { _ = try Environment.open(at: scratch.store, options) } == .notFound)
    }
    #expect(try FileSystem.names(in: scratch.store) == [])
  }

  @Test func theParentIsNotMade() {
    let path = scratch.path + "/missing/people.db"
    #expect(reason { _ = try Environment.open(at: path, .test) } == .parentNotFound)
    #expect(reason { _ = try Environment.open(at: "", .test) } == .notFound)
    #expect(reason { _ = try Environment.open(at: scratch.store + "\0", .test) } == .notFound)
  }

  @Test func aFileIsNotAStore() {
    write([1, 2, 3], to: scratch.store)
    #expect(
      reason { _ = try Environment.open(at: scratch.store, .test) }
        == .notAStore(detail: "not a directory"))
    #expect(
      reason { _ = try Environment.open(at: scratch.store + "/inside", .test) }
        == .notAStore(detail: "part of its path is a file"))
  }

  @Test func aDirectoryOfSomethingElseIsNotAStore() throws {
    mkdir(scratch.store, 0o700)
    write([1, 2, 3], to: scratch.store + "/thesis.tex")
    #expect(
      reason { _ = try Environment.open(at: scratch.store, .test) }
        == .notAStore(detail: "the directory has 1 other entry, but no data.mdb"))
    #expect(try FileSystem.names(in: scratch.store) == ["thesis.tex"])
  }

  @Test func aLinkedDataFileIsRefused() throws {
    try scratch.makeStore()
    let other = scratch.path + "/other.db"
    mkdir(other, 0o700)
    symlink(scratch.dataFile, other + "/data.mdb")
    let detail = "data.mdb is a symbolic link; open the directory that holds the file itself"
    #expect(reason { _ = try Environment.open(at: other, .test) } == .notAStore(detail: detail))
  }

  @Test func aForeignTableWithOneOfOurNamesIsRefusedAndNotTouched() throws {
    _ = try FileSystem.makeDirectory(scratch.store)
    var handle: OpaquePointer?
    try #require(mdb_env_create(&handle) == MDB_SUCCESS)
    mdb_env_set_maxdbs(handle, 1)
    try #require(mdb_env_open(handle, scratch.store, 0, 0o600) == MDB_SUCCESS)
    var transaction: OpaquePointer?
    var database = MDB_dbi()
    try #require(mdb_txn_begin(handle, nil, 0, &transaction) == MDB_SUCCESS)
    try #require(mdb_dbi_open(transaction, "things", UInt32(MDB_CREATE), &database) == MDB_SUCCESS)
    try #require(mdb_txn_commit(transaction) == MDB_SUCCESS)
    mdb_env_close(handle)
    let bytes = try Files.bytes(of: scratch.dataFile)
    let found = reason { _ = try Environment.open(at: scratch.store, .test) }
    guard case .foreignFile = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(try Files.bytes(of: scratch.dataFile) == bytes)
  }

  /// Who opens for reading waits for a compaction with the old file in his hands.
  @Test func aFileThatLosesItsNameWhileItIsOpenedIsNotTaken() throws {
    try scratch.makeStore()
    let directory = StoreDirectory(scratch.store, .test { $0.isReadOnly = true })
    let status = try #require(try FileSystem.status(of: scratch.dataFile))
    let findings = try Preflight.inspect(directory)
    guard let opening = try EnvironmentOpening(directory, FileID(status), findings) else {
      Issue.record("no data file")
      return
    }
    expect(try opening.adopt(FileID(status)), is: true)
    let bytes = try Files.bytes(of: scratch.dataFile)
    rename(scratch.dataFile, scratch.path + "/old.mdb")
    expect(try opening.adopt(FileID(status)), is: false)
    write(bytes, to: scratch.dataFile)
    expect(try opening.adopt(FileID(status)), is: false)
  }

  @Test func anotherProgramsStoreIsRefusedAndNotTouched() throws {
    do {
      let other = try Environment.open(at: scratch.store, .test { $0.tables = ["foreign"] })
      try other.write { try $0.put(other.databases[0], 1, "one") }
    }
    let before = size(of: scratch.dataFile)
    #expect(
      reason { _ = try Environment.open(at: scratch.store, .test) }
        == .foreignFile(detail: "none of FastMap's tables are in the file"))
    #expect(size(of: scratch.dataFile) == before)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func filesOfOthersAreRefused() throws {
    try scratch.makeStore()
    chmod(scratch.dataFile, 0)
    #expect(reason { _ = try Environment.open(at: scratch.store, .test) } == .noPermission)
  }

  @Test func noLocalFileSystemIsTakenForARemoteOne() {
    #expect(FileSystem.networkFileSystem(holding: "/proc") == nil)
    #expect(FileSystem.networkFileSystem(holding: "/nowhere") == nil)
  }

  #if os(Linux)
    @Test(
      arguments: [
        (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x0102_1997, "9p"),
        (0x6573_5546, "FUSE"),
        (0x00C3_6400, "Ceph"), (0xEF53, nil), (0x5846_5342, nil), (0x9123_683E, nil), (0x0102_1994, nil),
        (0x794C_7630, nil),
      ] as [(UInt32, String?)])
    func fileSystemsAreToldByTheirType(_ type: UInt32, _ name: String?) {
      #expect(FileSystem.networkFileSystem(ofType: type) == name)
    }
  #endif

  // MARK: Opening it twice

  // WAM-134, BUG-66
  @Test func twoOpenersShareOneEnvironment() throws {
    let first = try Environment.open(at: scratch.store, .test)
    symlink(scratch.store, scratch.path + "/link.db")
    #expect(try Environment.open(at: scratch.store, .test) === first)
    #expect(try Environment.open(at: scratch.store + "/../people.db/", .test) === first)
    let way = String(repeating: "../", count: 64) + scratch.store.dropFirst()  // .. of the root is the root
    #expect(try Environment.open(at: way, .test) === first)
    #expect(try Environment.open(at: scratch.path + "/link.db", .test { $0.isReadOnly = true }) === first)
  }

  @Test func theLastOneToLetGoCloses() throws {
    var first: Environment? = try Environment.open(at: scratch.store, .test)
    var second: Environment? = try Environment.open(at: scratch.store, .test)
    weak let environment = first
    first = nil
    #expect(try second?.read { try $0.statistics($0.view.environment.things).entries } == 0)
    second = nil
    #expect(environment == nil)
    #expect(openFiles(in: scratch.store) == 0)
  }

  @Test func conflictingOptionsAreRefused() throws {
    try scratch.makeStore()
    let weakReader = LMDBStore.Configuration.test {
      $0.isReadOnly = true
      $0.durability = .lastTransactionMayBeLost
    }
    let environment = try Environment.open(at: scratch.store, weakReader)
    #expect(
      reason { _ = try Environment.open(at: scratch.store, .test) }
        == .optionsConflict(detail: "open for reading only"))
    #expect(
      reason {
        _ = try Environment.open(
          at: scratch.store,
          .test {
            $0.tables = ["x"]; $0.isReadOnly = true
          })
      }
        == .optionsConflict(detail: "open with other tables"))
    #expect(reason { try environment.write { _ in } } == .readOnly)
  }

  @Test func aWeakerDurabilityIsNotImposedOnOthers() throws {
    let weak = LMDBStore.Configuration.test { $0.durability = .lastTransactionMayBeLost }
    let environment = try Environment.open(at: scratch.store, weak)
    try environment.write { try $0.put(environment.things, 1, "one") }
    #expect(
      reason { _ = try Environment.open(at: scratch.store, .test) }
        == .optionsConflict(detail: "its last transaction may be lost in a power cut"))
  }

  @Test func manyThreadsMakeOneStore() throws {
    for round in 0..<20 {
      let path = scratch.path + "/\(round).db"
      let opened = Shared<[Environment]>([])
      onThreads(8) { _ in
        do {
          let environment = try Environment.open(at: path, .test)
          opened.change { $0.append(environment) }
        } catch { Issue.record(error) }
      }
      let environments = opened.value
      #expect(environments.count == 8)
      #expect(environments.allSatisfy { $0 === environments[0] })
      #expect(Set(try FileSystem.names(in: path)) == ["data.mdb", "lock.mdb"])
    }
  }

  @Test func openingAndClosingFromManyThreadsLosesNothing() throws {
    try scratch.makeStore()
    let path = scratch.store
    onThreads(4) { thread in
      for number in 0..<100 {
        do {
          let environment = try Environment.open(at: path, .test)
          try environment.write { try $0.put(environment.things, thread * 100 + number, "x") }
        } catch { Issue.record(error) }
      }
    }
    let environment = try Environment.open(at: path, .test)
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 400)
  }

  @Test func openFilesDoNotReachOtherPrograms() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    for (descriptor, path) in openFiles() where path.hasPrefix(scratch.store) {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(path)")
    }
    withExtendedLifetime(environment) {}
  }

  @Test func messagesNameTheStoreAndTheRemedy() {
    let error = LMDBError(
      .notAStore(detail: "data.mdb is 5 bytes long, the shortest has 8192"), path: "people.db")
    #expect("\(error)" == "people.db: not a FastMap store: data.mdb is 5 bytes long, the shortest has 8192")
    #expect("\(LMDBError(.io(errno: EIO), path: "p"))" == "p: Input/output error")
    #expect("\(LMDBError(.init(status: -1), path: "p"))".hasPrefix("p: unexpected LMDB status -1"))
  }
}

/// The open files of this process. Linux only; elsewhere there are none.
func openFiles() -> [(descriptor: CInt, path: String)] {
  let names = (try? FileSystem.names(in: "/proc/self/fd")) ?? []
  return names.compactMap { name in
    var buffer = [CChar](repeating: 0, count: 4096)
    guard let descriptor = CInt(name), readlink("/proc/self/fd/" + name, &buffer, 4095) > 0 else {
      return nil
    }
    return (descriptor, buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
  }
}

func openFiles(in directory: String) -> Int {
  openFiles().count { $0.path.hasPrefix(directory + "/") }
}
