internal import CFastMap

/// New instances for comparison. A property with the same value as in a new instance counts as unset.
struct BlankInstances {
  private let schema: Schema
  private var blanks: [Int: AnyObject] = [:]

  init(_ schema: Schema) { self.schema = schema }

  /// Whether a property is nil or has the value of a new instance.
  mutating func isBlank(_ access: AttributeAccess, of instance: AnyObject, _ entity: Int) -> Bool {
    guard let blank = blank(of: entity) else { return false }
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(access, of: instance, at: 0)
    if values.row[0].isMissing { return true }
    values.set(access, of: blank, at: 1)
    return values.slots[0].isIdentical(to: values.slots[1])
  }

  private mutating func blank(of entity: Int) -> AnyObject? {
    if let known = blanks[entity] { return known }
    let made = schema.entities[entity].objects?.make()
    blanks[entity] = made
    return made
  }
}
