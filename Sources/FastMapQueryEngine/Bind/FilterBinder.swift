/// Checks filters against a plan, and collects all faults.
struct FilterBinder {
  let plan: Plan
  private(set) var faults: [FilterError.Fault] = []
  /// By entity with many fields, when the first filter meets it.
  private var names: [Int: NameIndex] = [:]
  /// Comparing all unknown names with all known ones would be quadratic.
  private var suggestionsLeft = 50

  /// The lists around the current path, each inside the one before.
  var nesting = 0
  /// The use of the current path other than in a condition, as `to sort by`, which takes other advice.
  var purpose: String?

  private static let mostFaults = 1000

  init(_ plan: Plan) { self.plan = plan }

  typealias Condition = BoundFilter.Condition

  /// - Throws: All faults, if there are any.
  func check() throws(FilterError) {
    if !faults.isEmpty { throw FilterError(faults) }
  }

  mutating func report(_ place: FilterPlace, _ path: String?, _ reason: String) {
    if faults.count < Self.mostFaults { faults.append(.init(place, path: path, reason)) }
  }

  // MARK: Conditions

  /// The condition with numbers. After a fault it means nothing.
  mutating func condition(_ filter: Filter, of entity: Int) -> Condition {
    switch filter.tree {
    case .exists, .compare, .isOne, .text:
      return leaf(filter, of: entity).ofStoredValues(of: entity, in: plan)
    case .all(let filters): return .all(of: filters.map { condition($0, of: entity) })
    case .any(let filters): return .any(of: filters.map { condition($0, of: entity) })
    case .not(let inner): return .not(of: condition(inner, of: entity))
    case .refused(let reason):
      report(.unknown, nil, reason)
      return .constant(false)
    case .tooDeep:
      report(.unknown, nil, "nested too deep; expected at most \(Filter.deepest) levels")
      return .constant(false)
    }
  }

  /// A test that has no others inside.
  private mutating func leaf(_ filter: Filter, of entity: Int) -> Condition {
    switch filter.tree {
    case .exists(let path): exists(path, of: entity)
    case .compare(let a, let comparison, let b): compare(a, comparison, b, of: entity, at: filter.place)
    case .isOne(let term, let literals): isOne(term, literals, of: entity)
    case .text(let a, let test, let b): text(a, test, b, of: entity)
    case .all, .any, .not, .refused, .tooDeep: .constant(false)
    }
  }

  private mutating func exists(_ path: FilterPath, of entity: Int) -> Condition {
    guard let bound = bind(path, of: entity, needsOne: false) else { return .constant(false) }
    return .exists(of: bound.path)
  }

  // MARK: Names

  /// The number of a field or, counted after all fields, of an inverse; nil after a fault.
  mutating func field(_ name: FilterName, of entity: Int, _ path: FilterPath, _ step: Int) -> Int? {
    switch name {
    case .property(let property):
      if let field = field(of: property, entity) { return field }
      let owner = plan.schema.entities[entity].name
      report(path.place, path.names(step), "no mapping of \(escaped(owner)) has the property \(property)")
      return nil
    case .name(let name):
      if let field = number(of: name, in: entity) { return field }
      let found = plan.schema.entities[entity]
      let known = found.fields.map(\.name) + found.inverses.map(\.name)
      let verb = "\(subject(entity)) has no field named"
      suggestionsLeft -= 1
      report(
        path.place, path.names(step + 1),
        suggestionsLeft < 0
          ? "\(verb) \(quoted(name))"
          : unknownName("field", named: name, among: known, verb: verb))
      return nil
    }
  }

  /// For messages: the entity's mapping if the plan has only one, because other mappings may have more fields. With
  /// several, the entity.
  private func subject(_ entity: Int) -> String {
    let name = plan.schema.entities[entity].name
    let mappings = plan.mappings.filter { $0.entity == entity }.map(\.mapping.name)
    if mappings.count == 1, mappings[0] != name { return "the mapping \(quoted(mappings[0]))" }
    return escaped(name)
  }

  /// The number of a field or, counted after all fields, of an inverse; nil for an unknown name.
  private mutating func number(of name: String, in entity: Int) -> Int? {
    let found = plan.schema.entities[entity]
    if found.fields.count + found.inverses.count > NameIndex.few {
      let index = names[entity] ?? NameIndex(found.fields.map(\.name) + found.inverses.map(\.name))
      names[entity] = index
      return index[name]
    }
    if let field = found.fields.firstIndex(where: { NameIndex.isSame($0.name, name) }) { return field }
    return found.inverses.firstIndex { NameIndex.isSame($0.name, name) }.map { found.fields.count + $0 }
  }

  /// The field that a property is mapped to, by any mapping of the entity.
  private func field(of path: AnyKeyPath, _ entity: Int) -> Int? {
    for planned in plan.mappings where planned.entity == entity {
      let mapping = planned.mapping
      if mapping.recorded != nil {
        guard let name = mapping.fieldName(of: path) else { continue }
        return plan.schema.entities[entity].fields.firstIndex { NameIndex.isSame($0.name, name) }
      }
      if let index = mapping.attributes.firstIndex(where: { $0.access?.property == path }) {
        return planned.attributeFields[index]
      }
      if let index = mapping.relationships.firstIndex(where: { $0.access?.property == path }) {
        return planned.relationshipFields[index]
      }
      if let inverse = mapping.inverses.first(where: { $0.access?.property == path }) {
        return plan.schema.entities[entity].inverseNumber(named: inverse.name)
      }
    }
    return nil
  }
}

// Conditions without empty or constant parts.
extension BoundFilter.Condition {
  static func all(of parts: [Self]) -> Self {
    var kept: [Self] = []
    for part in parts {
      switch part {
      case .constant(true): continue
      case .constant(false): return .constant(false)
      case .all(let inner): kept += inner
      default: kept.append(part)
      }
    }
    return kept.isEmpty ? .constant(true) : kept.count == 1 ? kept[0] : .all(kept)
  }

  static func any(of parts: [Self]) -> Self {
    var kept: [Self] = []
    for part in parts {
      switch part {
      case .constant(false): continue
      case .constant(true): return .constant(true)
      case .any(let inner): kept += inner
      default: kept.append(part)
      }
    }
    return kept.isEmpty ? .constant(false) : kept.count == 1 ? kept[0] : .any(kept)
  }

  static func not(of part: Self) -> Self {
    switch part {
    case .constant(let value): .constant(!value)
    case .not(let inner): inner
    default: .not(part)
    }
  }

  static func exists(of path: BoundFilter.Path) -> Self {
    if path.steps.isEmpty, case .object = path.end { return .constant(true) }
    return .exists(path)
  }
}
