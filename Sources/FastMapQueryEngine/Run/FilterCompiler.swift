/// Compiles a condition about the objects of an entity.
struct FilterCompiler {
  private let plan: Plan
  private(set) var frames: [FilterProgram.Frame]
  package private(set) var lists: [FilterProgram.List] = []
  private(set) var keySets: [FilterProgram.KeySet] = []
  private(set) var weight = 1
  /// Whether values are as they are stored, and not as properties show them.
  var isStored = false
  private var frameOf: [FrameName: Int] = [:]

  private struct FrameName: Hashable {
    let parent: Int
    let field: Int
  }

  private var schema: Schema { plan.schema }

  typealias Operand = FilterProgram.Operand
  typealias Node = FilterProgram.Node

  init(_ plan: Plan, _ entity: Int) {
    self.plan = plan
    frames = [.init(parent: 0, field: 0, isInverse: false, entity: entity, level: 0, needsRow: true)]
  }

  // MARK: Conditions

  mutating func node(_ condition: BoundFilter.Condition) -> Node {
    isStored = condition.isAboutStored(of: frames[0].entity, in: plan)
    switch condition {
    case .constant(let value): return .constant(value)
    // Cheap parts are decided first.
    case .all(let parts): return .all(parts.map { node($0) }.sorted { $0.stage < $1.stage })
    case .any(let parts): return .any(parts.map { node($0) }.sorted { $0.stage < $1.stage })
    case .not(let part): return .not(node(part))
    case .exists(let path): return exists(path)
    case .compare(let a, let comparison, let b): return compare(a, comparison, b)
    case .isOne(let term, let values): return isOne(term, values)
    case .text(let a, let test, let b):
      var pattern: TextPattern?
      if test == .match || test == .search, case .literal(.string(let text)) = b {
        pattern = try? TextPattern(text)
      }
      let operands = (operand(a), operand(b))
      return made(.text(operands.0, test, operands.1, pattern), operands.0.stage, operands.1.stage)
    }
  }

  private mutating func made(_ test: FilterProgram.Test, _ stages: FilterProgram.Stage...) -> Node {
    weight += 1
    return .test(test, stages.reduce(.row) { max($0, $1) })
  }

  /// Whether a path leads anywhere.
  package mutating func found(_ path: BoundFilter.Path) -> Node {
    // The object that the filter is about always exists.
    if path.steps.isEmpty, case .object = path.end { return .constant(true) }
    return exists(path)
  }

  private mutating func exists(_ path: BoundFilter.Path) -> Node {
    if path.isSingular, !path.hasList {
      let operand = operand(path)
      return made(.exists(operand), operand.stage)
    }
    let operand = count(path)
    return made(.compare(operand, .greater, .literal(Self.zero)), operand.stage)
  }

  private static let zero = LiteralSlot(.integer(0))
  private static let one = LiteralSlot(.integer(1))

  private mutating func compare(
    _ a: BoundFilter.Term, _ comparison: BoundFilter.Comparison, _ b: BoundFilter.Term
  ) -> Node {
    if case .literal = a { return compare(b, comparison.mirrored, a) }
    if case .decimal = a { return compare(b, comparison.mirrored, a) }
    if case .decimal(let decimal) = b {
      let value = operand(a)
      return made(.decimal(value, DecimalTest(comparison, decimal)), value.stage)
    }
    if case .literal(let value) = b, let entity = object(a) {
      if value != .null, comparison == .equal || comparison == .notEqual {
        let found = isObject(a, entity, [value])
        return comparison == .equal ? found : .not(found)
      }
      // An object without a key is not null.
      if value == .null, comparison != .less, comparison != .greater {
        let found = present(operand(a))
        return comparison == .notEqual ? found : .not(found)
      }
      // Objects are ordered by their keys.
      let key = key(a, entity).key
      return made(.compare(key, comparison, .literal(LiteralSlot(value))), key.stage)
    }
    switch (object(a), object(b)) {
    case (let entity?, nil): return compare(a, of: entity, comparison, operand(b))
    case (nil, let entity?): return compare(b, of: entity, comparison.mirrored, operand(a))
    default: break
    }
    var operands = (operand(a), operand(b))
    if case .literal(let value) = b { operands.1 = .literal(LiteralSlot(value, isJSON: a.isJSON)) }
    return made(.compare(operands.0, comparison, operands.1), operands.0.stage, operands.1.stage)
  }

