// A property that is not optional shows its default where the store has no value. Stores and indexes know only stored
// values, so a test of one property is rewritten in terms of stored values:
//
//     @.isActive == true          @.isActive == true || !@.isActive        for a property that is true in new instances
//     @.isActive == false         @.isActive == false
//     @.boss.name != "Ada"        @.boss.name != "Ada" && !(@.boss && !@.boss.name)        if "Ada" is the default
//
// FastMap itself runs the other tests, such as a comparison of two properties.

extension BoundFilter.Condition {
  /// The same test of shown values, as one of stored values.
  func ofStoredValues(of entity: Int, in plan: Plan) -> Self {
    switch self {
    case .constant: return self
    case .all(let parts): return .all(of: parts.map { $0.ofStoredValues(of: entity, in: plan) })
    case .any(let parts): return .any(of: parts.map { $0.ofStoredValues(of: entity, in: plan) })
    case .not(let part): return .not(of: part.ofStoredValues(of: entity, in: plan))
    case .exists(let path):
      if let owner = path.ownerOfDefault(of: entity, in: plan) { return .exists(of: owner) }
    case .compare(let a, let comparison, let b):
      let (a, b) = (a.countingOwners(of: entity, in: plan), b.countingOwners(of: entity, in: plan))
      return Self.compare(a, comparison, b).withDefault(of: entity, in: plan)
    case .isOne(let term, let values):
      // An object always shows a value of its own.
      if let field = term.ownAttribute, plan.classes[entity].shownDefault(field) != nil {
        let values = values.filter { $0 != .null }
        if values.isEmpty { return .constant(false) }
        return Self.isOne(term, of: values).withDefault(of: entity, in: plan)
      }
    case .text: break
    }
    return withDefault(of: entity, in: plan)
  }

  /// The test of one property, extended by the objects without a value if the test treats them otherwise than their default.
  private func withDefault(of entity: Int, in plan: Plan) -> Self {
    guard let path = subject, let (owner, field) = path.attribute(of: entity, in: plan),
      let value = plan.classes[owner].shownDefault(field),
      !readsFallback(of: entity, in: plan)
    else { return self }
    let (withDefault, withNone) = (
      holds(for: value, field, owner, plan), holds(for: nil, field, owner, plan)
    )
    if withDefault == withNone { return self }
    let hasNone = Self.all(of: [
      .exists(of: .init(path.steps, .object)), .not(.exists(path.toWholeAttribute)),
    ])
    return withDefault ? .any(of: [self, hasNone]) : .all(of: [self, .not(of: hasNone)])
  }

  /// Whether the test of a property holds for a value; nil is no value.
  private func holds(for value: Value?, _ field: Int, _ entity: Int, _ plan: Plan) -> Bool {
    switch self {
    case .compare(.path(let path), let comparison, .literal(let literal)):
      if case .attribute = path.end { return comparison.holds(between: value ?? .null, literal) }
    case .compare(.literal(let literal), let comparison, .path(let path)):
      if case .attribute = path.end { return comparison.holds(between: literal, value ?? .null) }
    default: break
    }
    var row = RowBuffer()
    row.reset(count: plan.schema.entities[entity].fields.count)
    if let value { row.set(value, at: field) }
    let runner = FilterRunner(FilterProgram(ofOwner, entity, plan, sortedBy: []))
    return (try? runner.includes(ObjectID(rawValue: 1), row.row)) ?? false
  }

  /// The same test of the object at the end of its path's steps.
  private var ofOwner: Self {
    switch self {
    case .constant, .all, .any, .not: self
    case .exists(let path): .exists(.init([], path.end))
    case .compare(let a, let comparison, let b): .compare(a.ofOwner, comparison, b.ofOwner)
    case .isOne(let term, let values): .isOne(term.ofOwner, of: values)
    case .text(let a, let test, let b): .text(a.ofOwner, test, b.ofOwner)
    }
  }

  // MARK: Subject

  /// Whether every object that fulfils the condition has a stored value in a field. False negatives are possible.
  func needsValue(of field: Int) -> Bool {
    switch self {
    case .constant, .not: false
    case .all(let parts): parts.contains { $0.needsValue(of: field) }
    case .any(let parts): parts.allSatisfy { $0.needsValue(of: field) }
    case .exists(let path): BoundFilter.Term.path(path).ownAttribute == field
    case .compare(let term, let comparison, .literal(let value)),
      .compare(.literal(let value), let comparison, let term):
      term.ownAttribute == field && comparison != .notEqual && value != .null
    case .isOne(let term, let values): term.ownAttribute == field && !values.contains(.null)
    case .text(let term, _, .literal): term.ownAttribute == field
    case .compare, .text: false
    }
  }

