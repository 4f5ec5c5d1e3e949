/// Some objects of an entity, in order, with their keys.
///
///     for (id, key) in zip(page.ids, page.keys) { print(id, key ?? "no key") }
public struct ObjectPage: Sendable {
  /// The objects.
  public private(set) var ids: [ObjectID]
  /// Their keys, as many as `ids`; nil for an object without a key.
  public private(set) var keys: [PrimaryKey?]

  /// Makes a page.
  ///
  /// - Precondition: `ids` and `keys` have the same count.
  public init(ids: [ObjectID] = [], keys: [PrimaryKey?] = []) {
    precondition(ids.count == keys.count, "a page has a key or nil for each object")
    self.ids = ids
    self.keys = keys
  }

  /// The number of objects.
  public var count: Int { ids.count }

  /// Appends an object.
  public mutating func append(_ id: ObjectID, _ key: PrimaryKey?) {
    ids.append(id)
    keys.append(key)
  }

  /// Removes all objects and keeps the memory.
  package mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
  }
}
