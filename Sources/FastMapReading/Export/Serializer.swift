internal import Synchronization

/// Writes stored objects as JSON through their mapping, in the form that an import reads.
///
///     let serializer = try Serializer(Person.mapping)
///     try serializer.exportFile("people.ndjson", from: store)
///     let text = try serializer.json(of: ada)
///     // {"id":314,"name":"Ada","address":{"city":"London"},"car":{"id":7,"model":"i3"}}
///
/// Stored objects are written in little memory, however many there are. Instances of your own classes need no store.
///
/// Attributes are written at their key paths in the order of declaration, followed by relationships. Missing and null
/// values are left out. A related object is written in one of these forms:
///
/// - through its own mapping;
/// - as a bare key, if its mapping reads one;
/// - into its owner, if the relationship's key path is the owner's representation;
/// - as `{"id":7}`, if ``SerializerOptions/cycles`` or ``SerializerOptions/depth`` require it.
///
/// If two fields share a key path, the first one with a value is written. If an attribute keeps the whole object, the
/// other fields are added to that JSON. A key path with `[2]` or `[]` is written as an array. So is an object whose key
/// paths begin with an index, and it ends with its last value.
///
/// - Note: Immutable. You can use one serializer for any number of calls on any thread.
public struct Serializer: Sendable {
  /// The mapping that it writes, with all mappings that it refers to.
  public let plan: Plan
  /// How it writes them.
  package let options: SerializerOptions

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
  /// The mapping's root path is ignored. To write it, use ``writeDocument(_:from:to:)-(ObjectID,_,_)``.
  ///
  /// - Parameters:
  ///   - id: The object.
  ///   - reader: Borrowed for the call. The reader has the numbers of the plan's schema afterwards.
  ///   - output: Receives the object: at the outermost level, after a name or as an element.
  /// - Returns: False if the object is not stored. Nothing is written then.
  /// - Throws: Errors of the reader. ``MappingError`` for a value that cannot be written as JSON, such as the year
  ///   10000 in ISO 8601, and for more text than ``SerializerOptions/maxObjectBytes``. `output` is unchanged then.
  /// - Complexity: O(*n*) in the reached objects and their relationships, unless ``SerializerOptions/cycles``
  ///   requires more. Nesting uses the heap, not the stack.
  @discardableResult
  package func write<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try reader.use(plan.schema)
    return try withRun(&output) { run, output in try run.write(id, asking: &reader, &output) }
  }

  /// Writes one object as a complete document, at the mapping's root path if it has one.
  ///
  ///     // rootPath "result.person":   {"result":{"person":{"id":314}}}
  ///
  /// - Returns: False if the object is not stored. Nothing is written then.
  /// - Throws: As ``write(_:from:to:)``.
  @discardableResult
  package func writeDocument<R: StoreReader>(
    _ id: ObjectID, from reader: inout R, to output: inout JSONWriter
  ) throws -> Bool {
    try reader.use(plan.schema)
    return try withRun(&output) { run, output in
      let start = output.mark
      let isFound = try writeUnderRoot(&output) { try run.write(id, asking: &reader, &$0) }
      if !isFound { output.rewind(to: start) }
      return isFound
    }
  }

  /// Writes an array of objects as a complete document, at the mapping's root path if it has one.
  ///
  ///     // rootPath "result.people":   {"result":{"people":[{"id":7},{"id":314}]}}
  ///     // rootPath "pages[].items":   {"pages":[{"items":[{"id":7},{"id":314}]}]}
  ///
  /// - Parameters:
  ///   - ids: The objects, in order. Objects that are not stored are left out.
  ///   - reader: Borrowed for the call. The reader has the numbers of the plan's schema afterwards.
  ///   - output: Receives the array: at the outermost level, after a name or as an element.
  /// - Throws: As ``write(_:from:to:)``.
  package func writeDocument<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, to output: inout JSONWriter
  ) throws {
    try reader.use(plan.schema)
    try withRun(&output) { run, output in
      try writeUnderRoot(&output) { output in
        beginCollection(of: &run, &output)
        if !reader.prefersSets {
          for id in ids { _ = try run.write(id, &reader, &output) }
          return endCollection(&output)
        }
        let gatherer = PrefetchingReader(reader, for: run)
        try reader.reading(ahead: &run, with: gatherer) { reader, run in
          try gatherer.forEach(of: ids) { id in
            _ = try run.write(id, &reader, &output)
            return true
          }
        }
        endCollection(&output)
      }
    }
  }

  /// Begins the array of the root objects, or the object whose members they are.
  func beginCollection(of run: inout SerializerRun, _ output: inout JSONWriter) {
    guard let keyed = plan.keyedRoot else { return output.beginArray() }
    run.root = keyed
    output.beginObject()
  }

  func endCollection(_ output: inout JSONWriter) {
    if plan.keyedRoot == nil { output.endArray() } else { output.endObject() }
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
      case .each: output.beginArray()
      }
    }
  }

  func endRoot(_ output: inout JSONWriter) {
    for step in plan.root.rootPath.steps.reversed() {
      switch step {
      case .member: output.endObject()
      case .index, .each: output.endArray()
      }
    }
  }

  /// Lends an idle run, or a new one. If it fails, its output is discarded.
  func withRun<T>(
    _ output: inout JSONWriter, cycles: SerializerOptions.Cycles = .entityAsKey,
    _ body: (inout SerializerRun, inout JSONWriter) throws -> T
  ) throws -> T {
    var run = try borrowRun(cycles)
    defer { giveBack(run) }
    let start = output.mark
    do {
      return try body(&run, &output)
    } catch {
      output.rewind(to: start)
      throw run.located(error)
    }
  }

  /// An idle run, or a new one, without any state.
  ///
  /// - Throws: ``OptionError``.
  func borrowRun(_ cycles: SerializerOptions.Cycles = .entityAsKey) throws -> SerializerRun {
    try options.check()
    var run = idle.pop() ?? SerializerRun(program, options, entityCount: plan.schema.entities.count)
    run.reset()
    run.cycles = options.cycles ?? cycles
    return run
  }

  func giveBack(_ run: SerializerRun) {
    if run.gatherer == nil { return idle.give(run) }
    var run = run
    run.gatherer = nil
    idle.give(run)
  }
}

/// Runs that wait for the next call, so that calls need not create one.
private final class IdleRuns: Sendable {
  private let runs = Mutex<[SerializerRun]>([])

  func pop() -> SerializerRun? { runs.withLock { $0.popLast() } }

  func give(_ run: consuming SerializerRun) {
    if run.isLarge { return }
    runs.withLock { [run] in $0.append(run) }
  }
}
