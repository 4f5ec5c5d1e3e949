import CFastMapLMDB
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Tests that need a process of their own: other processes that use the store, and limits, signals and forks that
/// the other tests must not feel.
@Suite struct EnvironmentProcessTests {
  let scratch = Scratch()

  private static func small(_ path: String) throws -> Environment {
    try Environment.open(at: path, .test { $0.mapSize = 1 << 20 })
  }

  @Test func anotherProcessGrowsTheStore() async throws {
    let path = scratch.store
    let environment = try Self.small(path)
    try environment.write { try $0.put(environment.things, 100_000, "old") }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Self.small(path)
      try environment.write { try $0.fill(environment.things, 0..<20_000, length: 1000) }
    }
    #expect(try environment.statistics().mapSize == 1 << 20)
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 20_001)
    #expect(try environment.statistics().mapSize >= 16 << 20)
  }

  @Test func aWriterFollowsAnotherProcess() async throws {
    let path = scratch.store
    let environment = try Self.small(path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Self.small(path)
      try environment.write { try $0.fill(environment.things, 0..<20_000, length: 1000) }
    }
    try environment.write { try $0.put(environment.things, 100_000, "new") }
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 20_001)
  }

  @Test func aReadingThreadCannotFollowAnotherProcess() async throws {
    let path = scratch.store
    let environment = try Self.small(path)
    // The map may not move while this snapshot is open, and it is open across the child's life: on its own
    // thread.
    let thread = Thread {
      do {
        try environment.read { _ in
          while size(of: path + "/grown") < 0 { usleep(1000) }
          #expect(reason { try environment.read { _ in } } == .growthInsideRead)
          #expect(reason { try environment.write { _ in } } == .growthInsideRead)
        }
      } catch { Issue.record(error) }
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Self.small(path)
      try environment.write { try $0.fill(environment.things, 0..<20_000, length: 1000) }
      write([1], to: path + "/grown")
    }
    thread.join()
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 20_000)
  }

  @Test func aKilledWriterLeavesNothingBehind() async throws {
    let path = scratch.store
    let environment = try Self.small(path)
    try environment.write { try $0.put(environment.things, 1, "one") }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let environment = try Self.small(path)
      try environment.read { _ in
        try environment.write { transaction in
          try transaction.put(environment.things, 1, "two")
          kill(getpid(), SIGKILL)
        }
      }
    }
    try environment.write { transaction in
      try expect(transaction.text(environment.things, 1), is: "one")
      try transaction.put(environment.things, 2, "two")
    }
    #expect(try environment.read { try $0.text(environment.things, 2) } == "two")
  }

  @Test func aKilledMakerCanBeFollowed() async throws {
    let path = scratch.store
    for round in 0..<5 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
        let killer = Thread {
          usleep(UInt32(300 * round))
          kill(getpid(), SIGKILL)
        }
        while true {
          let environment = try Environment.open(at: path, .test)
          try environment.write { try $0.put(environment.things, 1, "one") }
          withExtendedLifetime(killer) {}
        }
      }
      let environment = try Environment.open(at: path, .test)
      try environment.write { try $0.put(environment.things, 2, "two") }
    }
    #expect(Set(try FileSystem.names(in: path)) == ["data.mdb", "lock.mdb"])
  }

  @Test func aKilledReaderHoldsNothingBack() async throws {
    let path = scratch.store
    let environment = try Environment.open(at: path, .test { $0.readerCheckInterval = .zero })
    try environment.write { try $0.fill(environment.things, 0..<100, length: 1000) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let environment = try Environment.open(at: path, .test)
      try environment.read { _ in _ = kill(getpid(), SIGKILL) }
    }
    // A snapshot that is never released would keep every page of these.
    var sizes: [Int] = []
    for _ in 0..<20 {
      try environment.write { try $0.fill(environment.things, 0..<100, length: 1000) }
      sizes.append(size(of: path + "/data.mdb"))
    }
    #expect(sizes[19] == sizes[4])
  }

  @Test func aStoreThatMayOnlyBeReadIsRead() async throws {
    let path = scratch.store
    try scratch.makeStore { try $0.put($1, 1, "one") }
    chmod(scratch.path, 0o755)
    chmod(scratch.dataFile, 0o444)
    chmod(path + "/lock.mdb", 0o444)
    chmod(path, 0o555)
    for hasLockFile in [true, false] {
      if !hasLockFile {
        chmod(path, 0o755)
        unlink(path + "/lock.mdb")
        chmod(path, 0o555)
      }
      await #expect(processExitsWith: .success) { [path = path as String] in
        if geteuid() == 0 { precondition(setuid(65534) == 0) }  // root may write everywhere
        let options = LMDBStore.Configuration.test { $0.isReadOnly = true }
        let environment = try Environment.open(at: path, options)
        try expect(environment.read { try $0.text(environment.things, 1) }, is: "one")
        try expect(environment.read { try $0.text(environment.things, 2) }, is: nil)
        expect(reason { try environment.write { try $0.put(environment.things, 2, "two") } }, is: .readOnly)
        expect(reason { _ = try Environment.open(at: path + "-new", options) }, is: .notFound)
      }
      #expect(try Set(FileSystem.names(in: path)) == (hasLockFile ? ["data.mdb", "lock.mdb"] : ["data.mdb"]))
    }
    chmod(path, 0o755)
    let writer = try Environment.open(at: path, .test)
    chmod(path + "/lock.mdb", 0o444)
    await #expect(processExitsWith: .success) { [path = path as String] in
      if geteuid() == 0 { precondition(setuid(65534) == 0) }
      let options = LMDBStore.Configuration.test { $0.isReadOnly = true }
      expect(reason { _ = try Environment.open(at: path, options) }, is: .noPermission)
    }
    try writer.write { try $0.put(writer.things, 2, "two") }
  }

  @Test func theChildOfAForkIsTurnedAway() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(at: path, .test)
      try environment.write { try $0.put(environment.things, 1, "one") }
      let child = forkProcess()
      if child == 0 {
        let isRefused =
          reason { try environment.read { _ in } } == .forked
          && reason { try environment.write { _ in } } == .forked
          && reason { _ = try environment.statistics() } == .forked
          && reason { _ = try Environment.open(at: path, .test) } == .forked
        _exit(isRefused ? 0 : 1)
      }
      var status: CInt = -1
      waitpid(child, &status, 0)
      expect(status, is: 0)
      // The parent goes on.
      try environment.write { try $0.put(environment.things, 1, "two") }
      try expect(environment.read { try $0.text(environment.things, 1) }, is: "two")
    }
  }

  @Test func aFullDiskChangesNothing() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(at: path, .test)
      try environment.write { try $0.put(environment.things, 1, "one") }
      signal(SIGXFSZ, SIG_IGN)
      setLimit(RLIMIT_FSIZE, 1 << 20)
      for _ in 0..<3 {
        let found = reason {
          try environment.write { try $0.fill(environment.things, 0..<5000, length: 1000) }
        }
        expect(found, is: .diskFull)
        try expect(environment.read { try $0.text(environment.things, 1) }, is: "one")
      }
      try environment.write { try $0.put(environment.things, 2, "two") }
      try expect(environment.read { try $0.text(environment.things, 2) }, is: "two")
    }
    let environment = try Environment.open(at: path, .test)
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 2)
  }

  @Test func aNewStoreWithoutRoomLeavesNothing() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      setLimit(RLIMIT_FSIZE, 4096)
      let found = reason { _ = try Environment.open(at: path, .test) }
      expect(found, is: .diskFull)
    }
    #expect(size(of: path) == -1)
    _ = try Environment.open(at: path, .test)
  }

  @Test func littleAddressSpaceGivesASmallerMap() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      setLimit(RLIMIT_AS, addressSpace() + (4 << 30))
      let environment = try Environment.open(at: path, .test)
      let size = try environment.statistics().mapSize
      #expect(size >= 1 << 30 && size < 4 << 30)
      try environment.write { try $0.fill(environment.things, 0..<1000, length: 1000) }
    }
  }

  @Test func littleAddressSpaceStopsGrowth() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Self.small(path)
      try environment.write { try $0.put(environment.things, 1, "one") }
      setLimit(RLIMIT_AS, addressSpace() + (80 << 20))
      let found = reason {
        try environment.write { try $0.fill(environment.things, 0..<200_000, length: 1000) }
      }
      guard case .addressSpaceFull = found else {
        Issue.record("\(String(describing: found))")
        return
      }
      try expect(environment.read { try $0.text(environment.things, 1) }, is: "one")
      try environment.write { try $0.put(environment.things, 2, "two") }
    }
  }

  @Test func anErrorOfACommitClosesTheStore() async throws {
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(at: path, .test)
      try environment.write { try $0.put(environment.things, 1, "one") }
      var descriptor: CInt = -1
      mdb_env_get_fd(environment.handle, &descriptor)
      let readOnly = open(path + "/data.mdb", O_RDONLY)
      dup2(readOnly, descriptor)  // LMDB cannot write any more
      try environment.read { snapshot in
        let found = reason { try environment.write { try $0.put(environment.things, 1, "two") } }
        expect(found, is: .io(errno: EBADF))
        // Open snapshots may be read to their end, but nothing new begins, here or by opening the store again.
        try expect(snapshot.text(environment.things, 1), is: "one")
        #expect(reason { try environment.read { _ in } } == .closed(status: EBADF))
        #expect(reason { _ = try Environment.open(at: path, .test) } == .closed(status: EBADF))
      }
      #expect(reason { try environment.write { _ in } } == .closed(status: EBADF))
      let reopened = try Environment.open(at: path, .test)
      #expect(reopened !== environment)
      try reopened.write { try $0.put(reopened.things, 2, "two") }
      try expect(reopened.read { try $0.text(reopened.things, 1) }, is: "one")
    }
  }

  @Test func aStoreOnAForeignLockFileIsRefusedOrHealed() async throws {
    // Nobody has the store open: whatever is in lock.mdb is made anew.
    try scratch.makeStore { try $0.put($1, 1, "one") }
    write([UInt8](repeating: 0x41, count: 100_000), to: scratch.store + "/lock.mdb")
    let environment = try Environment.open(at: scratch.store, .test)
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")

    // Another process has it open: its readers and locks cannot be told from rubbish.
    let path = scratch.store
    await #expect(processExitsWith: .success) { [path = path as String] in
      write(UInt32(7), to: path + "/lock.mdb", at: 0)
      let found = reason { _ = try Environment.open(at: path, .test) }
      expect(found, is: .foreignLockFile)
    }
    withExtendedLifetime(environment) {}
  }

  @Test func aLockFileOfAnotherDataFileIsRefused() async throws {
    // The data file is deleted while it is open, and another process makes a new one beside the same locks.
    let path = scratch.store
    let environment = try Environment.open(at: path, .test)
    for number in 0..<5 { try environment.write { try $0.put(environment.things, number, "x") } }
    unlink(path + "/data.mdb")
    await #expect(processExitsWith: .success) { [path = path as String] in
      let found = reason { _ = try Environment.open(at: path, .test) }
      expect(found, is: .foreignLockFile)
    }
    withExtendedLifetime(environment) {}
  }
}

/// `fork`, which Swift does not import: a fork is not safe in a program with threads, which this child is not
/// about to become.
func forkProcess() -> pid_t {
  typealias Fork = @convention(c) () -> pid_t
  return unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
}

#if canImport(Glibc)
  private func setLimit(_ resource: __rlimit_resource, _ value: Int) {
    var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t.max)
    precondition(setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0)
  }
#else
  private func setLimit(_ resource: CInt, _ value: Int) {
    var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t.max)
    precondition(setrlimit(resource, &limit) == 0)
  }
#endif

/// The address space that this process has.
private func addressSpace() -> Int {
  let descriptor = open("/proc/self/statm", O_RDONLY)
  defer { close(descriptor) }
  let bytes = (try? FileSystem.bytes(of: descriptor, at: 0, count: 64, path: "statm")) ?? []
  let pages = Int(String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)) ?? 0
  return pages * Int(getpagesize())
}
