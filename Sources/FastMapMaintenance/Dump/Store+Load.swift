extension Store {
  /// Loads a dump into an empty store, in one transaction.
  ///
  ///     let report = try LMDBStore(at: "copy.db").load(dump: "people.dump")
  ///
  /// Every line is checked before the first object is written: types, keys, links, counts and the checksum at the end. A
  /// store that makes its tables outside of transactions keeps them if the load fails later.
  ///
  /// - Parameter path: The dump, of any store. A pipe is read as data arrives, and kept in an unnamed file.
  /// - Returns: The numbers of objects and targets.
  /// - Throws: ``DumpError`` with the line, also if this store is not empty; `UniquenessError`; errors of the store, which
  ///   has no objects then.
  /// - Complexity: O(*n* log *n*) in the objects and links. Memory for some thousand objects and the longest list. A store
  ///   whose numbers are not consecutive takes 8 bytes for each object besides.
  @discardableResult
  public func load(dump path: String) throws -> DumpLoadReport { try load(JSONLines(path)) }

  /// Loads a dump from any source of lines.
  @discardableResult
  package func load(_ lines: JSONLines) throws -> DumpLoadReport {
    try refuseManySnapshots()
    try read(Schema(entities: [])) { reader in
      guard let schema = try reader.storedSchema() else { return }
      try reader.use(schema)
      try lines.refuseObjects(of: schema, in: &reader)
    }
    let most = capabilities.mostValueBytes ?? .max
    var check = DumpReader(lines, mostValueBytes: most)
    _ = try check.run { _ in }
    let header = check.header
    _ = try prepare(header.schema)
    return try transact(header.schema) { writer in
      try lines.refuseObjects(of: header.schema, in: &writer.reader)
      // Any object may refer to a later one.
      let numbers = try KeyBatch.lend([]) { keys in
        try writer.checkedReserve(
          header.counts.enumerated().map { NumberRequest(entity: $0, keys: keys, count: $1) })
      }
      var reader = DumpReader(lines, mostValueBytes: most, numbers: numbers)
      let report = try reader.run { try $0.apply(to: &writer) }
      if var kept = writer as? any TextWriter {
        for (name, text) in header.texts { try kept.keep(text, as: name) }
      }
      return .commit(report)
    }
  }
}

extension JSONLines {
  /// - Throws: ``DumpError`` if the store has objects of the schema.
  fileprivate func refuseObjects<R: StoreReader>(of schema: Schema, in reader: inout R) throws {
    let count = try schema.entities.indices.reduce(0) { try $0 + reader.count(of: $1) }
    guard count > 0 else { return }
    throw DumpError(
      file: name,
      "the store already has \(count == 1 ? "an object" : "\(count) objects"); "
        + "a dump can only be loaded into an empty store")
  }
}

/// The result of loading a dump.
///
///     print(try store.load(dump: "people.dump").objectCount)
public struct DumpLoadReport: Equatable, Sendable {
  /// The number of objects.
  public internal(set) var objectCount = 0
  /// The number of targets of to-many relationships, counted once for each position.
  package internal(set) var targetCount = 0
}
