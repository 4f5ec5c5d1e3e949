internal import CFastMap

/// New instances for comparison. A property with the same value as in a new instance counts as unset.
struct ContextBlanks {
  private var blanks: [Int: AnyObject] = [:]

  /// Whether a property has no value, or that of a new instance.
  mutating func isBlank(
    _ property: ContextEntity.Property, of instance: AnyObject, _ entity: ContextEntity
  ) -> Bool {
    let blank = blanks[entity.number] ?? entity.make()
    blanks[entity.number] = blank
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(property.access, of: instance, at: 0)
    if values.row[0].isMissing { return true }
    values.set(property.access, of: blank, at: 1)
    return values.slots[0].isIdentical(to: values.slots[1])
  }
}
