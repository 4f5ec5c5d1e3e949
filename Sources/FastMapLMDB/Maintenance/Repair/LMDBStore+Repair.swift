import FastMapSystem

extension LMDBStore {
  /// Copies what is sound of a damaged store into a new one, and says what is not.
  ///
  ///     let report = try LMDBStore.repair(from: "people.db", to: "people-repaired.db")
  ///     guard report.isComplete else { return print(report.problems) }
  ///
  /// The old store is read page by page, without LMDB, and is not touched. What has its checksum is taken, wherever
  /// it is found, also on damaged pages and below damaged branches; nothing else is. The index and the inverse
  /// of relationships are made anew where they have gaps. References to objects that are lost are taken out; of a
  /// list that has lost a part, those objects that the inverse still knows are appended. Objects that belonged to
  /// a lost owner stay.
  ///
  /// The new store is sound, and on the disk, when this returns. What the newest commit had and could not be
  /// read is lost: a backup may have it.
  ///
  /// - Parameters:
  ///   - path: The directory of the damaged store, which nobody has open.
  ///   - newPath: The directory of the new one, in a directory that exists. It is made, or is empty.
  /// - Returns: What was saved, and what was not.
  /// - Throws: ``LMDBError``: `.inUse`, `.targetExists`, `.notFound`; `.damaged` where nothing of the store can be
  ///   found; `.foreignFile` where it has another version of the format; `.diskFull`. There is no new store then.
  /// - Complexity: O(*n* log *n*) in the records; memory for a bit for each page, and for what is at fault.
  /// - Note: Thread rule: any thread.
  public static func repair(from path: String, to newPath: String) throws -> RepairReport {
    let dataFile = path + "/data.mdb"
    guard let status = try FileSystem.status(of: dataFile) else { throw LMDBError(.notFound, path: path) }
    return try EnvironmentRegistry.exclusively(FileID(status), path) {
      // Before the data file: closing a descriptor lets go of this process's locks, of which it has none.
      let old = StoreDirectory(path, EnvironmentOptions())
      try LockFile(old).check()
      guard old.isOpenNowhere else { throw LMDBError(.inUse, path: path) }
      let descriptor = open(dataFile, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw LMDBError.lastSystemError(at: path) }
      defer { close(descriptor) }
      var report = RepairReport()
      try StoreDirectory(newPath, EnvironmentOptions()).make { directory in
        let store = try LMDBStore(at: directory)
        var salvage = try PageSalvage(descriptor, size: Int(status.st_size), path: path)
        try Salvaged.fill(store, &salvage)
        report = salvage.report
        var rebuild = Rebuild(store, report)
        do {
          try rebuild.run()
        } catch let error as LMDBError {
          // Said of the old store's entries, which the new one has by now.
          guard case .foreignFile = error.reason else { throw error }
          throw LMDBError(error.reason, path: path)
        }
        report = rebuild.report
      }
      return report
    }
  }
}

/// Fills the tables of a new store with what was found of an old one.
enum Salvaged {
  private static let atOnce = (entries: 20_000, bytes: 16 << 20)

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

  /// The first one of a key stays: what a tree leads to comes before what nothing leads to.
  private static func put(_ entries: [PageSalvage.Entry], _ store: LMDBStore) throws {
    try store.environment.write { transaction in
      for entry in entries {
        try entry.key.withUnsafeBytes { key in
          try entry.value.withUnsafeBytes { value in
            _ = try transaction.insert(store.environment.databases[entry.table.rawValue], key, value)
          }
        }
      }
    }
  }
}
