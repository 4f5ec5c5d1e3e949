/// The defaults of attributes, by entity and name.
///
/// An attribute may name its default. Otherwise the default of a property is the common value of two new instances.
struct DefaultValues {
  /// The default of an attribute.
  struct Default {
    let value: Value
    /// Whether a mapping names it. Otherwise every new instance has it.
    let isNamed: Bool
  }

  /// The places of the values that choose kinds. The class of an instance decides the value, so that it has no default.
  private var choices: [ByteName: JSONKeyPath] = [:]
  private var known: [ByteName: [ByteName: Default]] = [:]
  private var faults: [MappingDefinitionError.Fault] = []

  /// - Throws: ``MappingDefinitionError`` for a primary key with a default, and for a property that needs one and has none.
  /// - Complexity: O(*n*) in the attributes. Each class makes two instances for each of its mappings.
  init(of mappings: [MappingDefinition]) throws(MappingDefinitionError) {
    var keys: [ByteName: Set<ByteName>] = [:]
    for mapping in mappings {
      if let key = mapping.key { keys[ByteName(mapping.entity), default: []].insert(ByteName(key.name)) }
    }
    for mapping in mappings {
      if let kinds = mapping.kinds { choices[ByteName(mapping.entity)] = kinds.keyPath }
    }
    for mapping in mappings { add(mapping, keys: keys[ByteName(mapping.entity)] ?? []) }
    guard faults.isEmpty else { throw MappingDefinitionError(faults) }
  }

  subscript(entity: String) -> [ByteName: Default] { known[ByteName(entity)] ?? [:] }

  private mutating func add(_ mapping: MappingDefinition, keys: Set<ByteName>) {
    let instances = mapping.objects.map { ($0.make(), $0.make()) }
    for attribute in mapping.attributes {
      let name = ByteName(attribute.name)
      if keys.contains(name) {
        if attribute.defaultValue != nil { fault(attribute, mapping, Self.keyFault(attribute.name)) }
      } else if let named = attribute.defaultValue?.fitted(to: attribute.type.kind) {
        known[ByteName(mapping.entity), default: [:]][name] = Default(value: named, isNamed: true)
      } else if let access = attribute.access, let instances,
        !(choices[ByteName(mapping.entity)].map { attribute.chooses(at: $0) } ?? false),
        let value = value(of: access, in: instances, attribute, mapping)
      {
        if attribute.isRest {
          fault(
            attribute, mapping,
            "\(quoted(attribute.name)) has the members that no field reads, so it is nil in new instances")
          continue
        }
        if let first = known[ByteName(mapping.entity)]?[name] {
          if mapping.hasKind, !first.isNamed, first.value != value {
            fault(
              attribute, mapping,
              "\(quoted(attribute.name)) is \(value.found) in new instances of \(mapping.objects?.typeName ?? mapping.name) "
                + "and \(first.value.found) in instances of another kind; name one default with .default(…)"
            )
          }
          continue
        }
        known[ByteName(mapping.entity), default: [:]][name] = Default(value: value, isNamed: false)
      }
    }
  }

  static func keyFault(_ name: String) -> String {
    "the primary key \(quoted(name)) has a default; each object has a key of its own"
  }

  /// The common value of a property in two instances; nil if they differ or have none.
  private mutating func value(
    of access: AttributeAccess, in instances: (AnyObject, AnyObject), _ attribute: AttributeDefinition,
    _ mapping: MappingDefinition
  ) -> Value? {
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(access, of: instances.0, at: 0)
    values.set(access, of: instances.1, at: 1)
    if values.slots[0].isIdentical(to: values.slots[1]) { return values.slots[0].value }
    if attribute.rules.keepsOnNull {
      fault(
        attribute, mapping,
        "two new instances of \(mapping.objects?.typeName ?? mapping.name) differ in \(quoted(attribute.name)), "
          + "so it has no default; make it optional, or name one with .default(…)")
    }
    return nil
  }

  private mutating func fault(
    _ attribute: AttributeDefinition, _ mapping: MappingDefinition, _ reason: String
  ) {
    faults.append(.init(place: mapping.place.appending(["attributes", attribute.name]), reason: reason))
  }
}
