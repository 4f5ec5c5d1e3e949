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
/// A program runs in three stages: with the fields of the object alone, with the other frames, and with the lists.
/// Most objects are decided in the first.
package final class FilterProgram: Sendable {
  package enum Stage: Int, Comparable, Sendable {
    case row, frames, lists

    package static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
  }

  /// An object at the end of to-one relationships; frame 0 is the object itself.
  package struct Frame: Sendable {
    /// A frame before this one.
    let parent: Int
    /// The to-one relationship of the parent or, after its fields, the inverse.
    let field: Int
    let isInverse: Bool
    let entity: Int
    /// The number of relationships that lead here.
    let level: Int
    /// Whether a field of it is read.
    var needsRow = false
  }

  /// A path with a to-many relationship, up to its first one.
  package struct List: Sendable {
    let frame: Int
    /// The relationship of the owner or, after its fields, the inverse.
    let field: Int
    let entity: Int
    let selectors: [Selector]
    /// Its outputs are the number of values that the rest of the path leads to, and the value if somebody asks. Both come
    /// from one program, because two of them for each list would be 2^n. Nil if the target is the end.
    let rest: FilterProgram?
    let value: Value

    /// A result beside the number of values.
    package enum Value: Sendable {
      case none
      case target
      /// The second output of `rest`.
      case output
    }
  }

  package enum Selector: Sendable {
    case all
    case index(Int64)
    case slice(start: Int64?, end: Int64?, step: Int64)
    case filtered(FilterProgram)
  }

  package indirect enum Node: Sendable {
    case constant(Bool)
    case all([Node])
    case any([Node])
    case not(Node)
    case test(Test, Stage)
  }

  package enum Test: Sendable {
    case exists(Operand)
    case compare(Operand, BoundFilter.Comparison, Operand)
    /// A value of JSON.
    case decimal(Operand, DecimalTest)
    case isOne(Operand, LiteralSet)
    case isObject(Operand, keySet: Int, isNoneEqual: Bool)
    case text(Operand, BoundFilter.TextTest, Operand, TextPattern?)
  }

  package indirect enum Operand: Sendable {
    case literal(LiteralSlot)
    case field(frame: Int, field: Int)
    /// The value that a property shows in place of the stored one.
    case shown(frame: Int, field: Int, ShownValues)
    case object(frame: Int)
    case json(JSONPlace, JSONPathQuery)
    case jsonCount(JSONPlace, JSONPathQuery)
    case jsonOnly(JSONPlace, JSONPathQuery)
    case listCount(Int)
    case listValue(Int)
    case length(Operand)
    case lowercased(Operand)
    /// 1 if there is a value, else 0.
    case presence(Operand)
  }

  package struct KeySet: Sendable {
    let entity: Int
    let keys: [PrimaryKey]
  }

  let schema: Schema
  let entity: Int
  let frames: [Frame]
  package let lists: [List]
  let keySets: [KeySet]
  let root: Node
  let outputs: [Operand]
  /// The last stage that may decide the root.
  let stage: Stage
  let outputStage: Stage
  /// The work of one object, about.
  let weight: Int

  /// A JSON attribute of a frame.
  package struct JSONPlace: Sendable {
    let frame: Int
    let field: Int
    /// Nil for the stored value.
    let shown: ShownValues?
  }

  convenience init(_ filter: BoundFilter, _ plan: Plan) {
    self.init(filter.condition, filter.entity, plan, sortedBy: [])
  }

  /// - Parameters:
  ///   - terms: Their values are the outputs.
  ///   - isStored: Whether they are as they are stored, and not as properties show them.
  convenience init(
    _ condition: BoundFilter.Condition, _ entity: Int, _ plan: Plan, sortedBy terms: [BoundFilter.Term],
    isStored: Bool = false
  ) {
    self.init(entity, plan) { compiler in
      let root = compiler.node(condition)
      compiler.isStored = isStored
      return (root, terms.map { compiler.operand($0) })
    }
  }

  /// The rest of a path after a list.
  ///
  /// - Parameter isStored: Whether values are as they are stored, and not as properties show them.
  convenience init(
    _ rest: BoundFilter.Path, _ wanted: FilterCompiler.Wanted, _ entity: Int, _ plan: Plan, isStored: Bool
  ) {
    // Where more lists follow, the number tells whether they lead anywhere.
    self.init(entity, plan) { compiler in
      compiler.isStored = isStored
      return (rest.hasList ? .constant(true) : compiler.found(rest), compiler.outputs(rest, wanted))
    }
  }

  private init(
    _ entity: Int, _ plan: Plan, _ compile: (inout FilterCompiler) -> (root: Node, outputs: [Operand])
  ) {
    var compiler = FilterCompiler(plan, entity)
    (root, outputs) = compile(&compiler)
    schema = plan.schema
    self.entity = entity
    frames = compiler.frames
    lists = compiler.lists
    keySets = compiler.keySets
    stage = root.stage
    outputStage = self.outputs.reduce(.row) { max($0, $1.stage) }
    weight = compiler.weight
  }
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
    case .literal: .row
    case .object(let frame), .field(let frame, _), .shown(let frame, _, _): frame == 0 ? .row : .frames
    case .json(let place, _), .jsonCount(let place, _), .jsonOnly(let place, _):
      place.frame == 0 ? .row : .frames
    case .listCount, .listValue: .lists
    case .length(let operand), .lowercased(let operand), .presence(let operand): operand.stage
    }
  }
}

extension BoundFilter.Step {
  package var isToMany: Bool { selectors != nil }
}

extension BoundFilter.Path {
  var hasList: Bool { steps.contains(where: \.isToMany) }

  /// The entity of the object that it leads to; nil if it leads to a value.
  package func object(in schema: Schema, _ entity: Int) -> Int? {
    guard case .object = end else { return nil }
    return steps.reduce(entity) { entity, step in
      schema.entities[entity].target(step.link(of: schema.entities[entity])) ?? entity
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
  package init?(_ value: Value) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .string(let value): self = .string(value)
    default: return nil
    }
  }
}
