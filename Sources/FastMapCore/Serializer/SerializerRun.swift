/// Writes one object at a time, with what it needs for that at hand: used again for the next.
///
/// An object being written is a frame; related objects push frames on a stack in the heap, so that depth
/// costs no other.
// @unchecked: one call at a time has it, with the rows.
struct SerializerRun: @unchecked Sendable {
  let program: OutputProgram
  let options: SerializerOptions

  /// The object being written.
  var frame = OutputFrame()
  /// Those around it; the outermost is none.
  var outer: [OutputFrame] = []
  /// The sources of all frames.
  var sources: [SourceState] = []
  var rows = RowCache()
  var path: ObjectPath
  /// For `repeatAsKey`.
  var written: Set<ObjectIdentity> = []

  /// One object whose members are written.
  struct SourceState {
    enum Extent {
      case absent
      case keyOnly
      case full
    }
    var id: ObjectID = 0
    var extent = Extent.absent
  }

  init(_ program: OutputProgram, _ options: SerializerOptions, entityCount: Int) {
    self.program = program
    self.options = options
    path = ObjectPath(entityCount: entityCount)
  }

  /// Forgets all that the last call left behind.
  mutating func reset() {
    frame = OutputFrame()
    outer.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    rows.forget()
    path.removeAll()
    written.removeAll(keepingCapacity: true)
  }

  /// Takes what follows for a document of its own.
  mutating func forgetWritten() { written.removeAll(keepingCapacity: true) }

  /// Whether it grew so much that it is better not kept.
  var isLarge: Bool { outer.capacity > 1024 || written.capacity > 100_000 }

  /// Writes a root object.
  ///
  /// - Returns: False where it is not stored.
  mutating func write<R: StoreReader>(
    _ id: ObjectID, _ reader: inout R, _ output: inout JSONWriter
  ) throws -> Bool {
    guard try rows.load(id, program.layouts[0].entity, at: 0, &reader) else { return false }
    switch fullShape(of: 0) {
    case .bare(let step): try program.write(program.steps[step], rows.row(at: 0), &output)
    case .members: try push(id, as: 0, level: 0, &reader, &output)
    case .none, .key: output.null()
    }
    while !outer.isEmpty {
      if frame.isInRelationship {
        try writeTargets(&reader, &output)
      } else {
        try writeSteps(&reader, &output)
      }
    }
    return true
  }

  /// Begins an object, whose row is loaded.
  mutating func push<R: StoreReader>(
    _ id: ObjectID, as mapping: Int, level: Int, _ reader: inout R, _ output: inout JSONWriter
  ) throws {
    let layout = program.layouts[mapping]
    let first = layout.steps.lowerBound
    outer.append(frame)
    frame = OutputFrame(
      mapping: mapping, base: sources.count, level: level, step: OutputFrame.noStep)
    sources.append(SourceState(id: id, extent: .full))
    path.push(id, of: layout.entity)
    if options.cycles == .repeatAsKey { written.insert(ObjectIdentity(entity: layout.entity, id: id)) }
    for source in layout.sources.dropFirst() {
      let state = try state(of: source, &reader)
      sources.append(state)
      if options.cycles == .repeatAsKey, state.extent == .full {
        written.insert(ObjectIdentity(entity: source.entity, id: state.id))
      }
    }
    frame.step = first
    output.beginObject()
  }

  mutating func pop(_ output: inout JSONWriter) {
    output.endObject()
    path.pop()
    sources.removeLast(sources.count - frame.base)
    if let last = outer.popLast() { frame = last }
  }

  /// An error with the place where it happened, which is worked out only now.
  func located(_ error: any Error) -> any Error {
    guard let fault = error as? UnwritableValue else { return error }
    return MappingError(path: place, location: nil, reason: .refused(fault.reason))
  }

  /// Where the value stands that is being written, in the root object.
  private var place: JSONPath {
    var path = JSONPath()
    for frame in outer + [frame] where frame.step != OutputFrame.noStep {
      for name in program.places[frame.step] { path.steps.append(.member(name)) }
      if let position = frame.position { path.steps.append(.index(position)) }
    }
    return path
  }
}
