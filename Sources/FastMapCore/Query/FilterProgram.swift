internal import CFastMap

/// A filter in the form that runs: the objects of its to-one paths are numbered, and everything that can be made once is
/// made.
///
///     @.age >= 18 && @.author.name == "Ada" && count(@.tags[*]) > 2
///
///       frame 0   the object          age
///       frame 1   author of frame 0   name
///       list 0    tags of frame 0
///
/// It runs in three stages: with the fields of the object alone, with the other frames, and with the lists. Most objects
/// are decided in the first.
final class FilterProgram: Sendable {
  enum Stage: Int, Comparable, Sendable {
    case row, frames, lists

    static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
  }

  /// An object at the end of to-one relationships; frame 0 is the object itself.
  struct Frame: Sendable {
    /// A frame before this one.
    let parent: Int
    /// The to-one relationship of the parent.
    let field: Int
    let entity: Int
    /// The number of relationships that lead here.
    let level: Int
    /// Whether a field of it is read.
    var needsRow = false
  }

  /// A path with a to-many relationship, up to its first one.
  struct List: Sendable {
    /// Of the owner.
    let frame: Int
    let field: Int
    /// The entity of the targets.
    let entity: Int
    let selectors: [Selector]
    /// True for targets from which the rest of the path leads to something; nil if the target is the end.
    let rest: FilterProgram?
    /// Whether `rest` has the number of values as its output. Otherwise it is one.
    let restHasCount: Bool
    /// Its output is the value that the rest of the path leads to; nil if the target is the end, and if nobody asks.
    let value: FilterProgram?
    let needsValue: Bool
  }

  enum Selector: Sendable {
    case all
    case index(Int64)
    case slice(start: Int64?, end: Int64?, step: Int64)
    case filtered(FilterProgram)
  }

  indirect enum Node: Sendable {
    case constant(Bool)
    case all([Node])
    case any([Node])
    case not(Node)
    case test(Test, Stage)
  }

  enum Test: Sendable {
    case exists(Operand)
    case compare(Operand, BoundFilter.Comparison, Operand)
    case isOne(Operand, LiteralSet)
    /// Whether an object is one of those with the keys of a set.
    case isObject(Operand, keySet: Int, isNoneEqual: Bool)
    case text(Operand, BoundFilter.TextTest, Operand, TextPattern?)
  }

  indirect enum Operand: Sendable {
    case literal(LiteralSlot)
    case field(frame: Int, field: Int)
    /// The object itself.
    case own
    case json(frame: Int, field: Int, JSONSelection)
    case jsonCount(frame: Int, field: Int, JSONSelection)
    case jsonOnly(frame: Int, field: Int, JSONSelection)
    case listCount(Int)
    case listValue(Int)
    case length(Operand)
    /// 1 if there is a value, else 0.
    case presence(Operand)
  }

  struct KeySet: Sendable {
    let entity: Int
    let keys: [PrimaryKey]
  }

  let schema: Schema
  let entity: Int
  let frames: [Frame]
  let lists: [List]
  let keySets: [KeySet]
  let root: Node
  let outputs: [Operand]
  /// The stage in which the root is decided at the latest.
  let stage: Stage
  /// The stage that the outputs need.
  let outputStage: Stage
  /// The work of one object, about.
  let weight: Int
  private let source: BoundFilter.Condition

  convenience init(_ filter: BoundFilter, _ schema: Schema, sortedBy paths: [BoundFilter.Path] = []) {
    self.init(filter.condition, filter.entity, schema, sortedBy: paths)
  }

  /// - Parameter paths: Of attributes, whose values are the outputs.
  init(
    _ condition: BoundFilter.Condition, _ entity: Int, _ schema: Schema,
    sortedBy paths: [BoundFilter.Path] = [], counting: BoundFilter.Path? = nil,
    valuing: BoundFilter.Path? = nil
  ) {
    var compiler = FilterCompiler(schema, entity)
    root = compiler.node(condition)
    outputs =
      paths.map { compiler.operand($0, needsValue: true) } + (counting.map { [compiler.count($0)] } ?? [])
      + (valuing.map { [compiler.value($0)] } ?? [])
    self.schema = schema
    self.entity = entity
    frames = compiler.frames
    lists = compiler.lists
    keySets = compiler.keySets
    stage = root.stage
    outputStage = outputs.reduce(.row) { max($0, $1.stage) }
    weight = compiler.weight
    source = condition
  }

