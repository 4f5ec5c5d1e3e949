/// Is told of each object and collection as an import maps it.
///
///     final class Log: ImportDelegate {
///       func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
///         print(object.entity, try object.record()?.key ?? "without a key")
///       }
///     }
///
/// For `[{"n": "a", "tags": [{"t": "x"}]}]` the order is: will map collection (people), will map object (a),
/// will map collection (tags), will map object (x), did map object (x), did map collection (tags), did map
/// object (a), did map collection (people). Each is called inside the transaction, and an error that it throws
/// ends the import, which is rolled back.
///
/// An import with a delegate writes object by object, in payload order, and not batch by batch: an object is
/// found or made when `willMapObject` is called, its attributes come after that and before its relationships, a
/// target is mapped when its owner gets it, and all is done when `didMapObject` is called. It is slower for
/// that. An object that is left out, and a weak relationship to nothing, are not reported.
public protocol ImportDelegate: Sendable {
  /// An object was found or made, and is about to get its values.
  ///
  /// - Parameters:
  ///   - object: Valid for the call.
  ///   - representation: Its own JSON, valid for the call; its owner's for a relationship without a key path.
  func willMapObject(_ object: MappedObject, from representation: JSONValue) throws

  /// An object has its values and its relationships.
  func didMapObject(_ object: MappedObject, from representation: JSONValue) throws

  /// The objects of an array are about to be mapped: those of the root, or of a to-many relationship. An
  /// empty array counts, null and a single value do not.
  ///
  /// - Parameters:
  ///   - mapping: Of the objects.
  ///   - representation: The array, valid for the call; nil for the root, which is read in batches.
  func willMapCollection(of mapping: MappingDefinition, from representation: JSONValue?) throws

  /// The objects of an array are mapped.
  ///
  /// - Parameters:
  ///   - objects: Valid for the call, in payload order; those that were left out are not among them.
  ///   - mapping: Of the objects.
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

/// An object in the middle of an import, lent to a delegate for the length of its call.
///
///     if let person = object.instance as? Person { person.fullName = person.first + " " + person.last }
public struct MappedObject {
  /// The object's number in the store.
  public let id: ObjectID
  /// Its kind.
  public var entity: String { mapping.entity }
  /// The mapping that it is met with.
  public let mapping: MappingDefinition
  let lent: LentSnapshot

  /// The store in the middle of the import.
  public var store: Snapshot {
    get { lent.snapshot }
    nonmutating _modify { yield &lent.snapshot }
  }

  /// The instance that it is, in a store that keeps instances; nil in any other.
  public var instance: AnyObject? { try? store.instance(id, of: entity) }

  /// A copy of it as it is now; nil where the import has deleted it again.
  public func record() throws -> Record? { try store.record(id, of: entity) }
}
