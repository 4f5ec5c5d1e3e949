import FastMapStoreKit
import FastMapSystem

/// The open environments of this process, by their data file.
///
/// LMDB forbids opening a store twice in one process. The first one to close it would release the other's locks, and
/// other processes could then overwrite pages that are being read.
///
/// One lock is held while a store is opened or closed. So stores open one after the other, and never while they are
/// being closed.
enum EnvironmentRegistry {
  private struct Entry {
    weak var environment: Environment?
    let forkCount: Int
    var lockFile: FileID?
  }

  private enum Answer {
    case opened(Environment)
    case shared(Environment)
    /// The file was being closed or used exclusively, and that is over.
    case closed
    /// The data file disappeared a moment ago.
    case vanished
  }

  private static let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) static var entries: [String: Entry] = [:]

  /// The environment of the store in `directory`, shared by all openers in this process.
  static func open(_ directory: StoreDirectory) throws(LMDBError) -> Environment {
    var triesLeft = 10_000
    while triesLeft > 0 {
      triesLeft -= 1
      try directory.prepare()
      switch try shareOrOpen(directory) {
      case .opened(let environment):
        return environment
      case .shared(let environment):
        // A failed environment closes when its last reader leaves. This thread may be that reader, so it cannot wait.
        guard environment.gate.isDead else {
          try environment.checkSharing(directory.configuration)
          return environment
        }
        guard !environment.thread.isReading else { throw environment.closedError }
        usleep(1000)
      case .closed:
        triesLeft = 10_000
      case .vanished:
        usleep(1000)
      }
    }
    throw LMDBError(.io(errno: EBUSY), path: directory.path)
  }

  private static func shareOrOpen(_ directory: StoreDirectory) throws(LMDBError) -> Answer {
    monitor.lock()
    defer { monitor.unlock() }
    guard let status = try FileSystem.status(of: directory.dataFile) else { return .vanished }
    let file = FileID(status)
    if let entry = entries[file.key] {
      guard entry.forkCount == ForkCount.start() else { throw LMDBError(.forked, path: directory.path) }
      if let environment = entry.environment { return .shared(environment) }
      monitor.wait()
      return .closed
    }
    try refuseSharedLockFile(directory)
    guard let environment = try Environment(opening: directory, file) else { return .vanished }
    entries[file.key] = Entry(
      environment: environment, forkCount: environment.forkCount, lockFile: environment.files.lock)
    return .opened(environment)
  }

  /// Refuses a data file that replaced an open one. If two environments of this process share a lock file, the first
  /// one to close releases the other's locks.
  private static func refuseSharedLockFile(_ directory: StoreDirectory) throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory.lockFile, followsLinks: false) else { return }
    let lockFile = FileID(status)
    guard !entries.values.contains(where: { $0.lockFile == lockFile }) else {
      throw LMDBError(.inUse, path: directory.path)
    }
  }

  /// Prevents other openers in this process while `body` runs; they wait.
  ///
  /// - Throws: ``LMDBError`` of reason `inUse` if the file is open; errors of `body`.
  static func exclusively<R>(_ file: FileID, _ path: String, _ body: () throws -> R) throws -> R {
    monitor.lock()
    guard entries[file.key] == nil else {
      monitor.unlock()
      throw LMDBError(.inUse, path: path)
    }
    entries[file.key] = Entry(environment: nil, forkCount: ForkCount.start())
    monitor.unlock()
    defer { forget(file) {} }
    return try body()
  }

  /// Forgets a file while `close` closes it.
  static func forget(_ file: FileID, _ close: () -> Void) {
    monitor.lock()
    defer { monitor.unlock() }
    close()
    entries[file.key] = nil
    monitor.wakeAll()
  }
}
