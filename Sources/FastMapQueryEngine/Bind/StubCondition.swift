/// The condition of a stub.
extension FilterBinder {
  /// Whether an object has nothing but its key and defaults.
  ///
  ///     !@.name && (!@.isActive || @.isActive == true) && !@.boss && !@.tags[*]
  mutating func stubs(of entity: Int) -> Condition {
    let (layout, keys) = (plan.schema.entities[entity], plan.traits.keyFields[entity])
    let others = layout.fields.indices.filter { !plan.traits.isOfKey($0, entity) }
    if keys.isEmpty || others.isEmpty {
      let fault = keys.isEmpty ? "no primary key" : "only its primary key"
      report(
        .unknown, nil,
        "stubs lack all fields but their key; \(escaped(layout.name)) has \(fault) in these mappings")
      return .constant(false)
    }
    return .all(of: others.map { Self.isUnset($0, layout.fields[$0]) })
  }

  /// Whether a field has no value, or its default.
  private static func isUnset(_ number: Int, _ field: Schema.Field) -> Condition {
    let path: BoundFilter.Path
    switch field.kind {
    case .toOne: path = .init([.toOne(field: number)], .object)
    case .toMany: path = .init([.toMany(field: number, [.all])], .object)
    case .attribute(.json): path = .init([], .json(field: number, .whole))
    case .attribute: path = .init([], .attribute(field: number))
    }
    let isNone = Condition.not(of: .exists(path))
    guard let value = field.defaultValue else { return isNone }
    guard case .json(let text) = value else {
      return .any(of: [isNone, .compare(.path(path), .equal, .literal(value))])
    }
    // Filters do not compare lists and objects. An empty one is told by its length, and any other does not decide.
    guard text == "[]" || text == "{}" else { return .constant(true) }
    return .any(of: [isNone, .compare(.length(.path(path)), .equal, .literal(.integer(0)))])
  }
}
