#if os(Linux)
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapLMDB

  /// A process that opens, makes or removes a store waits for the directory's lock. The system says which process
  /// waits, so nothing here depends on time.
  @Suite struct DirectoryLockTests {
    let scratch = Scratch()

    enum Deed: CaseIterable, Sendable {
      case opens, opensForReading, compacts, removes

      func run(_ path: String) throws {
        switch self {
        case .opens: _ = try Environment.open(at: path, .test)
        case .opensForReading: _ = try Environment.open(at: path, .test { $0.isReadOnly = true })
        case .compacts: _ = try Compaction(StoreDirectory(path, .test)).run()
        case .removes: _ = try StoreRemoval(StoreDirectory(path, .test)).run(commit: 1)
        }
      }
    }

    @Test(arguments: Deed.allCases)
    func itIsWaitedFor(_ deed: Deed) throws {
      let path = scratch.store
      do { _ = try Environment.open(at: path, .test) }
      let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      #expect(flock(directory, LOCK_EX) == 0)
      let isDone = Flag()
      let thread = Thread {
        do { try deed.run(path) } catch { Issue.record("\(error)") }
        isDone.raise()
      }
      var status = stat()
      fstat(directory, &status)
      while !isDone.value, !Self.hasWaiter(status.st_ino) { usleep(500) }
      #expect(!isDone.value, "it does not wait")
      close(directory)
      thread.join()
      #expect(isDone.value)
    }

    /// Whether the system's list of locks has one that waits for the lock on a file.
    private static func hasWaiter(_ inode: ino_t) -> Bool {
      guard let list = try? Files.bytes(of: "/proc/locks") else { return false }
      return String(decoding: list, as: UTF8.self).split(separator: "\n").contains {
        $0.contains("-> FLOCK") && $0.contains(":\(inode) ")
      }
    }

    /// The directory that is locked may have been removed, and another one made, while it was waited for.
    @Test func theLockBelongsToTheCurrentDirectory() throws {
      let path = scratch.store
      mkdir(path, 0o700)
      let old = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      #expect(flock(old, LOCK_EX) == 0)
      let isDone = Flag()
      let thread = Thread {
        let lock = DirectoryLock(path)
        expect(lock.isHeld, is: true)
        let other = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        close(other)
        withExtendedLifetime(lock) {}
        isDone.raise()
      }
      var status = stat()
      fstat(old, &status)
      while !isDone.value, !Self.hasWaiter(status.st_ino) { usleep(500) }
      rmdir(path)
      mkdir(path, 0o700)
      close(old)
      thread.join()
    }
  }
#endif
