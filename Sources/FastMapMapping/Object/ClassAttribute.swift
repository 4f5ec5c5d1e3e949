/// An attribute that is a property of a class.
package struct ClassAttribute: Sendable {
  /// The field.
  package let number: Int
  /// Sets the property.
  package let access: AttributeClosure
  /// The default that a mapping names for a property that is not optional. Any other default is in new instances already.
  private let namedDefault: LiteralSlot?

  init(number: Int, _ access: AttributeAccess, namedDefault: Value?) {
    self.number = number
    self.access = access.access
    self.namedDefault = namedDefault.map { LiteralSlot($0) }
  }

  /// The value for a new instance without a stored value. Null leaves a property alone that is not optional.
  package var none: Field { namedDefault.map { Field($0.slot) } ?? .null }
}
