/// One value of an object, without the type of the object.
///
///     AttributeDefinition("city", .string, at: "address.city")
public struct AttributeDefinition: Sendable {
  /// Its name in the store, in records and in messages.
  public let name: String
  /// What it reads from JSON, and writes back.
  public let type: AttributeType

  /// The place of its value in the object's representation.
  public internal(set) var keyPath: JSONKeyPath

  /// The conditions on a value beyond its type, and how it is read.
  package var rules = AttributeRules()

  /// The property that takes it; nil in a record.
  package var access: AttributeAccess?

  /// Makes an attribute.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - type: What it reads from JSON.
  ///   - keyPath: The place of its value.
  public init(_ name: String, _ type: AttributeType, at keyPath: JSONKeyPath = .ownName) {
    self.name = name
    self.type = type
    self.keyPath = keyPath.resolved(for: name)
  }
}

/// The conditions on a value beyond its attribute's type, and how it is read.
package struct AttributeRules: Sendable {
  /// The integers that the property can hold; nil for all of 64 bits.
  package var range: ClosedRange<Int64>?
  /// Whether integers above `Int64.max` fit.
  package var takesUnsigned = false
  /// Whether all that can be wrong with a number is that a `Float` cannot hold it.
  package var isFloat = false
  /// Whether `"12"`, `12.0` and 0 or 1 for a boolean are taken as well.
  package var isLenient = false
  /// Whether null leaves the value alone: the property has no way to say null.
  package var keepsOnNull = false
  /// Checks a value that has the right type; nil if every such value fits.
  package var misfit: (@Sendable (JSONValue) -> Misfit?)?
  /// Reads JSON in place of the attribute's type, as the property's type defines it.
  package var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)?
  /// Reads and writes JSON in place of the attribute's type.
  package var transform: AnyTransform?
  /// The property's type without its optionality, for which a mapper may have a transform.
  package var valueType: ObjectIdentifier?
}