  /// The path of a test of one value, or of the JSON of one attribute; nil for any other condition.
  private var subject: BoundFilter.Path? {
    let (first, second) = paths
    guard first == nil || second == nil, let path = first ?? second,
      path.steps.allSatisfy({ $0.selectors?.isSingular ?? true })
    else { return nil }
    return path
  }

  /// The paths of a test. A pair, since each query of an index asks several times.
  private var paths: (BoundFilter.Path?, BoundFilter.Path?) {
    switch self {
    case .constant, .all, .any, .not: (nil, nil)
    case .exists(let path): (path, nil)
    case .isOne(let term, _): (term.onlyPath, nil)
    case .compare(let a, _, let b), .text(let a, _, let b): (a.onlyPath, b.onlyPath)
    }
  }

  /// Whether the condition tests one property and can be tested on stored values.
  func isAboutStored(of entity: Int, in plan: Plan) -> Bool {
    subject != nil && !readsFallback(of: entity, in: plan)
  }

  /// Whether the condition depends on shown values: stored values do not decide it.
  func readsShown(of entity: Int, in plan: Plan) -> Bool {
    readsFallback(of: entity, in: plan) || readsDefault(of: entity, in: plan)
  }

  private func readsDefault(of entity: Int, in plan: Plan) -> Bool {
    switch self {
    case .constant: return false
    case .all(let parts), .any(let parts): return parts.contains { $0.readsDefault(of: entity, in: plan) }
    case .not(let part): return part.readsDefault(of: entity, in: plan)
    case .exists, .compare, .isOne, .text:
      if let subject { return subject.listsReadDefault(in: plan) }
      let (first, second) = paths
      return [first, second].compactMap(\.self).contains {
        $0.valueOfNone(of: entity, in: plan) != nil || $0.listsReadDefault(in: plan)
      }
    }
  }
}

extension BoundFilter.Term {
  /// Nil for a literal.
  fileprivate var onlyPath: BoundFilter.Path? {
    switch self {
    case .literal, .decimal: nil
    case .length(let term), .lowercased(let term): term.onlyPath
    case .path(let path), .value(let path), .count(let path): path
    }
  }

  /// The same number of objects in place of their values, where each has one.
  fileprivate func countingOwners(of entity: Int, in plan: Plan) -> Self {
    switch self {
    case .count(let path): path.ownerOfDefault(of: entity, in: plan).map { .count($0) } ?? self
    case .length(let term): .length(term.countingOwners(of: entity, in: plan))
    case .lowercased(let term): .lowercased(term.countingOwners(of: entity, in: plan))
    case .literal, .decimal, .path, .value: self
    }
  }

  fileprivate var ofOwner: Self {
    switch self {
    case .literal, .decimal: self
    case .length(let term): .length(term.ofOwner)
    case .lowercased(let term): .lowercased(term.ofOwner)
    case .path(let path): .path(.init([], path.end))
    case .value(let path): .value(.init([], path.end))
    case .count(let path): .count(.init([], path.end))
    }
  }
}

extension BoundFilter.Path {
  /// The attribute at its end, and the entity that has it; nil for a path to an object.
  fileprivate func attribute(of entity: Int, in plan: Plan) -> (entity: Int, field: Int)? {
    let owner = steps.reduce(entity) {
      plan.schema.entities[$0].target($1.link(of: plan.schema.entities[$0])) ?? $0
    }
    switch end {
    case .object: return nil
    case .attribute(let field), .json(let field, _, _): return (owner, field)
    }
  }

  fileprivate func valueOfNone(of entity: Int, in plan: Plan) -> Value? {
    attribute(of: entity, in: plan).flatMap { plan.classes[$0.entity].shownDefault($0.field) }
  }

  /// The path to the objects that have the values, where each shows one.
  fileprivate func ownerOfDefault(of entity: Int, in plan: Plan) -> Self? {
    if case .json(_, isWhole: false, _) = end { return nil }
    return valueOfNone(of: entity, in: plan) == nil ? nil : Self(steps, .object)
  }

  fileprivate var toWholeAttribute: Self {
    if case .json(let field, _, _) = end { Self(steps, .json(field: field, .whole)) } else { self }
  }

  fileprivate func listsReadDefault(in plan: Plan) -> Bool {
    steps.contains { step in
      step.selectors?.contains { selector in
        guard case .filtered(let filter) = selector else { return false }
        return filter.condition.readsShown(of: filter.entity, in: plan)
      } ?? false
    }
  }
}
