internal import CFastMap

/// A way through an index that finds the objects of a query.
struct IndexPath: Sendable {
  let index: Schema.Index
  let range: IndexRange
  /// Whether the fields of the index are visited in reverse.
  let isDescending: Bool
  /// Whether the objects come in the order of the query.
  let isInOrder: Bool
  /// What is still to be tested of each object.
  let rest: BoundFilter.Condition

  /// Whether nothing is left to be tested.
  var isExact: Bool { if case .constant(true) = rest { true } else { false } }

  /// Where the objects behind a position of the query begin. Every field of an index in order is known.
  func position(_ position: QueryPosition, _ schema: Schema.Entity) -> IndexRange.Position? {
    guard isInOrder, let key = position.key else { return nil }
    let sorted = position.values.map { $0.slot.value.map { IndexRange.Content.value($0) } ?? .none }
    return IndexRange.Position(contents: range.equal + sorted, key: key)
  }
}

/// What a query looks at, where its filter does not bound the primary key.
enum IndexChoice: Sendable {
  /// All objects.
  case scan
  case path(IndexPath)
  /// None: a related object that it asks for does not exist.
  case nothing
}

/// Chooses between the indexes of a store and a look at all objects.
///
/// A guess may be wrong about the cost, never about the result: what an index does not say is tested of each object.
struct IndexPlanner {
  private let query: BoundQuery
  private let schema: Schema
  private let entity: Schema.Entity
  /// The parts of the filter that all have to be true.
  private let parts: [BoundFilter.Condition]
  /// By the field: what it has to be equal to, and the part that says so.
  private var equal: [Int: (content: IndexRange.Content, part: Int)] = [:]
  private var lower: [Int: (bound: IndexRange.Bound, part: Int)] = [:]
  private var upper: [Int: (bound: IndexRange.Bound, part: Int)] = [:]
  /// Bounds that both come from one part.
  private var prefixes: [Int: (lower: String, upper: String, part: Int)] = [:]
  /// Whether a key that a relationship has to have is not stored.
  private(set) var isNothing = false

  /// Reading an object through an index takes about as long as reading so many of them in a row.
  private static let costOfJump = 3

  /// The cheapest index, unless looking at all objects is cheaper.
  static func choice<R: StoreReader>(for query: BoundQuery, _ reader: inout R) throws -> IndexChoice {
    guard query.access == .scan else { return .scan }
    if case .key = query.order { return .scan }
    let indexes = try reader.indexes(of: query.entity)
    if indexes.isEmpty { return .scan }
    var planner = IndexPlanner(query)
    try planner.read(&reader)
    if planner.isNothing { return .nothing }
    let all = try reader.count(of: query.entity)
    var best: (path: IndexPath, cost: Int)?
    for index in indexes {
      guard let path = planner.path(through: index) else { continue }
      // Where something is left to be tested, nobody knows how many objects it takes to fill the limit.
      let fillsLimit = path.isInOrder && path.isExact
      let most = min(min(best?.cost ?? all, all) / costOfJump + 1, fillsLimit ? query.limit : .max)
      let found =
        path.range == IndexRange()
        ? min(all, most) : try reader.count(in: index, of: query.entity, range: path.range, limit: most)
      let cost = found * costOfJump
      if cost < best?.cost ?? all { best = (path, cost) }
    }
    return best.map { .path($0.path) } ?? .scan
  }

  private init(_ query: BoundQuery) {
    self.query = query
    schema = query.plan.schema
    entity = schema.entities[query.entity]
    if case .all(let all) = query.condition { parts = all } else { parts = [query.condition] }
  }

  // MARK: What the filter says

  private mutating func read<R: StoreReader>(_ reader: inout R) throws {
    for (number, part) in parts.enumerated() {
      switch part {
      case .not(.exists(let path)):
        if let field = field(of: path) { equal[field] = (.none, number) }
      case .compare(.literal(let value), let comparison, .path(let path)):
        try take(path, comparison.mirrored, value, number, &reader)
      case .compare(.path(let path), let comparison, .literal(let value)):
        try take(path, comparison, value, number, &reader)
      case .text(.path(let path), .hasPrefix, .literal(.string(let prefix))):
        if let field = field(of: path), case .attribute(.string) = entity.fields[field].kind,
          let end = prefix.firstBehind
        {
          prefixes[field] = (prefix, end, number)
        }
      default: break
      }
    }
  }

  /// The field of the object that a path leads to.
  private func field(of path: BoundFilter.Path) -> Int? {
    switch (path.steps.count, path.end) {
    case (0, .attribute(let field)): return field
    case (1, .object):
      if case .toOne(let field) = path.steps[0] { return field }
      return nil
    default: return nil
    }
  }

