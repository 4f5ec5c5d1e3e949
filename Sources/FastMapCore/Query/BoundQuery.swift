/// A query that was checked against a plan, ready to run.
final class BoundQuery: Sendable {
  /// How results are sorted.
  enum Order: Sendable {
    /// As the store has them: ascending by key, then objects without a key.
    case stored
    /// By the primary key as a value: objects without one come first, under descending last.
    case key(isDescending: Bool)
    /// By the outputs of the program.
    case values(isDescending: [Bool])
  }

  let plan: Plan
  let entity: Int
  let access: AccessPath
  /// The whole filter.
  let condition: BoundFilter.Condition
  /// What is still to be tested of the objects of the access path.
  let rest: BoundFilter.Condition
  /// What the outputs of the program are, for an order by values.
  let sortPaths: [BoundFilter.Path]
  /// Made when it is first needed: an index may find the results without it.
  private let compiled: CompiledOnce<FilterProgram>
  let order: Order
  let limit: Int
  let after: PrimaryKey?
  /// Whether every object of the access path is a result.
  let isUnfiltered: Bool

  /// What is tested of each object; nil if nothing is tested and nothing is sorted by.
  var program: FilterProgram? {
    if isUnfiltered, sortPaths.isEmpty { return nil }
    return compiled.value { FilterProgram(rest, entity, plan.schema, sortedBy: sortPaths) }
  }

  /// The values to sort by, of an object that need not fulfil the filter.
  var position: FilterProgram? {
    sortPaths.isEmpty ? nil : FilterProgram(.constant(true), entity, plan.schema, sortedBy: sortPaths)
  }

  init(
    plan: Plan, entity: Int, access: AccessPath, condition: BoundFilter.Condition,
    rest: BoundFilter.Condition, sortPaths: [BoundFilter.Path], order: Order, limit: Int, after: PrimaryKey?,
    compiled: CompiledOnce<FilterProgram> = CompiledOnce()
  ) {
    (self.plan, self.entity, self.access, self.condition, self.rest) = (plan, entity, access, condition, rest)
    (self.sortPaths, self.order, self.limit, self.after) = (sortPaths, order, limit, after)
    self.compiled = compiled
    isUnfiltered = if case .constant(true) = rest { true } else { false }
  }

  /// The same query with a smaller limit.
  func limited(to count: Int) -> BoundQuery {
    BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortPaths: sortPaths,
      order: order, limit: min(count, limit), after: after, compiled: compiled)
  }

  /// The same results in any order.
  var unsorted: BoundQuery {
    guard case .values = order else { return self }
    return BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortPaths: [],
      order: .stored, limit: limit, after: after)
  }
}

extension Query {
  /// Checks filter and order against a plan.
  package func check(of plan: Plan) throws(FilterError) { _ = try bound(to: plan) }

  /// Checks filter and order, and chooses what to look at.
  ///
  /// - Throws: ``FilterError`` with all faults of both.
  func bound(to plan: Plan) throws(FilterError) -> BoundQuery {
    guard order.count <= SortTerm.mostInAQuery else {
      throw FilterError(
        FilterError.Fault(
          order[0].path.place,
          "expected at most \(SortTerm.mostInAQuery) fields to sort by, found \(order.count)"))
    }
    let entity = plan.mappings[0].entity
    var binder = FilterBinder(plan)
    let condition = filter.map { binder.condition($0, of: entity) } ?? .constant(true)
    let paths = order.map { binder.sortPath($0, of: entity) }
    try binder.check()
    let (access, rest) = AccessPlanner.access(condition, entity, plan)
    let order = BoundQuery.Order(paths.compactMap(\.self), order.map(\.isDescending), entity, plan)
    var sortPaths: [BoundFilter.Path] = []
    if case .values = order { sortPaths = paths.compactMap(\.self) }
    return BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortPaths: sortPaths,
      order: order, limit: limit ?? .max, after: after)
  }
}

extension BoundQuery.Order {
  fileprivate init(_ paths: [BoundFilter.Path], _ isDescending: [Bool], _ entity: Int, _ plan: Plan) {
    guard let first = paths.first else {
      self = .stored
      return
    }
    // With further terms, objects without a key are sorted by those.
    if paths.count == 1, first.steps.isEmpty, case .attribute(let field) = first.end,
      plan.traits.keyFields[entity] == [field]
    {
      self = .key(isDescending: isDescending[0])
    } else {
      self = .values(isDescending: isDescending)
    }
  }
}

extension FilterBinder {
  /// The path of the value to sort by; nil after a fault.
  fileprivate mutating func sortPath(_ term: SortTerm, of entity: Int) -> BoundFilter.Path? {
    isSorting = true
    defer { isSorting = false }
    guard let bound = bind(term.path, of: entity, needsOne: true) else { return nil }
    switch bound.kind {
    case .value, .null: return bound.path
    case .json:
      note(
        term.path.place, term.path.names(), "expected an attribute to sort by, found JSON, which has no order"
      )
      return nil
    case .object(let target):
      let schema = plan.schema.entities[target]
      if let key = schema.keyField { return BoundFilter.Path(bound.path.steps, .attribute(field: key)) }
      note(
        term.path.place, term.path.names(),
        "expected an attribute to sort by; \(escaped(schema.name)) has no primary key")
      return nil
    }
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