  private mutating func present(_ operand: Operand) -> Node {
    // A list has one value only for one target.
    if case .listValue(let list) = operand {
      return made(.compare(.listCount(list), .equal, .literal(Self.one)), operand.stage)
    }
    return made(.exists(operand), operand.stage)
  }

  /// Whether a comparison has to tell an object without a key from no object.
  private func mayLackKey(_ entity: Int, _ comparison: BoundFilter.Comparison) -> Bool {
    schema.entities[entity].keepsKeyless && comparison != .less && comparison != .greater
  }

  /// Compares an object with a value: no object equals no value, and an object without a key equals nothing.
  private mutating func compare(
    _ term: BoundFilter.Term, of entity: Int, _ comparison: BoundFilter.Comparison, _ value: Operand
  ) -> Node {
    let (key, object) = key(term, entity)
    guard mayLackKey(entity, comparison) else {
      return made(.compare(key, comparison, value), key.stage, value.stage)
    }
    let plain = made(
      .compare(key, comparison == .notEqual ? .equal : comparison, value), key.stage, value.stage)
    let equal = Node.any([
      .all([made(.exists(key), key.stage), plain]),
      .all([.not(present(object)), .not(made(.exists(value), value.stage))]),
    ])
    return comparison == .notEqual ? .not(equal) : equal
  }

  private mutating func isOne(_ term: BoundFilter.Term, _ values: [Value]) -> Node {
    if let entity = object(term) { return isObject(term, entity, values) }
    let operand = operand(term)
    return made(.isOne(operand, LiteralSet(values, isJSON: term.isJSON)), operand.stage)
  }

  private mutating func isObject(_ term: BoundFilter.Term, _ entity: Int, _ values: [Value]) -> Node {
    let operand = operand(term)
    keySets.append(.init(entity: entity, keys: values.compactMap(PrimaryKey.init)))
    return made(
      .isObject(operand, keySet: keySets.count - 1, isNoneEqual: values.contains(.null)), operand.stage)
  }

  // MARK: Terms

  private func object(_ term: BoundFilter.Term) -> Int? {
    switch term {
    case .path(let path), .value(let path): path.object(in: schema, frames[0].entity)
    case .literal, .decimal, .length, .lowercased, .count: nil
    }
  }

  /// The key of an object, and the object for ``present(_:)``. A list is compiled once for both, because it may have filters
  /// inside that have lists, and so on.
  private mutating func key(_ term: BoundFilter.Term, _ entity: Int) -> (key: Operand, object: Operand) {
    let none = Operand.literal(LiteralSlot(.null))
    guard let field = schema.entities[entity].keyField else { return (none, operand(term)) }
    switch term {
    case .path(let path), .value(let path):
      if let list = list(path, .key(field)) { return (.listValue(list), .listValue(list)) }
      return (operand(.init(path.steps, .attribute(field: field))), operand(path))
    case .literal, .decimal, .length, .lowercased, .count: return (none, none)
    }
  }

  mutating func operand(_ term: BoundFilter.Term) -> Operand {
    switch term {
    case .literal(let value): return .literal(LiteralSlot(value))
    case .decimal(let value): return .literal(LiteralSlot(.number(value.nearest)))
    case .path(let path): return operand(path)
    case .length(let inner): return .length(operand(inner))
    case .lowercased(let inner): return .lowercased(operand(inner))
    case .count(let path): return count(path)
    case .value(let path): return value(path)
    }
  }

  mutating func operand(_ path: BoundFilter.Path) -> Operand {
    if let list = list(path, .value) { return .listValue(list) }
    var frame = 0
    for (index, step) in path.steps.enumerated() {
      let link = step.link(of: schema.entities[frames[frame].entity])
      if index == path.steps.count - 1, case .object = path.end, case .toOne(let field) = step {
        frames[frame].needsRow = true
        return .field(frame: frame, field: field)
      }
      frame = child(frame, link)
    }
    if case .object = path.end { return .object(frame: frame) }
    frames[frame].needsRow = true
    switch path.end {
    case .object: return .object(frame: frame)
    case .attribute(let field):
      if let shown = shown(field, frame) { return .shown(frame: frame, field: field, shown) }
      return .field(frame: frame, field: field)
    case .json(let field, _, _):
      return .json(.init(frame: frame, field: field, shown: shown(field, frame)), path.end.query ?? .whole)
    }
  }

