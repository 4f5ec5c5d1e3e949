/// A stored value that its property cannot hold. The object is not shown, because it would show something that is not stored.
///
///     catch let error as UnreadableValueError {
///       print(error)     // Item 1.count: expected a value of Int8, found 300 in the store
///     }
///
/// Records, exports, counts, keys and filters read such an object. `unreadable: .skip(…)` leaves it out of a read.
public struct UnreadableValueError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The entity of the object.
  public let entity: String
  /// Its primary key; nil for an object without one.
  public let key: PrimaryKey?
  /// The number of the object in the store.
  public let id: ObjectID
  /// The object in messages: `Item 1`, or an owned one by its place, `Order 7.lines[2]`.
  package var title: String
  /// The name of the attribute.
  public let field: String
  /// The stored value in messages, shortened: `300`, `"12,50"`.
  public let found: String
  /// The type of the property: `Int8`.
  public let type: String
  /// The report of the save or the import that is stored, and whose objects were to be shown; nil for a read.
  public package(set) var report: ImportReport?

  public var description: String {
    let stored = report.map { $0.isOfSave ? "; the save is stored" : "; the import is stored" } ?? ""
    return "\(title).\(escaped(field)): expected a value of \(type), found \(found) in the store\(stored)"
  }

  /// - Parameters:
  ///   - number: The field.
  ///   - title: The object in messages; its entity and key by default.
  ///   - instance: The instance of the object, if it has one.
  package init(
    _ number: Int, holding value: Field, of entity: Schema.Entity, _ own: EntityClass, _ id: ObjectID,
    key: PrimaryKey?,
    title: String? = nil, instance: AnyObject? = nil
  ) {
    self.entity = entity.name
    self.key = key
    self.id = id
    self.title = title ?? ContextError.title(entity.name, key)
    field = entity.fields[number].name
    found = "\(ObjectConflict.State.value(value.value ?? .null))"
    if let kinds = own.objects?.kinds, kinds.field == number {
      type = kinds.expectation(of: instance)
      return
    }
    type = own.attribute(number)?.typeName ?? "Value"
  }
}

extension UnreadableValueError: FastMapError {
  public var code: String { "unreadable-value" }
  public var place: String? { "\(title).\(field)" }
}
