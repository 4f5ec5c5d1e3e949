/// An object that an import in several transactions has unlinked. The last transaction deletes it, unless something
/// refers to it again.
///
///     let kept = Leftover(id: id, entity: 0, isOwned: false, deletesShared: false)
///
/// A persistent store saves these with each transaction before the last. If the process ends, the next import or
/// deletion deletes them. A plain `write` leaves them. See ``StoreWriter/keepLeftovers(_:of:)``.
public struct Leftover: Hashable, Sendable {
  /// The object.
  public let id: ObjectID
  /// The number of its entity.
  public let entity: Int
  /// Whether it has no key and belonged to the object that unlinked it.
  public let isOwned: Bool
  /// Whether to delete it even if others refer to it.
  public let deletesShared: Bool

  /// Makes a leftover from its stored parts.
  public init(id: ObjectID, entity: Int, isOwned: Bool, deletesShared: Bool) {
    self.id = id
    self.entity = entity
    self.isOwned = isOwned
    self.deletesShared = deletesShared
  }

  /// The same with another number of the entity, such as the store's own.
  package func of(entity: Int) -> Leftover {
    Leftover(id: id, entity: entity, isOwned: isOwned, deletesShared: deletesShared)
  }
}

/// A reader of a store that keeps leftovers. `dump` refuses a store that has some.
package protocol LeftoverReader: StoreReader {
  mutating func hasLeftovers() throws -> Bool
}
