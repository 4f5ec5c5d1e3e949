/// The values that a property shows in place of stored ones.
package struct ShownValues: Sendable {
  /// The property, if it has a fallback; nil for a property that shows its stored values unchanged.
  let access: AttributeAccess?
  /// The value that the property shows for an object without a stored one; nil for no value.
  let none: LiteralSlot?

  /// Nil for a property that shows its stored values.
  init?(_ field: Int, of entity: EntityClass) {
    guard let access = entity.attribute(field) else { return nil }
    let hasFallback = access.fallback != nil
    let value = entity.shownDefault(field)
    if !hasFallback && value == nil { return nil }
    self.access = hasFallback ? access : nil
    none = value.map { LiteralSlot(hasFallback ? access.shown($0) : $0) }
  }
}

extension AttributeAccess {
  /// A value as the property shows it; the value itself if the property cannot hold it.
  fileprivate func shown(_ value: Value) -> Value {
    var buffer = RowBuffer()
    buffer.reset(count: 2)
    buffer.set(value, at: 0)
    return buffer.normalise(buffer.unsafeRow[0], self, at: 1) ? buffer.slots[1].value ?? value : value
  }
}
