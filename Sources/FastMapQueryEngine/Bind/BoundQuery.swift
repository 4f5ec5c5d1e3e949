/// A query that was checked against a plan, ready to run.
package final class BoundQuery: Sendable {
  /// How results are sorted.
  package enum Order: Sendable {
    /// As the store has them: ascending by key, then objects without a key.
    case stored
    /// By the primary key as a value: objects without one come first, under descending last.
    case key(isDescending: Bool)
    /// By the outputs of the program.
    case values(isDescending: [Bool])
  }

  /// Where the results begin.
  package enum Start: Sendable {
    /// After the object with a key, which has to be stored.
    case behind(PrimaryKey)
    case position(QueryPosition)
  }

  package let plan: Plan
  package let entity: Int
  package let access: AccessPath
  let condition: BoundFilter.Condition
  /// The condition left to test on objects of the access path.
  package let rest: BoundFilter.Condition
  /// The terms that the program outputs, for an order by values.
  let sortTerms: [BoundFilter.Term]
  /// Made when it is first needed: an index may find the results without it.
  private let compiled: CompiledOnce<FilterProgram>
  let order: Order
  package let limit: Int
  package let start: Start?
  /// Whether every object of the access path is a result.
  let isUnfiltered: Bool

  /// Tests each object and outputs its sort values; nil if nothing is tested and the order needs no values.
  var program: FilterProgram? {
    if isUnfiltered, sortTerms.isEmpty { return nil }
    return compiled.value { FilterProgram(rest, entity, plan, sortedBy: sortTerms) }
  }

  /// The values to sort by, of an object that need not fulfil the filter.
  package var position: FilterProgram? {
    sortTerms.isEmpty ? nil : FilterProgram(.constant(true), entity, plan, sortedBy: sortTerms)
  }

  init(
    plan: Plan, entity: Int, access: AccessPath, condition: BoundFilter.Condition,
    rest: BoundFilter.Condition, sortTerms: [BoundFilter.Term], order: Order, limit: Int, start: Start?
  ) {
    (self.plan, self.entity, self.access, self.condition, self.rest) = (plan, entity, access, condition, rest)
    (self.sortTerms, self.order, self.limit, self.start) = (sortTerms, order, limit, start)
    compiled = CompiledOnce()
    isUnfiltered = if case .constant(true) = rest { true } else { false }
  }

  /// The range of keys to look at, all objects without a range; nil for single objects.
  var storedKeys: KeyRange?? {
    switch access {
    case .scan: .some(nil)
    case .keys(let range): range
    case .lookUp, .index, .targets, .nothing: nil
    }
  }

  /// The keys of all results, if they are all objects of a range in their stored order; nil otherwise.
  package var wholeRange: KeyRange?? {
    guard isUnfiltered, start == nil, limit == .max, case .stored = order else { return nil }
    return storedKeys
  }

  /// Whether the results come in the order of values.
  var isSorted: Bool { if case .values = order { true } else { false } }

  var unsorted: BoundQuery {
    guard isSorted else { return self }
    return BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortTerms: [],
      order: .stored, limit: limit, start: start)
  }
}

extension Query {
  package func check(of plan: Plan) throws(FilterError) { _ = try bound(to: plan) }

  /// Checks filter, order and position, and chooses the way to the objects.
  ///
  /// - Throws: ``FilterError`` with all faults of filter and order, or with the fault of the position.
  package func bound(to plan: Plan) throws(FilterError) -> BoundQuery {
    if let late {
      throw FilterError(
        .init(
          .unknown, "expected limit after \(late), as it counts the objects that are found; found it before"))
    }
    guard order.count <= SortTerm.mostInAQuery else {
      throw FilterError(
        FilterError.Fault(
          order[0].path?.place ?? .unknown,
          "expected at most \(SortTerm.mostInAQuery) fields to sort by, found \(order.count)"))
    }
    let entity = try entityNumber(in: plan)
    var binder = FilterBinder(plan)
    var condition = filter.map { binder.condition($0, of: entity) } ?? .constant(true)
    if self.entity == nil, let kind = plan.rootKind { condition = condition.and(kind) }
    if isOfStubs { condition = .all(of: [condition, binder.stubs(of: entity)]) }
    let terms = order.map { binder.sortTerm($0.term, of: entity)?.term }
    try binder.check()
    let (access, rest) = AccessPlanner.access(condition, keys, entity, plan)
    let order = BoundQuery.Order(terms.compactMap(\.self), order.map(\.isDescending), entity, plan)
    var sortTerms: [BoundFilter.Term] = []
    if case .values = order { sortTerms = terms.compactMap(\.self) }
    let start = try start.map { start throws(FilterError) in
      switch start {
      case .behind(let key): return BoundQuery.Start.behind(key)
      case .position(let position):
        guard position.query == identity(of: entity, in: plan), position.values.count == sortTerms.count
        else {
          throw FilterError(
            .init(
              .unknown, "expected a position of this mapping, filter and order, found one of another query"))
        }
        return .position(QueryPosition(position))
      }
    }
    return BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortTerms: sortTerms,
      order: order, limit: most ?? .max, start: start)
  }
}

