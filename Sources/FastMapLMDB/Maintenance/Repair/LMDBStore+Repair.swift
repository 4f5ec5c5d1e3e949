import FastMapSystem

extension LMDBStore {
  /// Copies every intact record of a damaged store into a new one, and reports the losses.
  ///
  ///     let report = try LMDBStore.repair(from: "people.db", to: "people-repaired.db")
  ///     guard report.isComplete else { return print(report.problems) }
  ///
  /// The old store is read page by page, without LMDB, and is not changed. Every entry with a valid checksum on a page
  /// with its own number is copied, also below damaged branches. Missing layouts are taken from their copies, and from
  /// the file `data.schema.json` beside the data. Missing numbers and inverse relationships are rebuilt.
  ///
  /// If the list of free pages is lost as well, all pages are read. Their objects may be older or deleted ones, and the
  /// report says so. If both headers are lost, the newest commit that is found may not be the last one, and the report says so.
  ///
  /// References to lost objects are removed. If part of a list is lost, objects that the inverse still knows are
  /// appended to the list. Objects that belonged to a lost owner stay.
  ///
  /// When this returns, the new store is intact and on the disk. Data of the newest commit that could not be read is
  /// lost, but a backup may have it.
  ///
  /// - Parameters:
  ///   - path: The directory of the damaged store, which must not be open.
  ///   - newPath: The directory of the new store, in an existing directory. Missing or empty.
  /// - Returns: A report of the saved and the lost objects.
  /// - Throws: ``LMDBError``. No new store is created then. Reasons:
  ///   - `.inUse`, `.targetExists`, `.notFound`, `.diskFull`;
  ///   - `.damaged` if nothing of the store can be found;
  ///   - `.notAStore` if `data.mdb` is not a file;
  ///   - `.foreignFile` if it has another format version.
  /// - Complexity: O(*n* log *n*) in the records. Memory for one bit per page, and for the faults.
  /// - Note: Thread rule: any thread.
  public static func repair(from path: String, to newPath: String) throws -> RepairReport {
    let dataFile = path + "/data.mdb"
    guard let status = try FileSystem.status(of: dataFile) else { throw LMDBError(.notFound, path: path) }
    guard FileSystem.kind(status) == .file else {
      throw LMDBError(.notAStore(detail: "data.mdb is not a file"), path: path)
    }
    return try EnvironmentRegistry.exclusively(FileID(status), path) {
      // Before the data file is opened: closing a descriptor releases this process's locks, and it has none yet.
      let old = StoreDirectory(path, LMDBStore.Configuration())
      try LockFile(old).check()
      guard old.isOpenNowhere else { throw LMDBError(.inUse, path: path) }
      let descriptor = open(dataFile, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw LMDBError.lastSystemError(at: path) }
      defer { close(descriptor) }
      let schema = try SchemaFile.in(path) { $0.read() }.flatMap { StoreLayout(schemaText: $0) }
      var report = RepairReport()
      try StoreDirectory(newPath, LMDBStore.Configuration()).make { directory in
        let store = try LMDBStore(at: directory)
        var salvage = try PageSalvage(descriptor, size: Int(status.st_size), path: path)
        try Salvaged.fill(store, &salvage)
        report = salvage.report
        var rebuild = Rebuild(store, report, schema)
        do {
          try rebuild.run()
        } catch let error as LMDBError {
          // The error is about the old store's entries, now in the new store.
          guard case .foreignFile = error.reason else { throw error }
          throw LMDBError(error.reason, path: path)
        }
        report = rebuild.report
      }
      return report
    }
  }
}

/// Fills the tables of a new store with the entries found in an old one.
enum Salvaged {
  private static let atOnce = (entries: 20_000, bytes: 16 << 20, references: 1 << 16)

  static func fill(_ store: LMDBStore, _ salvage: inout PageSalvage) throws {
    var entries: [PageSalvage.Entry] = []
    var bytes = 0
    try salvage.run { entry in
      entries.append(entry)
      bytes += entry.value.count
      if entries.count == atOnce.entries || bytes >= atOnce.bytes {
        try put(entries, store)
        entries.removeAll(keepingCapacity: true)
        bytes = 0
      }
    }
    try put(entries, store)
  }

  /// The first entry of a key stays, because entries in a tree come before stray ones. Blocks of references are joined,
  /// because blocks of different commits may overlap.
  private static func put(_ entries: [PageSalvage.Entry], _ store: LMDBStore) throws {
    try store.environment.write { transaction in
      var inverse = try InverseBlocks(transaction.view, store.tables)
      // Indexes are built again from the records.
      for entry in entries where entry.table != .index {
        if entry.table == .inverse {
          add(entry, to: &inverse)
          if inverse.pendingCount >= atOnce.references { try inverse.write() }
          continue
        }
        try entry.key.withUnsafeBytes { key in
          for table in tables(of: entry.table, key) {
            try Checksum.sealed(table, key, entry.value[Checksum.size...]).withUnsafeBytes { value in
              _ = try transaction.insert(store.environment.databases[table.rawValue], key, value)
            }
          }
        }
      }
      try inverse.write()
    }
  }

  /// The tables that get an entry. `meta` and `spare` restore each other.
  private static func tables(of table: Table, _ key: UnsafeRawBufferPointer) -> [Table] {
    switch table {
    case .meta, .spare: StoreLayout.isSpared(key) ? [.meta, .spare] : [table]
    default: [table]
    }
  }

  private static func add(_ entry: PageSalvage.Entry, to inverse: inout InverseBlocks) {
    let bytes = entry.value[Checksum.size...]
    entry.key.withUnsafeBytes { key in
      bytes.withUnsafeBytes { bytes in
        guard let block = InverseBlock(key, bytes) else { return }
        for index in 0..<block.count { inverse.add(block[index]) }
      }
    }
  }
}
