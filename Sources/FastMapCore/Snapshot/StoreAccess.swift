/// The store in the middle of an import, lent to a custom policy or a delegate for the length of its call.
///
///     let tag = try store.find("red", of: "Tag")
///
/// It sees what the import has written so far. An entity that the plan does not know has no objects.
public struct StoreAccess {
  private let schema: Schema
  private let findKey: (PrimaryKey, Int) throws -> ObjectID?
  private let read: (ObjectID, Int) throws -> Record?
  private let instanceOf: (ObjectID, Int) -> AnyObject?
  private let countOf: (Int) throws -> Int

  /// - Parameter writer: Valid for as long as the access is.
  init<W: StoreWriter>(_ writer: UnsafeMutablePointer<W>, _ schema: Schema) {
    self.schema = schema
    findKey = { try writer.pointee.find($0, of: $1) }
    read = { try writer.pointee.record($0, of: $1, in: schema) }
    instanceOf = { writer.pointee.instance($0, of: $1) }
    countOf = { try writer.pointee.count(of: $0) }
  }

  /// The object with a key; nil where there is none.
  public func find(_ key: PrimaryKey, of entity: String) throws -> ObjectID? {
    try schema.entity(named: entity).flatMap { try findKey(key, $0) }
  }

  /// A copy of an object; nil where it is not stored.
  public func record(_ id: ObjectID, of entity: String) throws -> Record? {
    try schema.entity(named: entity).flatMap { try read(id, $0) }
  }

  /// The instance that an object is, in a store that keeps instances; nil in any other.
  public func instance(_ id: ObjectID, of entity: String) -> AnyObject? {
    schema.entity(named: entity).flatMap { instanceOf(id, $0) }
  }

  /// The number of objects of an entity.
  public func count(of entity: String) throws -> Int {
    try schema.entity(named: entity).map(countOf) ?? 0
  }
}
