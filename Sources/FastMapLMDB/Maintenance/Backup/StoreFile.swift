internal import CFastMap
import CFastMapLMDB
import FastMapSystem

/// A data file that is being written and that LMDB has not opened.
struct StoreFile: ~Copyable {
  let descriptor: CInt
  let path: String

  /// Creates a file that only this user can read. LMDB's own copy would be readable by others.
  init(creating path: String) throws(LMDBError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .lastSystemError(at: path) }
  }

  deinit { close(descriptor) }

  func sync() throws(LMDBError) { try FileSystem.sync(descriptor, at: path) }

  func status() throws(LMDBError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    return status
  }

  /// Gives the file the owner and the mode of another file.
  func copyOwner(of other: stat) throws(LMDBError) {
    let own = try status()
    if own.st_uid != other.st_uid || own.st_gid != other.st_gid,
      fchown(descriptor, other.st_uid, other.st_gid) != 0
    {
      throw .lastSystemError(at: path)
    }
    guard fchmod(descriptor, other.st_mode & 0o777) == 0 else { throw .lastSystemError(at: path) }
  }

  /// Copies the newest commit of an environment. C: `mdb_env_copyfd2`
  func fill(from handle: OpaquePointer, isCompact: Bool) -> CInt {
    mdb_env_copyfd2(handle, descriptor, isCompact ? UInt32(MDB_CP_COMPACT) : 0)
  }

  /// The error for a status of `fill`.
  ///
  /// - Parameter source: The store that is copied.
  func failure(_ status: CInt, of source: String) -> LMDBError {
    switch status {
    case MDB_INCOMPATIBLE:
      LMDBError(
        .damaged(place: "data.mdb", detail: "some pages have no use"), path: source)
    case EIO where FileSystem.hasNoRoom(descriptor): LMDBError(.diskFull, path: path)
    default: LMDBError(.init(status: status), path: path)
    }
  }

  /// Verifies every page of the newest commit.
  ///
  /// - Parameter verifiesEntries: Whether each entry of a ``Table`` must have its checksum.
  /// - Returns: The commit's number.
  func verify(verifiesEntries: Bool) throws(LMDBError) -> UInt64 {
    let first = try meta(0, pageSize: 0)
    guard first.magic == MetaPage.lmdbMagic, MetaPage.pageSizes.contains(first.pageSize) else {
      throw damage("meta page 0", "LMDB's mark is missing")
    }
    let second = try meta(1, pageSize: first.pageSize)
    let newest = first.commit < second.commit ? second : first
    var scan = PageScan(newest, of: descriptor, verifiesEntries: verifiesEntries, path: path)
    try scan.run()
    guard let commit = scan.commit else { throw damage("header", "its tree has no commit number") }
    return commit
  }

  /// Sets the commit number of both headers to the tree's, because LMDB renumbers a compact copy.
  func renumber() throws {
    let first = try meta(0, pageSize: 0)
    let commit = try verify(verifiesEntries: false)
    for number in 0..<2 {
      // The copy's trees are in its second header.
      var bytes = try FileSystem.bytes(
        of: descriptor, at: first.pageSize, count: MetaPage.size, path: path)
      bytes.withUnsafeMutableBytes { bytes in
        bytes.storeBytes(of: UInt64(number), as: UInt64.self)
        let isNewer = commit & 1 == UInt64(number)
        bytes.storeBytes(
          of: isNewer ? commit : max(commit, 1) - 1, toByteOffset: MetaPage.commitOffset, as: UInt64.self)
      }
      guard pwrite(descriptor, bytes, bytes.count, off_t(number * first.pageSize)) == bytes.count else {
        throw LMDBError.lastSystemError(at: path)
      }
    }
  }

  private func meta(_ number: Int, pageSize: Int) throws(LMDBError) -> MetaPage {
    let bytes = try FileSystem.bytes(
      of: descriptor, at: number * pageSize, count: MetaPage.size, path: path)
    return bytes.withUnsafeBytes { MetaPage($0) }
  }

  private func damage(_ place: String, _ detail: String) -> LMDBError {
    LMDBError(.damaged(place: "data.mdb, \(place)", detail: detail), path: path)
  }
}

extension Environment {
  /// Copies and verifies all pages of the newest commit, including free ones.
  func copy(to file: borrowing StoreFile) throws {
    try fill(file, isCompact: false)
    _ = try file.verify(verifiesEntries: true)
  }

  /// Copies the newest commit without free pages. LMDB follows the pages of the store for that, so they are verified
  /// first.
  func copyCompacted(to file: borrowing StoreFile) throws {
    for _ in 0..<100 {
      if try read({ try scanPages($0) }) { break }
    }
    try fill(file, isCompact: true)
    try file.renumber()
    _ = try file.verify(verifiesEntries: true)
  }

  private func fill(_ file: borrowing StoreFile, isCompact: Bool) throws {
    try checkOurs()
    // LMDB waits for the writer before it copies the headers, and this thread is the writer.
    guard !thread.isWriting else { throw error(.reentrantWrite) }
    for _ in 0..<100 {
      try enter()
      let status = file.fill(from: handle, isCompact: isCompact)
      leave()
      switch status {
      case MDB_SUCCESS: return
      case MDB_READERS_FULL, MDB_MAP_RESIZED: try read { _ in }  // frees slots and follows the map
      default: throw file.failure(status, of: path)
      }
      guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
        throw LMDBError.lastSystemError(at: file.path)
      }
    }
    throw error(.readersFull)
  }
}
