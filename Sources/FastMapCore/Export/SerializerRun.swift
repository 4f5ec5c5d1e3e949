/// Writes one object at a time, with what it needs for that at hand: used again for the next.
///
/// An object being written is a frame; related objects push frames on a stack in the heap, so that depth
/// costs no other.
// @unchecked: one call at a time has it, with the rows.
struct SerializerRun: @unchecked Sendable {
  let program: OutputProgram
  let options: SerializerOptions
  /// As the options say, or by default.
  var cycles = SerializerOptions.Cycles.entityAsKey

  /// The object being written.
  var frame = OutputFrame()
  /// Those around it; the outermost is none.
  var outer: [OutputFrame] = []
  /// The sources of all frames.
  var sources: [SourceState] = []
  var rows = RowCache()
  var path: ObjectPath
  /// What this output has: that of the root object, or of the document under `repeatAsKey`.
  var written = WrittenObjects()
  /// How many objects were written again below one that was, and how many others, in this root object.
  private var copies = 0
  private var originals = 0
  var room = OutputRoom()
  /// How many of the objects being written are put together at their end, so that their text must stay.
  var held = 0

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
    written.removeAll()
  }

  /// Takes what follows for a document of its own.
  mutating func forgetWritten() { written.removeAll() }

  /// Whether objects have to be known again.
  private var remembers: Bool { cycles != .ancestorAsKey }

  /// Whether it grew so much that it is better not kept.
  var isLarge: Bool { outer.capacity > 1024 || written.capacity > 100_000 }

  /// Writes a root object.
  ///
  /// - Parameters:
  ///   - pieceSize: How much text may gather before `sink` gets it, all that is in `output`.
  ///   - sink: Called inside of an object only.
  /// - Returns: False where it is not stored.
  mutating func write<R: StoreReader>(
    _ id: ObjectID, _ reader: inout R, _ output: inout JSONWriter, pieceSize: Int = .max,
    to sink: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws -> Bool {
    if cycles == .entityAsKey { written.removeAll() }
    (copies, originals, held) = (0, 0, 0)
    room = OutputRoom(start: output.count, pieceSize: pieceSize, limit: options.maxObjectBytes)
    guard try rows.load(id, program.layouts[0].entity, at: 0, &reader) else { return false }
    switch try fullShape(of: id, as: 0, &reader) {
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
      if room.isUsed(by: output.count) {
        if room.isExceeded(by: output.count) { throw try oversize(id, &reader) }
        if held == 0 { try room.clear(&output, to: sink) }
      }
    }
    if room.isExceeded(by: output.count) { throw try oversize(id, &reader) }
    return true
  }

  /// Begins an object, whose row is loaded.
  mutating func push<R: StoreReader>(
    _ id: ObjectID, as mapping: Int, level: Int, _ reader: inout R, _ output: inout JSONWriter
  ) throws {
    let layout = program.layouts[mapping]
    let first = layout.steps.lowerBound
    let isCopy = try remember(id, as: mapping)
    var inner = OutputFrame(
      mapping: mapping, base: sources.count, level: level, step: OutputFrame.noStep, isCopy: isCopy)
    swap(&frame, &inner)
    outer.append(consume inner)
    sources.append(SourceState(id: id, extent: .full))
    path.push(id, of: layout.entity)
    for source in layout.sources.dropFirst() {
      let state = try state(of: source, &reader)
      sources.append(state)
      if remembers, state.extent == .full { written.insert(state.id, with: program.contents[source.mapping]) }
    }
    frame.step = first
    let mark = output.mark
    output.beginObject()
    if layout.isReworked { try beginRework(mark, &reader, &output) }
  }

  /// Notes that an object is written in full.
  ///
  /// - Returns: Whether this output has it already; it has no key then.
  private mutating func remember(_ id: ObjectID, as mapping: Int) throws -> Bool {
    // The root object's entity is on every path.
    if !remembers || cycles == .entityAsKey && outer.isEmpty { return false }
    let content = program.contents[mapping]
    guard written.contains(id, with: content) else {
      written.insert(id, with: content)
      originals += 1
      return false
    }
    if !frame.isCopy {
      originals += 1
      return true
    }
    copies += 1
    if copies > Self.leastCopies, copies / Self.copiesOfEach > originals {
      throw UnwritableValue(
        reason:
          "objects of \(program.plan.mappings[mapping].mapping.entity) without a key are met again and again, and were written more than \(copies - 1)"
          + " times; a primary key would end that")
    }
    return true
  }

  static let leastCopies = 100_000
  static let copiesOfEach = 16

  mutating func pop(_ output: inout JSONWriter) throws {
    if let rework = frame.rework { try endRework(rework, &output) } else { output.endObject() }
    path.pop()
    sources.removeLast(sources.count - frame.base)
    if let last = outer.popLast() { frame = last }
  }

  /// The error for a root object whose text is too large.
  private func oversize<R: StoreReader>(_ id: ObjectID, _ reader: inout R) throws -> UnwritableValue {
    var buffer = RowBuffer()
    var name = program.plan.root.entity
    let layout = program.layouts[0]
    let key = layout.key ?? (layout.isBareKey ? layout.bare.lowerBound : nil)
    if let key, try reader.read(id, of: layout.entity, into: &buffer),
      let value = PrimaryKey(slot: buffer.row.slots[program.steps[key].field])
    {
      name += " \(value)"
    }
    let limit = options.maxObjectBytes
    return UnwritableValue(
      reason: "the text of \(name) has more than \(limit) bytes, the limit of one object")
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
      path.steps += program.places[frame.step]
      if let position = frame.position { path.steps.append(.index(position)) }
    }
    return path
  }
}
