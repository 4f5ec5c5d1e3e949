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
