/// A store that outlasts the process: it can be checked, measured, dumped and loaded.
///
///     func report(on store: any PersistentStore) throws {
///       for problem in try store.check().problems { print(problem) }
///       try store.dump(to: "people.dump")
///     }
///
/// `LMDBStore` and `PostgresStore` are such stores. Each throws its own errors, which it documents.
///
/// Thread rule: any thread.
public protocol PersistentStore: Store {
  /// Verifies every invariant in one snapshot, and changes nothing.
  ///
  /// - Returns: The problems and the counts. Damage is reported, not thrown.
  /// - Throws: An error of the store that cannot be read at all.
  /// - Complexity: O(*n* log *n*) in the objects and links.
  func check() throws -> CheckReport

  /// Counts the stored objects and their sizes, in one snapshot.
  ///
  /// - Complexity: O(*n*) in the objects.
  func statistics() throws -> StoreStatistics

  /// Writes the whole store as NDJSON: entities, fields, objects, values, links and numbers.
  ///
  ///     try store.dump { bytes in try file.write(bytes) }
  ///
  /// A dump needs no mappings. Dumps include data that exports leave out: unreachable objects, all relationships, and
  /// fields that mappings no longer have. Every persistent store loads it. See docs/DUMP.md for the format. Others may read
  /// and write meanwhile; the dump shows one commit.
  ///
  /// - Parameter write: Receives the text, UTF-8, in pieces of about 64 KiB, borrowed for the call.
  /// - Throws: Errors of the store and of `write`.
  func dump(_ write: (UnsafeRawBufferPointer) throws -> Void) throws

  /// Loads a dump into an empty store, in one transaction. Objects keep their numbers.
  ///
  ///     let report = try LMDBStore(at: "copy.db").load(dump: "people.dump")
  ///
  /// Every line is checked: types, keys, links, counts and the checksum at the end.
  ///
  /// - Parameter path: The dump, of any store. A pipe is read as data arrives.
  /// - Returns: The numbers of objects and targets.
  /// - Throws: ``DumpError`` with the line, also if this store is not empty; errors of the store, which is unchanged then.
  /// - Complexity: O(*n* log *n*) in the objects and links; memory for one line and a bounded number of links.
  @discardableResult
  func load(dump path: String) throws -> DumpLoadReport
}

extension PersistentStore {
  /// Writes the whole store into a file. The complete file replaces an existing one.
  ///
  ///     try store.dump(to: "people.dump")
  ///
  /// - Parameter path: The file.
  /// - Throws: As ``dump(_:)``, and ``SystemError``. An existing file is unchanged then.
  public func dump(to path: String) throws {
    var file = try OutputFile(path)
    try dump { try file.write($0) }
    try file.replaceTarget()
  }
}

/// A persistent store that loads a dump from any source of lines.
package protocol DumpLoading: PersistentStore {
  /// Fills the empty store, in one transaction.
  @discardableResult
  func load(_ lines: JSONLines) throws -> DumpLoadReport
}
