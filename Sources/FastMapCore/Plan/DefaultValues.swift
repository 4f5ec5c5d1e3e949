/// Finds the default of each attribute: the one that it names, or else what two new instances of the class agree on.
struct DefaultValues {
  private var instances: [ObjectIdentifier: (AnyObject, AnyObject)] = [:]
  private(set) var faults: [MappingDefinitionError.Fault] = []

  /// - Returns: Nil for an attribute without a default.
  mutating func value(of attribute: AttributeDefinition, in mapping: MappingDefinition) -> Value? {
    if let named = attribute.rules.defaultValue { return named.fitted(to: attribute.type.kind) }
    guard mapping.key?.name != attribute.name, let access = attribute.access, let objects = mapping.objects
    else { return nil }
    let known = instances[objects.type]
    let (first, second) = known ?? (objects.make(), objects.make())
    if known == nil { instances[objects.type] = (first, second) }
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(access, of: first, at: 0)
    values.set(access, of: second, at: 1)
    if values.slots[0].isIdentical(to: values.slots[1]) { return values.slots[0].value }
    if attribute.rules.keepsOnNull {
      faults.append(
        .init(
          place: mapping.place.appending(["attributes", attribute.name]),
          reason:
            "two new instances of \(objects.typeName) differ in \(quoted(attribute.name)), so it has no default; "
            + "make it optional, or name one with .default(…)"))
    }
    return nil
  }
}