extension Query {
  /// The number of the entity whose objects it asks for.
  private func entityNumber(in plan: Plan) throws(FilterError) -> Int {
    guard let entity else { return plan.mappings[0].entity }
    do { return try plan.schema.number(of: entity) } catch {
      throw FilterError(.init(.unknown, "\(error)"))
    }
  }
}

extension Plan {
  /// The condition that an object is of the kind that the plan's first mapping has; nil for all objects of the entity.
  package var rootKind: BoundFilter.Condition? {
    guard let kind = mappings[0].kind, let field = mappings[0].kindField else { return nil }
    return .compare(.path(.init([], .attribute(field: field))), .equal, .literal(.string(kind)))
  }
}

extension BoundFilter.Condition {
  fileprivate func and(_ other: BoundFilter.Condition) -> BoundFilter.Condition {
    switch self {
    case .constant(true): other
    case .constant(false): self
    case .all(let terms): .all(terms + [other])
    default: .all([self, other])
    }
  }
}

extension BoundQuery.Order {
  fileprivate init(_ terms: [BoundFilter.Term], _ isDescending: [Bool], _ entity: Int, _ plan: Plan) {
    guard let first = terms.first else {
      self = .stored
      return
    }
    // Further terms would sort objects without a key.
    if terms.count == 1, let field = first.ownAttribute,
      plan.traits.keyFields[entity] == [field]
    {
      self = .key(isDescending: isDescending[0])
    } else {
      self = .values(isDescending: isDescending)
    }
  }
}

extension BoundFilter.Term {
  /// The attribute of the object itself that it is; nil for any other term.
  var ownAttribute: Int? {
    guard case .path(let path) = self, path.steps.isEmpty, case .attribute(let field) = path.end else {
      return nil
    }
    return field
  }
}

extension FilterBinder {
  /// The value to sort or to group by; nil after a fault. An object stands for its key.
  mutating func sortTerm(_ term: FilterTerm, of entity: Int, to purpose: String = "to sort by") -> BoundTerm?
  {
    self.purpose = purpose
    defer { self.purpose = nil }
    switch term {
    case .path, .count, .lowercased(.path): break
    default:
      report(.unknown, term.text, "expected an attribute \(purpose), found a length")
      return nil
    }
    guard var bound = bind(term, of: entity) else { return nil }
    switch (bound.kind, bound.term) {
    case (.value, _), (.null, _), (.json, .lowercased): return bound
    case (.object(let target), .path(let path)):
      let schema = plan.schema.entities[target]
      if let key = schema.keyField {
        bound.term = .path(.init(path.steps, .attribute(field: key)))
        return bound
      }
      report(
        bound.place, bound.path,
        "expected an attribute \(purpose); \(escaped(schema.name)) has no primary key")
    default:
      report(
        bound.place, bound.path,
        "expected an attribute \(purpose), found \(bound.kind.phrase), which has no order")
    }
    return nil
  }
}

/// There is no object with the key that a query goes on after.
///
///     no Person with the key 5
public struct NoSuchObjectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the entity.
  public let entity: String
  /// The key.
  public let key: PrimaryKey

  package init(entity: String, key: PrimaryKey) {
    self.entity = entity
    self.key = key
  }

  public var description: String { "no \(escaped(entity)) with the key \(key)" }
}

extension NoSuchObjectError: FastMapError {
  public var code: String { "no-object" }
  public var place: String? { "\(entity) \(key)" }
}
