import FastMapSystem

/// The directory of an open store, and the two files that it had when LMDB opened them.
///
/// Others may remove them, or put others in their place, and LMDB goes on with what it has: a commit into a file without
/// a name is lost with the last process, and two processes with two lock files write over each other. So each commit
/// looks first, with LMDB's lock of the writer. FastMap itself removes no file that anybody has open
/// (``StoreRemoval``); whoever removes one by hand between that look and the commit removes the commit, too.
struct OpenFiles: ~Copyable {
  /// The directory may move: it is known by itself, not by its name.
  private let directory: CInt
  let data: FileID
  /// Nil where LMDB does without.
  let lock: FileID?

  init(_ path: String, data: FileID, lock: FileID?) throws(LMDBError) {
    #if canImport(Darwin)
      let flags = O_RDONLY
    #else
      let flags: CInt = 0o10_000_000  // O_PATH, which takes no right to read; glibc hides the name
    #endif
    directory = open(path, flags | O_DIRECTORY | O_CLOEXEC)
    self.data = data
    self.lock = lock
    guard directory >= 0 else { throw .lastSystemError(at: path) }
  }

  deinit { close(directory) }

  /// The file that the directory has no more; nil where it has both.
  ///
  /// C: `fstatat`
  var missing: String? {
    if !has("data.mdb", data) { return "data.mdb" }
    if let lock, !has("lock.mdb", lock) { return "lock.mdb" }
    return nil
  }

  private func has(_ name: String, _ file: FileID) -> Bool {
    var status = stat()
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && FileID(status) == file
  }
}
