/// Finds the bounds that a filter sets on the primary key.
struct AccessPlanner {
  private var keyField: Int?
  private var range = KeyRange()
  private var isRange = false
  private var keys: Set<PrimaryKey>?

  /// The objects to look at, and the condition left to test on each.
  ///
  /// - Parameter chosen: Keys that the query names beside its filter.
  static func access(
    _ condition: BoundFilter.Condition, _ chosen: [KeyChoice], _ entity: Int, _ plan: Plan
  ) -> (AccessPath, BoundFilter.Condition) {
    if case .constant(false) = condition { return (.nothing, condition) }
    var planner = AccessPlanner()
    for keys in chosen { planner.restrict(to: keys) }
    // A key of another mapping is not in the field.
    guard let keyField = plan.schema.entities[entity].keyField, plan.traits.keyFields[entity] == [keyField]
    else {
      return (planner.access, condition)
    }
    planner.keyField = keyField
    var parts = [condition]
    if case .all(let all) = condition { parts = all }
    var rest: [BoundFilter.Condition] = []
    var ofStored: [BoundFilter.Condition] = []
    for part in parts {
      let readsShown = part.readsShown(of: entity, in: plan)
      if !readsShown { ofStored.append(part) }
      if readsShown || !planner.use(part) { rest.append(part) }
    }
    planner.useParts(of: ofStored, entity, plan)
    return (planner.access, .all(of: rest))
  }

  private init() {}

  private var access: AccessPath {
    if let keys {
      let found = keys.filter(range.contains).sorted()
      return found.isEmpty ? .nothing : .lookUp(found)
    }
    if !isRange { return .scan }
    return range.isEmpty ? .nothing : .keys(range)
  }

  private mutating func restrict(to chosen: KeyChoice) {
    switch chosen {
    case .list(let list): keys = keys?.intersection(list) ?? Set(list)
    case .range(let chosen):
      isRange = true
      if let key = chosen.lower { raise(to: key) }
      if let key = chosen.upper { lower(to: key, includes: chosen.includesUpper) }
    }
  }

  /// Uses a part of a conjunction.
  ///
  /// - Returns: Whether nothing is left to be tested.
  private mutating func use(_ part: BoundFilter.Condition) -> Bool {
    if let equal = keysEqual(part) {
      keys = keys?.intersection(equal) ?? equal
      return true
    }
    switch part {
    case .compare(.literal(let value), let comparison, let term):
      return restrictKeys(term, comparison.mirrored, value)
    case .compare(let term, let comparison, .literal(let value)):
      return restrictKeys(term, comparison, value)
    case .text(let term, .hasPrefix, .literal(.string(let prefix))) where isKey(term):
      guard let end = prefix.firstBehind else { return false }
      raise(to: .string(prefix))
      lower(to: .string(end), includes: false)
      return true
    default: return false
    }
  }

  private mutating func restrictKeys(
    _ term: BoundFilter.Term, _ comparison: BoundFilter.Comparison, _ value: Value
  ) -> Bool {
    guard isKey(term), let key = PrimaryKey(value) else { return false }
    switch comparison {
    case .equal, .notEqual: return false
    case .greaterOrEqual: raise(to: key)
    case .lessOrEqual: lower(to: key, includes: true)
    case .less: lower(to: key, includes: false)
    case .greater:
      switch key {
      case .integer(.max): lower(to: .integer(.min), includes: false)
      case .integer(let value): raise(to: .integer(value + 1))
      case .string:
        raise(to: key)
        return false
      }
    }
    return true
  }

  /// Uses the conditions of a conjunction on the first parts of a key with several parts.
  private mutating func useParts(
    of conjunction: [BoundFilter.Condition], _ entity: Int, _ plan: Plan
  ) {
    // An object without a key may have some of the parts.
    if plan.schema.entities[entity].keepsKeyless || plan.traits.isScoped[entity] { return }
    var parts: [PrimaryKey] = []
    for field in plan.traits.partFields[entity] {
      let found = conjunction.lazy.compactMap { $0.key(equalTo: field, entity, plan) }.first
      guard let found else { break }
      parts.append(found)
    }
    if parts.isEmpty { return }
    if parts.count == plan.traits.partFields[entity].count {
      let key = PrimaryKey(parts: parts)
      keys = keys?.intersection([key]) ?? [key]
    } else {
      let bounds = PrimaryKey.beginning(with: parts)
      raise(to: bounds.lower)
      lower(to: bounds.upper, includes: false)
    }
  }

