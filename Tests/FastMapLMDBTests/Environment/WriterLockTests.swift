#if os(Linux)
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapLMDB

  /// Writers of several processes wait in the system, where nobody is forgotten, and one of them alone for LMDB's mutex.
  @Suite struct WriterLockTests {
    private let scratch = Scratch()

    /// Takes the lock as another process does, and gives it back with the descriptor.
    private func takeLock(_ store: String) -> CInt {
      let descriptor = open(store + "/data.mdb", O_RDWR | O_CLOEXEC)
      var lock = flock()
      lock.l_type = CShort(F_WRLCK)
      lock.l_start = off_t(WriterLock.place)
      lock.l_len = 1
      let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, 37, $0) }
      #expect(result == 0)
      return descriptor
    }

    @Test func aWriterWaitsForOthers() throws {
      let environment = try Environment.open(at: scratch.store, .test)
      let other = takeLock(scratch.store)
      let isDone = Flag()
      let thread = Thread {
        do { try environment.write { _ in } } catch { Issue.record("\(error)") }
        isDone.raise()
      }
      var status = stat()
      fstat(other, &status)
      while !isDone.value, !Self.hasWaiter(status.st_ino) { usleep(500) }
      #expect(!isDone.value, "it does not wait")
      try environment.read { _ in }  // who reads does not
      close(other)
      thread.join()
      #expect(isDone.value)
      // It has given the lock back.
      close(takeLock(scratch.store))
    }

    @Test func whoFailsGivesTheLockBack() throws {
      struct Failure: Error {}
      let environment = try Environment.open(at: scratch.store, .test)
      #expect(throws: Failure.self) { try environment.write { _ in throw Failure() } }
      close(takeLock(scratch.store))
    }

    /// Whether the system's list of locks has one that waits for a lock of an open file.
    private static func hasWaiter(_ inode: ino_t) -> Bool {
      guard let list = try? Files.bytes(of: "/proc/locks") else { return false }
      return String(decoding: list, as: UTF8.self).split(separator: "\n").contains {
        $0.contains("-> OFDLCK") && $0.contains(":\(inode) ")
      }
    }
  }
#endif
