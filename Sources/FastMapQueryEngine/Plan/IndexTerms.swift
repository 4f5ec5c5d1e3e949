/// A bound that a part of a filter sets on a field that may be indexed.
struct IndexTerm: Sendable {
  enum Test: Sendable {
    /// A field that holds one of these, each once.
    case equal([IndexRange.Content])
    case lower(IndexRange.Bound)
    case upper(IndexRange.Bound)
    /// A string from one up to before another.
    case within(String, String)
  }

  let field: Int
  let part: Int
  let test: Test
  /// Whether the part is also true of objects without a value in the field.
  var takesNone = false
}

/// Finds the bounds that the parts of a filter set on single fields.
struct IndexTerms {
  private let plan: Plan
  private let number: Int
  private(set) var terms: [IndexTerm] = []
  /// Whether an object that a relationship has to lead to is not stored.
  private(set) var isNothing = false

  private var fields: [Schema.Field] { plan.schema.entities[number].fields }

  /// - Parameter parts: All have to be true.
  init<R: StoreReader>(
    _ parts: [BoundFilter.Condition], of entity: Int, _ plan: Plan, _ reader: inout R
  ) throws {
    self.plan = plan
    number = entity
    for (number, part) in parts.enumerated() where !part.readsShown(of: entity, in: plan) {
      if let (field, contents) = try equality(part, &reader) {
        if contents.isEmpty { isNothing = true }
        terms.append(IndexTerm(field: field, part: number, test: .equal(contents)))
      } else if let (field, test) = bounds(part) {
        terms.append(IndexTerm(field: field, part: number, test: test))
      } else if case .any(let either) = part, either.count == 2, let (field, test) = bounds(either[0]),
        case .not(.exists(let path)) = either[1], self.field(of: path) == field
      {
        terms.append(IndexTerm(field: field, part: number, test: test, takesNone: true))
      }
    }
  }

  /// The fewest values that a field has to hold one of, and the condition of them.
  func equal(_ field: Int) -> (contents: [IndexRange.Content], part: Int)? {
    var fewest: (contents: [IndexRange.Content], part: Int)?
    for term in terms where term.field == field {
      guard case .equal(let contents) = term.test else { continue }
      if contents.count < fewest?.contents.count ?? .max { fewest = (contents, term.part) }
    }
    return fewest
  }

  // MARK: Fields

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
      let target = fields[field].kind.target, !target.isOwned
    else { return nil }
    switch path.end {
    case .object: return (field, target.entity)
    case .attribute(let key):
      return plan.traits.keyFields[target.entity] == [key] ? (field, target.entity) : nil
    case .json: return nil
    }
  }

  // MARK: Equalities

  /// The field that a part compares, and the contents that it may hold; nil if the part is no equality.
  private func equality<R: StoreReader>(
    _ part: BoundFilter.Condition, _ reader: inout R
  ) throws -> (field: Int, contents: [IndexRange.Content])? {
    switch part {
    case .not(.exists(let path)): return field(of: path).map { ($0, [.none]) }
    case .compare(.path(let path), let comparison, .literal(let value)),
      .compare(.literal(let value), let comparison, .path(let path)):
      switch comparison {
      case .equal: return try equality(path, [value], &reader)
      case .lessOrEqual, .greaterOrEqual:
        // `false` and `true` have no order in a filter, but in an index.
        guard case .boolean = value else { return nil }
        return try equality(path, [value], &reader)
      case .notEqual, .less, .greater: return nil
      }
    case .isOne(.path(let path), let values):
      return values.count > IndexPlanner.mostRanges ? nil : try equality(path, values, &reader)
    case .any(let parts):
      var field: Int?
      var contents: [IndexRange.Content] = []
      for part in parts {
        guard let found = try equality(part, &reader), field ?? found.field == found.field else { return nil }
        field = found.field
        contents += found.contents
        if contents.count > IndexPlanner.mostRanges { return nil }
      }
      return field.map { ($0, Self.distinct(contents)) }
    default: return nil
    }
  }

  private func equality<R: StoreReader>(
    _ path: BoundFilter.Path, _ values: [Value], _ reader: inout R
  ) throws -> (field: Int, contents: [IndexRange.Content])? {
    let own = field(of: path)
    if let (field, target) = relationship(of: path), own != nil || !values.contains(.null) {
      let (keys, others) = PrimaryKey.among(values)
      let nulls = values.count { $0 == .null }
      guard others == nulls else { return nil }
      var contents: [IndexRange.Content] = nulls > 0 ? [.none] : []
      for case let id? in try reader.checkedFind(keys, of: target) { contents.append(.object(id)) }
      return (field, Self.distinct(contents))
    }
    guard let own else { return nil }
    var contents: [IndexRange.Content] = []
    for value in values {
      if value == .null {
        contents.append(.none)
      } else {
        guard case .attribute(let kind) = fields[own].kind, let value = value.stored(as: kind) else {
          return nil
        }
        contents.append(.value(value))
      }
    }
    return (own, Self.distinct(contents))
  }

  /// Each of some contents once: each is a range, and no object is found twice.
  private static func distinct(_ contents: [IndexRange.Content]) -> [IndexRange.Content] {
    if contents.count < 2 { return contents }
    var known: Set<ByteContent> = []
    return contents.filter { known.insert(ByteContent(content: $0)).inserted }
  }

  /// A content that is compared by its bytes. Swift takes some strings for equal that an index distinguishes.
  private struct ByteContent: Hashable {
    let content: IndexRange.Content

    static func == (a: ByteContent, b: ByteContent) -> Bool {
      if case .value(.string(let a)) = a.content, case .value(.string(let b)) = b.content {
        return a.utf8.elementsEqual(b.utf8)
      }
      return a.content == b.content
    }

    func hash(into hasher: inout Hasher) { hasher.combine(content) }
  }

  // MARK: Bounds

  private func bounds(_ part: BoundFilter.Condition) -> (field: Int, IndexTerm.Test)? {
    switch part {
    case .compare(.literal(let value), let comparison, .path(let path)):
      return bounds(path, comparison.mirrored, value)
    case .compare(.path(let path), let comparison, .literal(let value)):
      return bounds(path, comparison, value)
    case .text(.path(let path), .hasPrefix, .literal(.string(let prefix))):
      guard let field = field(of: path), case .attribute(.string) = fields[field].kind,
        let end = prefix.firstBehind
      else { return nil }
      return (field, .within(prefix, end))
    default: return nil
    }
  }

  private func bounds(
    _ path: BoundFilter.Path, _ comparison: BoundFilter.Comparison, _ value: Value
  ) -> (field: Int, IndexTerm.Test)? {
    guard let field = field(of: path), value != .null, case .attribute(let kind) = fields[field].kind,
      kind != .boolean, let value = value.stored(as: kind)
    else { return nil }
    switch comparison {
    case .equal, .notEqual: return nil
    case .less: return (field, .upper(.init(value, isIncluded: false)))
    case .lessOrEqual: return (field, .upper(.init(value, isIncluded: true)))
    case .greater: return (field, .lower(.init(value, isIncluded: false)))
    case .greaterOrEqual: return (field, .lower(.init(value, isIncluded: true)))
    }
  }
}
