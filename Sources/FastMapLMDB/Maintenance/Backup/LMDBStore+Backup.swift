extension LMDBStore {
  /// Copies the newest commit into a new store, while this one is in use.
  ///
  ///     try store.backup(to: "backups/people-2026-11-21.db")
  ///
  /// Others may read and write during the copy. The copy contains no later commits. A plain copy waits for a
  /// running write before it begins; a compacting copy does not. A write that has to grow the map waits until the
  /// copy ends, and pages freed meanwhile are not reused before that.
  ///
  /// The copy is verified, page by page and checksum by checksum, and synced before it gets its name. So `path` has a
  /// complete, intact store or nothing.
  ///
  /// - Parameters:
  ///   - path: The directory of the new store, in an existing directory; missing or empty. It gets
  ///     mode 0700, and the file in it 0600.
  ///   - compacting: Whether free pages are left out. Compacting makes the copy smaller and slower.
  /// - Throws: ``LMDBError``. Nothing is left at `path` then. Reasons:
  ///   - `.targetExists` if `path` is in use;
  ///   - `.damaged` if this store is damaged: use ``repair(from:to:)``;
  ///   - `.foreignFile` if it has another format version, or features that this FastMap cannot read;
  ///   - `.reentrantWrite` inside a write;
  ///   - `.diskFull`.
  /// - Complexity: O(*n*) in the bytes.
  /// - Note: Thread rule: any thread, also inside a read.
  ///
  /// C: `mdb_env_copyfd2`
  public func backup(to path: String, compacting: Bool = false) throws {
    var configuration = environment.configuration
    configuration.allowsNetworkFileSystem = true  // the copy is not opened
    // A copy is a store that this FastMap has made.
    try environment.read { _ = try StoreLayout($0.view, tables) }
    try StoreDirectory(path, configuration).make { directory in
      let file = try StoreFile(creating: directory + "/data.mdb")
      if compacting { try environment.copyCompacted(to: file) } else { try environment.copy(to: file) }
      try file.sync()
      // Read after the copy, so that it describes all of it.
      let layout = try environment.read { try StoreLayout($0.view, tables) }
      if layout.entities.isEmpty { return }
      let status = try file.status()
      try SchemaFile.in(directory) { try $0.write(layout.schemaText, like: status) }
    }
  }

  /// Rewrites a store without its free pages, so that its file is as short as possible.
  ///
  ///     let saved = try LMDBStore.compact(at: "people.db")
  ///
  /// A store reuses free pages but never returns them to the file system, so compact it after large deletions. No process
  /// may have the store open, and other openers wait. The disk needs space for a second file. The new file replaces
  /// the old one in one step, once it is complete, verified and on the disk.
  ///
  /// To compact a store that is in use, make a backup: ``backup(to:compacting:)``.
  ///
  /// - Parameter path: The store's directory.
  /// - Returns: The reduction of the file's size, in bytes.
  /// - Throws: ``LMDBError``: `.inUse` if any process has it open; `.damaged`, then use ``repair(from:to:)``;
  ///   `.foreignFile` if it has another format version, or features that this FastMap does not know; `.diskFull`. The
  ///   store is unchanged then.
  /// - Complexity: O(*n*) in the bytes.
  /// - Note: Thread rule: any thread.
  ///
  /// C: `mdb_env_copyfd2` with `MDB_CP_COMPACT`
  @discardableResult
  public static func compact(at path: String) throws -> Int {
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    return try Compaction(StoreDirectory(path, configuration)).run()
  }
}
