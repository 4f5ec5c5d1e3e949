public import FastMapMaintenance

extension LMDBStore {
  /// Loads a dump into an empty store. Objects keep their numbers.
  ///
  ///     let report = try LMDBStore(at: "copy.db").load(dump: "people.dump")
  ///
  /// The load is one transaction. Every line is checked: types, keys, links, counts and the checksum at the end.
  ///
  /// - Parameter path: The dump, of any store. A pipe is read as data arrives.
  /// - Returns: The numbers of objects and targets.
  /// - Throws: `DumpError` with the line, also if this store is not empty; ``LMDBError``. The store is unchanged
  ///   then.
  /// - Complexity: O(*n* log *n*) in the objects and links; memory for one line and 65 536 links.
  /// - Note: Thread rule: any thread.
  @discardableResult
  public func load(dump path: String) throws -> DumpLoadReport { try load(JSONLines(path)) }

  @discardableResult
  package func load(_ lines: JSONLines) throws -> DumpLoadReport {
    guard !isReadOnly else { throw environment.error(.readOnly) }
    return try environment.write { transaction in
      let writing = WriteView(view: transaction.view)
      // Before counting records: in a store of another version, the count means nothing.
      _ = try StoreLayout(transaction.view, tables, isWriting: true)
      let stored = try writing.statistics(tables.records).entries
      guard stored == 0 else { throw DumpError.notEmpty(path, Int(clamping: stored)) }
      // An empty store still remembers earlier entities.
      for table in [tables.meta, tables.spare] where try writing.statistics(table).entries > 0 {
        try writing.deleteAll(table)
      }
      // No running import has this number.
      let number = ImportMark(from: 1, of: environment).number
      var loader = DumpLoader(
        lines, into: try LoadingTransaction(writing, tables, lists, leftoversOf: number))
      return try loader.run()
    }
  }
}
