extension LMDBStore {
  /// Copies the newest commit into a new store, while this one is in use.
  ///
  ///     try store.backup(to: "backups/people-2026-11-21.db")
  ///
  /// The copy begins when no write is running, and waits for one that is; a compacting copy does not wait. Others may read
  /// and write meanwhile; what they commit after the copy has begun is not in it. A write that
  /// has to make the store grow beyond its map waits for the copy to end, and pages that commits let go are
  /// not used again before that.
  ///
  /// The copy is looked over, page by page and checksum by checksum, and synced before it gets its name: there
  /// is a whole and sound store at `path`, or none.
  ///
  /// - Parameters:
  ///   - path: The directory of the new store, in a directory that exists. It is made, with mode 0700, or is
  ///     empty; the file in it has mode 0600.
  ///   - compacting: Whether free pages are left out. The copy is smaller then, and takes longer.
  /// - Throws: ``LMDBError``: `.targetExists` where there is anything at `path`; `.damaged` where this store is,
  ///   for which there is ``repair(from:to:)``; `.reentrantWrite` inside a write; `.diskFull`. Nothing is left at
  ///   `path` then.
  /// - Complexity: O(*n*) in the bytes.
  /// - Note: Thread rule: any thread, also inside a read.
  ///
  /// C: `mdb_env_copyfd2`
  public func backup(to path: String, compacting: Bool = false) throws {
    var options = environment.options
    options.allowsNetworkFileSystem = true  // nobody opens the copy
    try StoreDirectory(path, options).make { directory in
      let file = try StoreFile(creating: directory + "/data.mdb")
      if compacting { try environment.copyCompacted(to: file) } else { try environment.copy(to: file) }
      try file.sync()
    }
  }

  /// Rewrites a store that nobody has open without its free pages, so that its file becomes as short as it can
  /// be.
  ///
  ///     let saved = try LMDBStore.compact(at: "people.db")
  ///
  /// A store uses free pages again, but never gives them back: this is for after large deletions. It needs
  /// room for a second file beside the first. Whoever opens the store meanwhile waits. The new file takes the
  /// place of the old one in one step, when it is whole, sound and on the disk.
  ///
  /// To compact a store that is in use, take a copy: ``backup(to:compacting:)``.
  ///
  /// - Parameter path: The store's directory.
  /// - Returns: The bytes that the file has become shorter.
  /// - Throws: ``LMDBError``: `.inUse` where it is open, in this process or in another one; `.damaged`, for which
  ///   there is ``repair(from:to:)``; `.diskFull`. The store is unchanged then.
  /// - Complexity: O(*n*) in the bytes.
  /// - Note: Thread rule: any thread.
  ///
  /// C: `mdb_env_copyfd2` with `MDB_CP_COMPACT`
  @discardableResult
  public static func compact(at path: String) throws -> Int {
    var options = EnvironmentOptions()
    options.databases = Table.allCases.map(\.name)
    options.hasChecksums = true
    options.createsIfMissing = false
    return try Compaction(StoreDirectory(path, options)).run()
  }
}