  /// The same filter alone.
  var withoutOutputs: FilterProgram { FilterProgram(source, entity, schema) }
}

extension FilterProgram.Node {
  var stage: FilterProgram.Stage {
    switch self {
    case .constant: .row
    case .all(let parts), .any(let parts): parts.reduce(.row) { max($0, $1.stage) }
    case .not(let part): part.stage
    case .test(_, let stage): stage
    }
  }
}

extension FilterProgram.Operand {
  var stage: FilterProgram.Stage {
    switch self {
    case .literal, .own: .row
    case .field(let frame, _), .json(let frame, _, _), .jsonCount(let frame, _, _),
      .jsonOnly(let frame, _, _):
      frame == 0 ? .row : .frames
    case .listCount, .listValue: .lists
    case .length(let operand), .presence(let operand): operand.stage
    }
  }
}

/// Compiles a condition about the objects of an entity.
struct FilterCompiler {
  private let schema: Schema
  private(set) var frames: [FilterProgram.Frame]
  private(set) var lists: [FilterProgram.List] = []
  private(set) var keySets: [FilterProgram.KeySet] = []
  private(set) var weight = 1
  private var frameOf: [FrameName: Int] = [:]

  private struct FrameName: Hashable {
    let parent: Int
    let field: Int
  }

  typealias Operand = FilterProgram.Operand
  typealias Node = FilterProgram.Node

  init(_ schema: Schema, _ entity: Int) {
    self.schema = schema
    frames = [.init(parent: 0, field: 0, entity: entity, level: 0, needsRow: true)]
  }

  // MARK: Conditions

