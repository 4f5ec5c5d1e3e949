/// An object that an import in several transactions has let go of. Its last transaction deletes it, unless something
/// refers to it then.
///
/// A store that outlives its process keeps these with each of the transactions before: where the process ends, the
/// next import or deletion deletes them; a `write` by itself leaves them.
/// ``StoreWriter/keepLeftovers(_:of:)``
public struct Leftover: Hashable, Sendable {
  /// The object.
  public let id: ObjectID
  /// The number of its entity.
  public let entity: Int
  /// Whether it has no key, and belonged to the object that let go of it.
  public let isOwned: Bool
  /// Whether it is deleted even where others refer to it.
  public let deletesShared: Bool

  /// Makes a leftover, as it was kept.
  public init(id: ObjectID, entity: Int, isOwned: Bool, deletesShared: Bool) {
    self.id = id
    self.entity = entity
    self.isOwned = isOwned
    self.deletesShared = deletesShared
  }
}
