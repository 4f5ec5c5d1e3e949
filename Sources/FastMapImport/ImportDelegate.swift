/// Observes each object and collection that an import maps.
///
///     final class Log: ImportDelegate {
///       func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
///         print(object.entity, try object.record()?.key ?? "without a key")
///       }
///     }
///
/// All methods are called inside the transaction. An error ends the import and rolls it back. For `[{"n": "a",
/// "tags": [{"t": "x"}]}]`, the calls are:
///
/// 1. will map collection (people)
/// 2. will map object (a)
/// 3. will map collection (tags)
/// 4. will map object (x)
/// 5. did map object (x)
/// 6. did map collection (tags)
/// 7. did map object (a)
/// 8. did map collection (people)
///
/// The calls for a batch come after it was written, in payload order. So all of them see the objects of the batch with their new values
/// and relationships. A weak relationship whose target comes in a later batch has none yet.
///
/// A store may run the transaction again, because it has to grow or because another writer has interfered. All calls of
/// the transaction are repeated then.
///
/// Objects that are left out, and weak relationships without a target, are not reported.
public protocol ImportDelegate: Sendable {
  /// An object of the payload begins: its relationships follow.
  ///
  /// - Parameters:
  ///   - object: Valid for the call.
  ///   - representation: Its own JSON, valid for the call. For a relationship without a key path, its owner's JSON.
  func willMapObject(_ object: MappedObject, from representation: JSONValue) throws

  /// An object of the payload ends, after all inside of it.
  func didMapObject(_ object: MappedObject, from representation: JSONValue) throws

  /// An array of objects begins, at the root or in a to-many relationship.
  ///
  /// An empty array is reported. Null and a single value are not.
  ///
  /// - Parameters:
  ///   - mapping: The mapping of the objects.
  ///   - representation: The array, valid for the call; nil for the root, which is read in batches.
  func willMapCollection(of mapping: MappingDefinition, from representation: JSONValue?) throws

  /// An array of objects ends.
  ///
  /// - Parameters:
  ///   - objects: The mapped objects, without faulty ones, in payload order. Valid for the call.
  ///   - mapping: The mapping of the objects.
  ///   - representation: The array, valid for the call; nil for the root.
  func didMapCollection(
    _ objects: [MappedObject], of mapping: MappingDefinition, from representation: JSONValue?) throws
}

extension ImportDelegate {
  public func willMapObject(_ object: MappedObject, from representation: JSONValue) throws {}
  public func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {}
  public func willMapCollection(of mapping: MappingDefinition, from representation: JSONValue?) throws {}
  public func didMapCollection(
    _ objects: [MappedObject], of mapping: MappingDefinition, from representation: JSONValue?
  ) throws {}
}

/// An object during an import, lent to a delegate for its call.
///
///     if let person = object.instance as? Person { person.fullName = person.first + " " + person.last }
public struct MappedObject {
  /// The object's number in the store.
  public let id: ObjectID
  /// Its entity.
  public var entity: String { mapping.entity }
  /// The mapping with which it is imported.
  public let mapping: MappingDefinition
  let lent: LentSnapshot

  /// The store in its current state. Without a store, it has no objects.
  public var store: Snapshot {
    _read { yield lent.snapshot }
    nonmutating _modify { yield &lent.snapshot }
  }

  /// The instance, in an import without a store; nil in any other.
  public var instance: AnyObject? { lent.snapshot.instance(id) }

  /// A copy of its current values; nil if the import has deleted it again.
  public func record() throws -> Record? { try store.record(id, of: entity) }
}