  /// The keys of a condition that is true for some keys only.
  private func keysEqual(_ part: BoundFilter.Condition) -> Set<PrimaryKey>? {
    switch part {
    case .compare(let term, .equal, .literal(let value)), .compare(.literal(let value), .equal, let term):
      return isKey(term) ? Self.keys(equalTo: [value]) : nil
    case .isOne(let term, let values):
      return isKey(term) ? Self.keys(equalTo: values) : nil
    case .any(let parts):
      var keys: Set<PrimaryKey> = []
      for part in parts {
        guard let found = keysEqual(part) else { return nil }
        keys.formUnion(found)
      }
      return keys
    default: return nil
    }
  }

  /// The keys among some values; nil if an object without a key may be equal to one.
  private static func keys(equalTo values: [Value]) -> Set<PrimaryKey>? {
    let found = PrimaryKey.among(values)
    return found.others == 0 ? Set(found.keys) : nil
  }

  private func isKey(_ term: BoundFilter.Term) -> Bool {
    guard case .path(let path) = term, path.steps.isEmpty else { return false }
    switch path.end {
    case .object: return true
    case .attribute(let field): return field == keyField
    case .json: return false
    }
  }

  private mutating func raise(to key: PrimaryKey) {
    isRange = true
    range.lower = range.lower.map { max($0, key) } ?? key
  }

  private mutating func lower(to key: PrimaryKey, includes: Bool) {
    isRange = true
    guard let upper = range.upper, upper < key || (upper == key && !range.includesUpper) else {
      range.upper = key
      range.includesUpper = includes
      return
    }
  }
}

extension PrimaryKey {
  /// The keys among some values, and the number of values that may be equal to something else. An integer that is too large
  /// for a key is equal to none.
  package static func among(_ values: [Value]) -> (keys: [PrimaryKey], others: Int) {
    var (keys, others) = ([PrimaryKey](), 0)
    for value in values {
      if let key = PrimaryKey(value) {
        keys.append(key)
      } else if case .unsigned = value {
        continue
      } else {
        others += 1
      }
    }
    return (keys, others)
  }
}

extension KeyRange {
  func contains(_ key: PrimaryKey) -> Bool {
    if let lower, key < lower { return false }
    guard let upper else { return true }
    return includesUpper ? key <= upper : key < upper
  }
}

extension String {
  /// The first string after all that begin with this one; nil if there is none.
  var firstBehind: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // The scalars in between are surrogates.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      return text
    }
    return nil
  }
}

extension BoundFilter.Condition {
  /// The key that a field, or its target, has where the condition is true; nil if several may be.
  fileprivate func key(equalTo field: Int, _ entity: Int, _ plan: Plan) -> PrimaryKey? {
    switch self {
    case .compare(.path(let path), .equal, .literal(let value)),
      .compare(.literal(let value), .equal, .path(let path)):
      return path.isKey(field, entity, plan) ? PrimaryKey(value) : nil
    default: return nil
    }
  }
}

extension BoundFilter.Path {
  /// Whether it leads to an attribute of the object, or to the key of a target.
  fileprivate func isKey(_ field: Int, _ entity: Int, _ plan: Plan) -> Bool {
    switch (steps.first, end) {
    case (nil, .attribute(field)): return true
    case (.toOne(field)?, .object): return steps.count == 1
    case (.toOne(field)?, .attribute(let key)):
      guard steps.count == 1, let target = plan.schema.entities[entity].fields[field].kind.target else {
        return false
      }
      return plan.traits.keyFields[target.entity] == [key]
    default: return false
    }
  }
}
