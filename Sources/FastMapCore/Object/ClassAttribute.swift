/// An attribute that is a property of a class.
struct ClassAttribute: Sendable {
  /// The field.
  let number: Int
  /// Sets the property.
  let access: AttributeClosure

  /// Nil for another field.
  init?(_ field: Schema.Field, number: Int) {
    guard case .attribute(let access)? = field.access else { return nil }
    self.number = number
    self.access = access.access
  }
}
