// A filter over a property with a fallback compares shown values. Stores and indexes know only stored ones, so FastMap
// tests such a filter itself. A comparison with a case other than the fallback is left to them, because such a case is
// shown if, and only if, it is stored.

extension Plan {
  /// The property at the end of a path, if it shows a fallback.
  func fallback(at path: BoundFilter.Path, of entity: Int) -> AttributeAccess? {
    var entity = entity
    for step in path.steps {
      entity = schema.entities[entity].target(step.link(of: schema.entities[entity])) ?? entity
    }
    switch path.end {
    case .object: return nil
    case .attribute(let field), .json(let field, _, _): return fallback(of: field, entity)
    }
  }

  /// A property, if it shows a fallback.
  func fallback(of field: Int, _ entity: Int) -> AttributeAccess? {
    guard let access = classes[entity].attribute(field), access.fallback != nil else { return nil }
    return access
  }

  /// Whether a comparison of a path with literals has the same result for shown and for stored values.
  func storesAsShown(_ path: BoundFilter.Path, _ values: [Value], of entity: Int) -> Bool {
    guard let access = fallback(at: path, of: entity) else { return true }
    return values.allSatisfy { access.storesAsShown($0) }
  }
}

extension BoundFilter.Condition {
  /// Whether a fallback decides the condition: stored values do not.
  func readsFallback(of entity: Int, in plan: Plan) -> Bool {
    switch self {
    case .constant: return false
    case .all(let parts), .any(let parts): return parts.contains { $0.readsFallback(of: entity, in: plan) }
    case .not(let part): return part.readsFallback(of: entity, in: plan)
    case .exists(let path): return path.readsFallback(of: entity, in: plan, isCounted: true)
    case .compare(.path(let path), .equal, .literal(let value)),
      .compare(.path(let path), .notEqual, .literal(let value)),
      .compare(.literal(let value), .equal, .path(let path)),
      .compare(.literal(let value), .notEqual, .path(let path)):
      return path.stepsReadFallback(in: plan) || !plan.storesAsShown(path, [value], of: entity)
    case .compare(let a, _, let b), .text(let a, _, let b):
      return a.readsFallback(of: entity, in: plan) || b.readsFallback(of: entity, in: plan)
    case .isOne(.path(let path), let values):
      return path.stepsReadFallback(in: plan) || !plan.storesAsShown(path, values, of: entity)
    case .isOne(let term, _): return term.readsFallback(of: entity, in: plan)
    }
  }
}

extension BoundFilter.Term {
  /// Whether it is, or depends on, a property with a fallback.
  func readsFallback(of entity: Int, in plan: Plan) -> Bool {
    switch self {
    case .literal, .decimal: false
    case .length(let term), .lowercased(let term): term.readsFallback(of: entity, in: plan)
    case .path(let path), .value(let path):
      path.readsFallback(of: entity, in: plan, isCounted: false)
    case .count(let path): path.readsFallback(of: entity, in: plan, isCounted: true)
    }
  }
}

extension BoundFilter.Path {
  /// - Parameter isCounted: Whether only the number of values matters.
  fileprivate func readsFallback(of entity: Int, in plan: Plan, isCounted: Bool) -> Bool {
    if stepsReadFallback(in: plan) { return true }
    if isCounted {
      guard case .json(_, isWhole: false, _) = end else { return false }
    }
    return plan.fallback(at: self, of: entity) != nil
  }

  /// Whether a filter of one of its lists does.
  fileprivate func stepsReadFallback(in plan: Plan) -> Bool {
    steps.contains { step in
      step.selectors?.contains { selector in
        guard case .filtered(let filter) = selector else { return false }
        return filter.condition.readsFallback(of: filter.entity, in: plan)
      } ?? false
    }
  }
}
