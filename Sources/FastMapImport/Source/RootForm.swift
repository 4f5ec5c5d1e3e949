internal import CFastMap

/// The place and the form of the root objects, by the plan and the options.
struct RootForm {
  /// The root path; empty for the whole payload, or a whole line.
  let steps: [JSONKeyPath.Step]
  /// The steps up to the first `[]`.
  let rootSteps: [JSONPath.Step]
  /// Whether the root path has `[]`, and so leads to several arrays or objects.
  let fansOut: Bool
  /// Whether an object is an array.
  let readsRows: Bool
  /// Whether an array is the only object.
  let readsOneRow: Bool
  /// Whether the root objects are the members of an object.
  let readsMembers: Bool
  let isTree: Bool
  /// The members of a root object that mappings read; nil for all.
  let readShape: UnsafePointer<fastmap_shape>?
  /// The members of a root object that are built; nil for all. A delegate is shown whole representations, and where an unread
  /// member is a fault, it has a place.
  let shape: UnsafePointer<fastmap_shape>?
  /// Whether an unread member is a fault.
  let refusesUnread: Bool
  /// The members that the first root objects should have; nil if any are meant.
  let expected: ExpectedMembers?
  let rootName: String
  /// Whether a line that is not JSON is left out, with an error of its own.
  let skipsLines: Bool
  let onPlaceSearch: (@Sendable (Int) -> Void)?

  /// - Parameter isOne: Whether more than one root object is an error.
  /// - Throws: ``MappingDefinitionError`` for a path that is invalid in a mapping too.
  init(_ plan: Plan, _ options: ImportOptions, isTree: Bool, isOne: Bool) throws(MappingDefinitionError) {
    let isLine = options.format == .ndjson && !isTree
    if let path = options.rootPath, let reason = path.faultAsRoot {
      throw Self.error(reason)
    }
    // A line is one object, as an export writes it.
    let path = options.rootPath ?? (isLine ? nil : plan.root.rootPath)
    fansOut = path?.isEach ?? false
    if let path, fansOut, !isLine, plan.keyedRoot != nil {
      throw Self.error(
        "expected a path to one object, as its members are the root objects, found \(quoted(path.description))"
      )
    }
    steps = path?.steps ?? []
    rootSteps = steps.prefix { $0 != .each }.compactMap(\.inPath)
    readsRows = plan.root.isRow
    readsOneRow = readsRows && isOne && !fansOut
    readsMembers = plan.keyedRoot != nil && !isLine
    self.isTree = isTree
    readShape = plan.compiled.shape
    shape = options.delegate == nil && !options.refusesUnread ? readShape : nil
    refusesUnread = options.refusesUnread
    expected = options.refusesOthers ? ExpectedMembers(plan) : nil
    rootName = plan.root.name
    skipsLines = options.faults == .skip
    onPlaceSearch = options.onPlaceSearch
  }

  private static func error(_ reason: String) -> MappingDefinitionError {
    MappingDefinitionError([.init(place: JSONPath([.member("rootPath")]), reason: reason)])
  }
}

extension JSONKeyPath.Step {
  var isIntoArray: Bool { if case .member = self { false } else { true } }

  /// The step to one value; nil for `[]`.
  var inPath: JSONPath.Step? {
    switch self {
    case .member(let name): .member(name)
    case .index(let index): .index(index)
    case .each: nil
    }
  }
}

extension MappingError {
  /// The error of a value on the way to the root objects that has no next step.
  static func unexpected(
    at path: [JSONPath.Step], before step: JSONKeyPath.Step, _ location: TextLocation?, _ found: String
  ) -> MappingError {
    MappingError(
      path: JSONPath(path), location: location,
      reason: .unexpected(expected: step.isIntoArray ? "an array" : "an object", found: found))
  }

  /// The error of a root path that does not exist.
  ///
  /// - Parameter location: The place of the value that lacks the next step.
  static func missing(_ path: [JSONPath.Step], _ location: TextLocation?) -> MappingError {
    MappingError(path: JSONPath(path), location: location, reason: .missingRoot(JSONPath(path)))
  }
}
