extension RowBuffer {
  /// Copies the value of a property into a field. Nil leaves the field missing, as in a store.
  package mutating func set(_ access: AttributeAccess, of instance: AnyObject, at field: Int) {
    write(at: field) { access.get(instance, &$0) }
  }

  /// Writes the value that a property would have after it is set to a field.
  ///
  /// - Returns: False if the property would be left alone.
  package mutating func normalise(_ value: Field, _ access: AttributeAccess, at field: Int) -> Bool {
    write(at: field) { access.normalise(value, &$0) }
  }
}
