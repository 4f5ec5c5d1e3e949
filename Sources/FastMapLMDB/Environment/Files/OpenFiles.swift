import FastMapSystem

/// The directory of an open store, and the two files that it had when LMDB opened them.
///
/// Other programs may remove or replace these files, and LMDB continues with the files it has open. A commit to a
/// removed file is lost with the last process. Two processes with two lock files overwrite each other. So each commit
/// checks the files first, under LMDB's writer lock.
///
/// FastMap never removes an open file (``StoreRemoval``). If somebody removes one between that check and the commit,
/// the commit is lost, too.
struct OpenFiles: ~Copyable {
  /// The directory may move, so it is identified by its descriptor, not by its name.
  let directory: CInt
  let data: FileID
  /// Nil if LMDB uses none.
  let lock: FileID?

  init(_ path: String, data: FileID, lock: FileID?) throws(LMDBError) {
    #if canImport(Darwin)
      let flags = O_RDONLY
    #else
      let flags: CInt = 0o10_000_000  // O_PATH needs no read permission; glibc hides the name
    #endif
    directory = open(path, flags | O_DIRECTORY | O_CLOEXEC)
    self.data = data
    self.lock = lock
    guard directory >= 0 else { throw .lastSystemError(at: path) }
  }

  deinit { close(directory) }

  /// The file that is missing from the directory; nil if it has both.
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