  mutating func node(_ condition: BoundFilter.Condition) -> Node {
    switch condition {
    case .constant(let value): return .constant(value)
    // What needs less is decided first.
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

  private mutating func exists(_ path: BoundFilter.Path) -> Node {
    if path.isSingular, !path.hasList {
      let operand = operand(path)
      return made(.exists(operand), operand.stage)
    }
    let operand = count(path)
    return made(.compare(operand, .greater, .literal(Self.zero)), operand.stage)
  }

  private static let zero = LiteralSlot(.integer(0))

  private mutating func compare(
    _ a: BoundFilter.Term, _ comparison: BoundFilter.Comparison, _ b: BoundFilter.Term
  ) -> Node {
    if case .literal = a { return compare(b, comparison.mirrored, a) }
    if case .literal(let value) = b, let entity = object(a) {
      if value != .null, comparison == .equal || comparison == .notEqual {
        let found = isObject(a, entity, [value])
        return comparison == .equal ? found : .not(found)
      }
      // An order of objects is that of their keys.
      let key = key(a, entity)
      return made(.compare(key, comparison, .literal(LiteralSlot(value))), key.stage)
    }
    var operands = (operand(a), operand(b))
    switch (object(a), object(b)) {
    case (let entity?, nil): operands.0 = key(a, entity)
    case (nil, let entity?): operands.1 = key(b, entity)
    default: break
    }
    if case .literal(let value) = b { operands.1 = .literal(LiteralSlot(value, isJSON: a.isJSON)) }
    return made(.compare(operands.0, comparison, operands.1), operands.0.stage, operands.1.stage)
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

  /// The entity of a term that is an object.
  private func object(_ term: BoundFilter.Term) -> Int? {
    switch term {
    case .path(let path), .value(let path): path.object(in: schema, frames[0].entity)
    case .literal, .length, .count: nil
    }
  }

  /// The key of an object.
  private mutating func key(_ term: BoundFilter.Term, _ entity: Int) -> Operand {
    guard let field = schema.entities[entity].keyField else { return .literal(LiteralSlot(.null)) }
    switch term {
    case .path(let path): return operand(.init(path.steps, .attribute(field: field)), needsValue: true)
    case .value(let path): return value(.init(path.steps, .attribute(field: field)))
    case .literal, .length, .count: return .literal(LiteralSlot(.null))
    }
  }

  private mutating func operand(_ term: BoundFilter.Term) -> Operand {
    switch term {
    case .literal(let value): return .literal(LiteralSlot(value))
    case .path(let path): return operand(path, needsValue: true)
    case .length(let inner): return .length(operand(inner))
    case .count(let path): return count(path)
    case .value(let path): return value(path)
    }
  }

  /// The value of a path that leads to at most one.
  mutating func operand(_ path: BoundFilter.Path, needsValue: Bool = false) -> Operand {
    var frame = 0
    for (index, step) in path.steps.enumerated() {
      switch step {
      case .toMany(let field, let selectors):
        return .listValue(list(frame, field, selectors, path, after: index, needsValue: true))
      case .toOne(let field):
        if index == path.steps.count - 1, case .object = path.end {
          frames[frame].needsRow = true
          return .field(frame: frame, field: field)
        }
        frame = child(frame, field)
      }
    }
    frames[frame].needsRow = true
    switch path.end {
    case .object: return .own
    case .attribute(let field): return .field(frame: frame, field: field)
    case .json(let field, let selection): return .json(frame: frame, field: field, selection)
    }
  }

  mutating func count(_ path: BoundFilter.Path) -> Operand {
    if let list = list(path, needsValue: false) { return .listCount(list) }
    let operand = operand(path)
    if case .json(let frame, let field, let selection) = operand, !selection.isWhole {
      return .jsonCount(frame: frame, field: field, selection)
    }
    return .presence(operand)
  }

  mutating func value(_ path: BoundFilter.Path) -> Operand {
    if let list = list(path, needsValue: true) { return .listValue(list) }
    let operand = operand(path)
    if case .json(let frame, let field, let selection) = operand, !selection.isSingular {
      return .jsonOnly(frame: frame, field: field, selection)
    }
    return operand
  }

  // MARK: Frames and lists

  private mutating func child(_ parent: Int, _ field: Int) -> Int {
    let name = FrameName(parent: parent, field: field)
    if let known = frameOf[name] { return known }
    frames[parent].needsRow = true
    let entity = schema.entities[frames[parent].entity].fields[field].kind.target?.entity ?? 0
    frames.append(.init(parent: parent, field: field, entity: entity, level: frames[parent].level + 1))
    frameOf[name] = frames.count - 1
    return frames.count - 1
  }

  /// The list of a path with a to-many relationship; nil for another path.
  private mutating func list(_ path: BoundFilter.Path, needsValue: Bool) -> Int? {
    guard path.hasList else { return nil }
    var frame = 0
    for (index, step) in path.steps.enumerated() {
      switch step {
      case .toOne(let field): frame = child(frame, field)
      case .toMany(let field, let selectors):
        return list(frame, field, selectors, path, after: index, needsValue: needsValue)
      }
    }
    return nil
  }

  private mutating func list(
    _ frame: Int, _ field: Int, _ selectors: [BoundFilter.Selector], _ path: BoundFilter.Path,
    after index: Int,
    needsValue: Bool
  ) -> Int {
    let entity = schema.entities[frames[frame].entity].fields[field].kind.target?.entity ?? 0
    let rest = BoundFilter.Path(Array(path.steps[(index + 1)...]), path.end)
    let isTarget = rest.steps.isEmpty && { if case .object = rest.end { true } else { false } }()
    let isPlural = !rest.isSingular || rest.hasList
    lists.append(
      FilterProgram.List(
        frame: frame, field: field, entity: entity,
        selectors: selectors.map { selector in
          switch selector {
          case .all: .all
          case .index(let index): .index(index)
          case .slice(let start, let end, let step): .slice(start: start, end: end, step: step)
          case .filtered(let filter): .filtered(FilterProgram(filter, schema))
          }
        },
        rest: isTarget
          ? nil
          : FilterProgram(.exists(of: rest), entity, schema, counting: isPlural ? rest : nil),
        restHasCount: isPlural,
        value: isTarget || !needsValue ? nil : FilterProgram(.constant(true), entity, schema, valuing: rest),
        needsValue: needsValue))
    return lists.count - 1
  }
}

extension BoundFilter.Step {
  var isToMany: Bool { if case .toMany = self { true } else { false } }
}

extension BoundFilter.Path {
  var hasList: Bool { steps.contains(where: \.isToMany) }

  /// The entity of the object that it leads to; nil if it leads to a value.
  func object(in schema: Schema, _ entity: Int) -> Int? {
    guard case .object = end else { return nil }
    return steps.reduce(entity) { entity, step in
      switch step {
      case .toOne(let field), .toMany(let field, _):
        schema.entities[entity].fields[field].kind.target?.entity ?? entity
      }
    }
  }
}

extension BoundFilter.Comparison {
  /// The operator for the same terms the other way round.
  var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension PrimaryKey {
  /// Nil for a value that is no key.
  init?(_ value: Value) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .string(let value): self = .string(value)
    default: return nil
    }
  }
}
