/// Two objects with the same values in a unique index.
///
///     try writer.forEachDuplicate(limit: 100) { print($0.index, $0.first.id, $0.second.id) }
///
/// A store reports them from ``StoreWriter/forEachDuplicate(limit:_:)``. Users see a ``UniquenessError``.
public struct DuplicateValues: Hashable, Sendable {
  /// One of the objects.
  ///
  ///     let object = DuplicateValues.Object(id: id, key: 17)
  public struct Object: Hashable, Sendable {
    /// Its number.
    public let id: ObjectID
    /// Its primary key; nil if it has none.
    public let key: PrimaryKey?

    /// Makes an object of a pair.
    public init(id: ObjectID, key: PrimaryKey?) {
      self.id = id
      self.key = key
    }
  }

  /// The number of their entity.
  public let entity: Int
  /// The name of the index: `status,-created_at`.
  public let index: String
  /// The common content of both objects, in the order of the index's fields. No field is `none`.
  public let contents: [IndexRange.Content]
  /// The object that comes first in the index.
  public let first: Object
  /// The object that comes after it.
  public let second: Object

  /// Makes a pair.
  public init(entity: Int, index: String, contents: [IndexRange.Content], first: Object, second: Object) {
    self.entity = entity
    self.index = index
    self.contents = contents
    self.first = first
    self.second = second
  }
}
