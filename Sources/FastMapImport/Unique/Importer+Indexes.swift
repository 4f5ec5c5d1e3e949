/// The end of a transaction: new indexes.
extension Importer {
  /// Builds the indexes that the mappings declare and the store does not keep yet.
  ///
  /// - Parameter hasChanges: Whether the transaction has changed anything. If not, it must be worth a commit.
  /// - Returns: Whether the store keeps an index that it did not keep before.
  func buildIndexes<W: StoreWriter>(in writer: inout W, hasChanges: Bool) throws -> Bool {
    let missing = try missingIndexes(in: &writer.reader)
    guard hasChanges || missing > 0 else { return false }
    try writer.buildIndexes { done, total in
      try checkCancellation()
      reportProgress(indexed: done, of: total)
    }
    return try missing > 0 && missingIndexes(in: &writer.reader) < missing
  }

  private func missingIndexes<R: StoreReader>(in reader: inout R) throws -> Int {
    var count = 0
    for (number, entity) in plan.schema.entities.enumerated() where !entity.indexes.isEmpty {
      let stored = try reader.indexes(of: number)
      count += entity.indexes.count { index in
        !stored.contains { $0.parts == index.parts && ($0.isUnique || !index.isUnique) }
      }
    }
    return count
  }
}
