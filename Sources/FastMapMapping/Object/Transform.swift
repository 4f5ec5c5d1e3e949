internal import CFastMap

/// Reads values of a type from JSON, and writes them.
///
///     let sex = Transform<Int>(
///       reading: { value in ["m": 0, "f": 1][value.string ?? ""].map { .value($0) } ?? .skip },
///       writing: { $0 == 0 ? .string("m") : .string("f") })
///
/// Given to an attribute, or to a mapper for every property of the type. Called once for each value, but must be
/// pure. A value is read again if a store repeats a transaction, or if a weak relationship is resolved later.
///
/// - Note: Thread rule: an import of a long text calls it on a thread of its own, one call at a time, except for the first
///   batches. The objects of earlier batches may not be in the store yet; see ``ImportOptions/readsAhead``. The
///   closure must not write to the store of the import: on that thread it would wait for the import, which waits for it.
public struct Transform<V: AttributeValue>: Sendable {
  /// The result of reading a JSON value.
  ///
  ///     let size = Transform<Int>(reading: { value in
  ///       value.string.flatMap(Int.init).map { .value($0) } ?? .skip
  ///     })
  public enum Outcome {
    /// Sets the property.
    case value(V)
    /// Clears the property, if it can be cleared.
    case null
    /// Leaves the property alone.
    case skip
  }

  package let read: @Sendable (JSONValue) throws -> Outcome
  package let write: (@Sendable (V) -> Value)?
  let readsNull: Bool

  /// Makes a transform.
  ///
  /// - Parameters:
  ///   - reading: Called with each JSON value, and with null only if `readsNull`. An error becomes a ``MappingError``
  ///     with the path of the value.
  ///   - readsNull: Whether `reading` is called for null.
  ///   - writing: Called for each value that is written. Nil writes the type's default form.
  public init(
    readsNull: Bool = false, reading: @escaping @Sendable (JSONValue) throws -> Outcome,
    writing: (@Sendable (V) -> Value)? = nil
  ) {
    read = reading
    write = writing
    self.readsNull = readsNull
  }
}

extension Transform.Outcome: Sendable where V: Sendable {}

/// The reason why a transform cannot read a value.
///
///     throw TransformError("expected a point, found three numbers")
public struct TransformError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message after the path: `expected a point, found three numbers`.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}

/// Transforms for all properties of a type. An attribute's own transform takes precedence.
///
///     var transforms = Transforms()
///     transforms.use(Transform<Bool>(reading: { .value($0.string == "yes") }))
///     let plan = try Plan(person, transforms: transforms)
public struct Transforms: Sendable {
  private var byType: [ObjectIdentifier: AnyTransform] = [:]

  /// Makes an empty set of transforms.
  public init() {}

  /// Sets the transform for a type. The last one counts.
  public mutating func use<V: AttributeValue>(_ transform: Transform<V>) {
    byType[ObjectIdentifier(V.self)] = AnyTransform(transform)
  }

  package var isEmpty: Bool { byType.isEmpty }

  func transform(for type: ObjectIdentifier?) -> AnyTransform? { type.flatMap { byType[$0] } }
}

/// A transform without its type.
package struct AnyTransform: Sendable {
  package enum Outcome {
    case written, null, skipped
  }

  package let read: @Sendable (JSONValue, inout FieldWriter) throws -> Outcome
  package let write: (@Sendable (Field) -> Value?)?
  let readsNull: Bool

  init<V: AttributeValue>(_ transform: Transform<V>) {
    readsNull = transform.readsNull
    read = { value, field in
      switch try transform.read(value) {
      case .value(let value):
        value.write(to: &field)
        return .written
      case .null: return .null
      case .skip: return .skipped
      }
    }
    if let write = transform.write {
      // A stored value that the type cannot hold is written as it is stored.
      self.write = { field in V(field).map(write) ?? (field.isNull ? nil : field.value) }
    } else {
      write = nil
    }
  }
}

extension TransformError: FastMapError {
  public var code: String { "transform" }
}