  private func shown(_ field: Int, _ frame: Int) -> ShownValues? {
    isStored ? nil : ShownValues(field, of: plan.classes[frames[frame].entity])
  }

  package mutating func count(_ path: BoundFilter.Path) -> Operand {
    if let list = list(path, .count) { return .listCount(list) }
    let operand = operand(path)
    if case .json(let place, let selection) = operand, !selection.isWhole {
      return .jsonCount(place, selection)
    }
    return .presence(operand)
  }

  mutating func value(_ path: BoundFilter.Path) -> Operand {
    let operand = operand(path)
    if case .json(let place, let selection) = operand, !selection.isSingular {
      return .jsonOnly(place, selection)
    }
    return operand
  }

  /// The number of values that a path leads to and, if it is wanted, the value.
  mutating func outputs(_ path: BoundFilter.Path, _ wanted: Wanted) -> [Operand] {
    let list = list(path, wanted)
    let number = list.map { .listCount($0) } ?? count(path)
    switch wanted {
    case .count: return [number]
    case .value: return [number, list.map { .listValue($0) } ?? value(path)]
    case .key(let key):
      return [number, list.map { .listValue($0) } ?? operand(.init(path.steps, .attribute(field: key)))]
    }
  }

  // MARK: Frames and lists

  private mutating func child(_ parent: Int, _ field: Int) -> Int {
    let name = FrameName(parent: parent, field: field)
    if let known = frameOf[name] { return known }
    let owner = schema.entities[frames[parent].entity]
    let isInverse = owner.inverse(field) != nil
    if !isInverse { frames[parent].needsRow = true }
    frames.append(
      .init(
        parent: parent, field: field, isInverse: isInverse, entity: owner.target(field) ?? 0,
        level: frames[parent].level + 1))
    frameOf[name] = frames.count - 1
    return frames.count - 1
  }

  /// The result that a term needs of a list.
  enum Wanted {
    case count
    /// Also the value, if there is one only.
    case value
    /// Also the attribute of the target, if there is one only.
    case key(Int)
  }

  /// The list of a path with a to-many relationship; nil for another path.
  private mutating func list(_ path: BoundFilter.Path, _ wanted: Wanted) -> Int? {
    guard path.hasList else { return nil }
    var frame = 0
    for (index, step) in path.steps.enumerated() {
      let link = step.link(of: schema.entities[frames[frame].entity])
      guard let selectors = step.selectors else {
        frame = child(frame, link)
        continue
      }
      return list(frame, link, selectors, path, after: index, wanted)
    }
    return nil
  }

  private mutating func list(
    _ frame: Int, _ field: Int, _ selectors: [BoundFilter.Selector], _ path: BoundFilter.Path,
    after index: Int, _ wanted: Wanted
  ) -> Int {
    let entity = schema.entities[frames[frame].entity].target(field) ?? 0
    let rest = BoundFilter.Path(Array(path.steps[(index + 1)...]), path.end)
    var isTarget = false
    if rest.steps.isEmpty, case .object = rest.end { isTarget = true }
    let value: FilterProgram.List.Value
    switch wanted {
    case .count: value = .none
    case .value: value = isTarget ? .target : .output
    case .key: (value, isTarget) = (.output, false)
    }
    lists.append(
      FilterProgram.List(
        frame: frame, field: field, entity: entity,
        selectors: selectors.map { selector in
          switch selector {
          case .all: .all
          case .index(let index): .index(index)
          case .slice(let start, let end, let step): .slice(start: start, end: end, step: step)
          case .filtered(let filter): .filtered(FilterProgram(filter, plan))
          }
        },
        rest: isTarget ? nil : FilterProgram(rest, wanted, entity, plan, isStored: isStored),
        value: value))
    return lists.count - 1
  }
}
