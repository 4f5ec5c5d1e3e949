/// Owned objects that earlier batches have removed from their owners, and that a later batch may link again.
struct DetachedOwnedObjects {
  var byHolder: [ChangeBatch.Holder: [ObjectID]] = [:]
  /// Whether others may have deleted some of them, because a transaction has ended since.
  var mayBeGone = false

  /// Finds the detached objects of some relationships that are still stored. Asks the store only if they may be gone.
  ///
  /// - Parameter entity: The entity of the objects.
  func stored<R: StoreReader>(
    _ holders: [ChangeBatch.Holder], of entity: Int, in reader: inout R
  ) throws -> [ChangeBatch.Holder: [ObjectID]] {
    if byHolder.isEmpty { return [:] }
    var found: [ChangeBatch.Holder: [ObjectID]] = [:]
    for holder in holders {
      if let ids = byHolder[holder] { found[holder] = ids }
    }
    guard mayBeGone, !found.isEmpty else { return found }
    let stored = try reader.stored(found.values.joined(), of: entity)
    return found.mapValues { $0.filter(stored.contains) }
  }
}
