import FastMapCore
import FastMapSystem

/// The environments of this process, by the file they keep open.
///
/// LMDB forbids to open a store twice in one process: whoever closes it first takes the other's locks along,
/// and other processes then write over what it is reading.
///
/// One lock is held while a store is opened or closed. So nobody opens a store that is being closed, and
/// stores open one after the other.
enum EnvironmentRegistry {
  private struct Entry {
    weak var environment: Environment?
    let forkCount: Int
    var lockFile: FileID?
  }

  private enum Answer {
    case opened(Environment)
    case shared(Environment)
    /// It was being closed, or somebody had it to himself; that is over.
    case closed
    /// The data file was there a moment ago.
    case vanished
  }

  private static let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) static var entries: [FileID: Entry] = [:]

  /// The environment of the store in `directory`, shared with everybody in this process who opened it before.
  static func open(_ directory: StoreDirectory) throws(LMDBError) -> Environment {
    var triesLeft = 10_000
    while triesLeft > 0 {
      triesLeft -= 1
      try directory.prepare()
      switch try shareOrOpen(directory) {
      case .opened(let environment):
        return environment
      case .shared(let environment):
        // One that failed is closed when its last reader is out. This thread's read does not end by waiting.
        guard environment.gate.isDead else {
          try environment.checkSharing(directory.options)
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
    if let entry = entries[file] {
      guard entry.forkCount == ForkCount.start() else { throw LMDBError(.forked, path: directory.path) }
      if let environment = entry.environment { return .shared(environment) }
      monitor.wait()
      return .closed
    }
    try refuseSharedLockFile(directory)
    guard let environment = try Environment(opening: directory, file) else { return .vanished }
    entries[file] = Entry(
      environment: environment, forkCount: environment.forkCount, lockFile: environment.files.lock)
    return .opened(environment)
  }

  /// Refuses a data file that has taken the place of one that is open here: of two environments with one lock file,
  /// the first to be closed takes the other's locks along.
  private static func refuseSharedLockFile(_ directory: StoreDirectory) throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory.lockFile, followsLinks: false) else { return }
    let lockFile = FileID(status)
    guard !entries.values.contains(where: { $0.lockFile == lockFile }) else {
      throw LMDBError(.inUse, path: directory.path)
    }
  }

  /// Keeps everybody in this process from opening a file while `body` runs; they wait.
  ///
  /// - Throws: ``LMDBError`` of reason `inUse` where it is open, or what `body` throws.
  static func exclusively<R>(_ file: FileID, _ path: String, _ body: () throws -> R) throws -> R {
    monitor.lock()
    guard entries[file] == nil else {
      monitor.unlock()
      throw LMDBError(.inUse, path: path)
    }
    entries[file] = Entry(environment: nil, forkCount: ForkCount.start())
    monitor.unlock()
    defer { forget(file) {} }
    return try body()
  }

  /// Forgets a file while `close` closes it.
  static func forget(_ file: FileID, _ close: () -> Void) {
    monitor.lock()
    defer { monitor.unlock() }
    close()
    entries[file] = nil
    monitor.wakeAll()
  }
}
