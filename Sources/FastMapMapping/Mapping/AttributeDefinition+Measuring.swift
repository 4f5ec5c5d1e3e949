internal import CFastMap

// Only for Benchmarks, which is a separate package: measures writing one property.
@_spi(Benchmarks)
extension AttributeDefinition {
  /// Sets the property of each object, like an import.
  public func set(_ objects: [AnyObject], to field: Field) {
    guard let access else { return }
    for object in objects { access.set(object, field) }
  }
}

@_spi(Benchmarks)
extension Value {
  /// Lends the value as a field.
  public func withField<R>(_ body: (Field) throws -> R) rethrows -> R {
    var buffer = RowBuffer()
    buffer.reset(count: 1)
    buffer.set(self, at: 0)
    return try body(buffer.row[0])
  }
}
