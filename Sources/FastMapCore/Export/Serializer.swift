internal import Synchronization

/// Writes stored objects as JSON, through their mapping: what an import reads.
///
///     let plan = try Plan(person)
///     let serializer = Serializer(plan)
///     var writer = JSONWriter()
///     try store.read(plan.schema) { reader in
///       guard let id = try reader.find(314, of: 0) else { return }
///       try serializer.write(id, from: &reader, to: &writer)
///     }
///     // {"id":314,"name":"Ada","address":{"city":"London"},"car":{"id":7,"model":"i3"}}
///
/// Instances of the caller's own classes need no store: ``json(of:isPretty:)-(Object,_)``. Many objects as one text, or in a
/// file, need little memory: `exportFile(_:from:keys:limit:options:)`.
///
/// Attributes stand at their key paths, in the order they were declared, and relationships after them. A
/// value that is missing or null is left out. A related object is written through its own mapping, as its
/// bare key where the mapping reads that, into its owner where the relationship has no key path, and as
/// `{"id":7}` where ``SerializerOptions/cycles`` or ``SerializerOptions/depth`` say so. Of two fields at one
/// key path the first that has a value is written. What an attribute has kept of the whole object is written with the others
/// laid into it, and a key path with `[2]` or `[]` as an array.
///
/// - Note: Immutable: one serializer serves any number of calls on any thread.
public struct Serializer: Sendable {
  /// The mapping that it writes, with all it refers to.
  public let plan: Plan
  /// How it writes them.
  public let options: SerializerOptions

  private let program: OutputProgram
  private let idle = IdleRuns()

  /// Compiles the mappings of a plan for writing.
  ///
  /// - Complexity: O(*m*) in the fields of its mappings.
  public init(_ plan: Plan, options: SerializerOptions = SerializerOptions()) {
    self.plan = plan
    self.options = options
    program = OutputCompiler.compile(plan, options)
  }

  /// Writes one object of the plan's first mapping as the next value.
  ///
  /// The mapping's root path plays no part: ``writeDocument(_:from:to:)-(ObjectID,_,_)`` writes it.
  ///
  /// - Parameters:
  ///   - id: The object.
  ///   - reader: Of the plan's schema, borrowed for the call.
  ///   - output: The object is added to it: at the outermost level, after a name or as an element.
  /// - Returns: False where no such object is stored; nothing is written then.
  /// - Throws: The reader's error, or ``MappingError`` for a value that has no form in JSON, such as a year 10000 in ISO
  ///   8601, and for more text than ``SerializerOptions/maxObjectBytes``. `output` is as it was then.
  /// - Complexity: O(*n*) in the objects reached and the relationships between them, unless ``SerializerOptions/cycles`` asks for
  ///   more. Depth costs heap and not stack.
  @discardableResult
  public func write<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try withRun(&output) { run, output in try run.write(id, &reader, &output) }
  }

  /// Writes one object as a document of its own: at the mapping's root path, where it has one.
  ///
  ///     // rootPath "result.person":   {"result":{"person":{"id":314}}}
  ///
  /// - Returns: False where no such object is stored; nothing is written then.
  /// - Throws: As ``write(_:from:to:)``.
  @discardableResult
  public func writeDocument<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try withRun(&output) { run, output in
      let start = output.mark
      let isFound = try writeUnderRoot(&output) { try run.write(id, &reader, &$0) }
      if !isFound { output.rewind(to: start) }
      return isFound
    }
  }

  /// Writes objects as an array and a document of its own: at the mapping's root path, where it has one.
  ///
  ///     // rootPath "result.people":   {"result":{"people":[{"id":7},{"id":314}]}}
  ///
  /// - Parameters:
  ///   - ids: The objects in their order; those that are not stored are left out.
  ///   - reader: Of the plan's schema, borrowed for the call.
  ///   - output: The array is added to it: at the outermost level, after a name or as an element.
  /// - Throws: As ``write(_:from:to:)``.
  public func writeDocument<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, to output: inout JSONWriter
  ) throws {
    try withRun(&output) { run, output in
      try writeUnderRoot(&output) { output in
        output.beginArray()
        for id in ids { _ = try run.write(id, &reader, &output) }
        output.endArray()
      }
    }
  }

  func writeUnderRoot<T>(
    _ output: inout JSONWriter, _ body: (inout JSONWriter) throws -> T
  ) rethrows -> T {
    beginRoot(&output)
    let result = try body(&output)
    endRoot(&output)
    return result
  }

  func beginRoot(_ output: inout JSONWriter) {
    for step in plan.root.rootPath.steps {
      switch step {
      case .member(let name):
        output.beginObject()
        output.name(name)
      case .index(let index):
        output.beginArray()
        for _ in 0..<min(index, MappingValidator.greatestIndex) { output.null() }
      case .each: break  // refused
      }
    }
  }

  func endRoot(_ output: inout JSONWriter) {
    for step in plan.root.rootPath.steps.reversed() {
      switch step {
      case .member: output.endObject()
      case .index: output.endArray()
      case .each: break
      }
    }
  }

  /// Lends an idle run, or a new one. When it fails, what was written is taken back.
  func withRun<T>(
    _ output: inout JSONWriter, cycles: SerializerOptions.Cycles = .entityAsKey,
    _ body: (inout SerializerRun, inout JSONWriter) throws -> T
  ) throws -> T {
    var run = takeRun(cycles)
    defer { giveBack(run) }
    let start = output.mark
    do {
      return try body(&run, &output)
    } catch {
      output.rewind(to: start)
      throw run.located(error)
    }
  }

  /// An idle run, or a new one, that knows nothing yet.
  func takeRun(_ cycles: SerializerOptions.Cycles = .entityAsKey) -> SerializerRun {
    var run = idle.take() ?? SerializerRun(program, options, entityCount: plan.schema.entities.count)
    run.reset()
    run.cycles = options.cycles ?? cycles
    return run
  }

  func giveBack(_ run: SerializerRun) { idle.give(run) }
}

/// Runs that wait for the next call, so that a call makes none.
private final class IdleRuns: Sendable {
  private let runs = Mutex<[SerializerRun]>([])

  func take() -> SerializerRun? { runs.withLock { $0.popLast() } }

  func give(_ run: consuming SerializerRun) {
    if run.isLarge { return }
    runs.withLock { [run] in $0.append(run) }
  }
}