  /// The relationship whose target has the key at the end of a path.
  private func relationship(of path: BoundFilter.Path) -> (field: Int, target: Int)? {
    guard path.steps.count == 1, case .toOne(let field) = path.steps[0],
      let target = entity.fields[field].kind.target, !target.isOwned
    else { return nil }
    switch path.end {
    case .object: return (field, target.entity)
    case .attribute(let key):
      return query.plan.traits.keyFields[target.entity] == [key] ? (field, target.entity) : nil
    case .json: return nil
    }
  }

  private mutating func take<R: StoreReader>(
    _ path: BoundFilter.Path, _ comparison: BoundFilter.Comparison, _ value: Value, _ part: Int,
    _ reader: inout R
  ) throws {
    if let (field, target) = relationship(of: path), comparison == .equal, value != .null {
      guard let key = PrimaryKey(value) else { return }
      if let id = try reader.find(key, of: target) {
        equal[field] = (.object(id), part)
      } else {
        isNothing = true
      }
      return
    }
    guard let field = field(of: path) else { return }
    if value == .null {
      if comparison == .equal { equal[field] = (.none, part) }
      return
    }
    guard case .attribute(let kind) = entity.fields[field].kind, let value = value.stored(as: kind) else {
      return
    }
    if kind == .boolean {
      // `false` and `true` have no order in a filter, but in an index.
      switch comparison {
      case .equal, .lessOrEqual, .greaterOrEqual: equal[field] = (.value(value), part)
      case .notEqual, .less, .greater: break
      }
      return
    }
    switch comparison {
    case .equal: equal[field] = (.value(value), part)
    case .notEqual: break
    case .less: upper[field] = (.init(value, isIncluded: false), part)
    case .lessOrEqual: upper[field] = (.init(value, isIncluded: true), part)
    case .greater: lower[field] = (.init(value, isIncluded: false), part)
    case .greaterOrEqual: lower[field] = (.init(value, isIncluded: true), part)
    }
  }

  // MARK: What an index can do with it

  /// The way through an index; nil if it neither bounds nor sorts.
  private func path(through index: Schema.Index) -> IndexPath? {
    var range = IndexRange()
    var done: Set<Int> = []
    for part in index.parts {
      guard let (content, number) = equal[part.field] else { break }
      range.equal.append(content)
      if content.isWhole { done.insert(number) }
    }
    let order = order(of: index, behind: range.equal.count)
    if range.equal.count < index.parts.count {
      let field = index.parts[range.equal.count].field
      if let (bound, number) = lower[field] {
        range.lower = bound
        if IndexRange.Content.value(bound.value).isWhole { done.insert(number) }
      }
      if let (bound, number) = upper[field] {
        range.upper = bound
        if IndexRange.Content.value(bound.value).isWhole { done.insert(number) }
      }
      if range.lower == nil, range.upper == nil, let prefix = prefixes[field] {
        range.lower = .init(.string(prefix.lower), isIncluded: true)
        range.upper = .init(.string(prefix.upper), isIncluded: false)
        if IndexRange.Content.value(.string(prefix.lower)).isWhole { done.insert(prefix.part) }
      }
    }
    if range == IndexRange(), order == nil { return nil }
    let rest = parts.indices.filter { !done.contains($0) }.map { parts[$0] }
    return IndexPath(
      index: index, range: range, isDescending: order ?? false, isInOrder: order != nil, rest: .all(of: rest))
  }

  /// Whether the index has to be visited in reverse for the order of the query; nil if it does not have that order.
  ///
  /// - Parameter count: The number of its first fields that are equal in all objects.
  private func order(of index: Schema.Index, behind count: Int) -> Bool? {
    let rest = index.parts[count...]
    switch query.order {
    case .stored: return rest.isEmpty ? false : nil
    case .key: return nil
    case .values(let isDescending):
      guard rest.count == query.sortPaths.count else { return nil }
      var isReversed: Bool?
      for (part, (path, isDescending)) in zip(rest, zip(query.sortPaths, isDescending)) {
        guard path.steps.isEmpty, case .attribute(let field) = path.end, field == part.field else {
          return nil
        }
        let differs = isDescending != part.isDescending
        guard isReversed ?? differs == differs else { return nil }
        isReversed = differs
      }
      return isReversed
    }
  }
}

extension IndexRange.Content {
  /// Whether an index keeps the value as a whole. An entry has the start of a long string only.
  fileprivate var isWhole: Bool {
    switch self {
    case .value(.string(let text)): text.utf8.count <= 16
    case .value(.data(let bytes)): bytes.count <= 16
    case .none, .object, .value: true
    }
  }
}

extension Value {
  /// The value as an attribute of a kind stores it; nil if it has no such value.
  fileprivate func stored(as kind: AttributeKind) -> Value? {
    switch (self, kind) {
    case (.integer(let value), .number):
      // Above that, two integers are one number.
      return value.magnitude <= 1 << 53 ? .number(Double(value)) : nil
    case (.integer, .integer), (.unsigned, .integer), (.number, .number), (.string, .string), (.date, .date),
      (.data, .data), (.boolean, .boolean):
      return self
    default: return nil
    }
  }
}
