/// Writes one object at a time. Its memory is reused for the next object.
///
/// Each object being written is a frame. Related objects push frames on a stack in the heap, so nesting does not use
/// the call stack.
// @unchecked: one call at a time uses it, with the rows.
struct SerializerRun: @unchecked Sendable {
  let program: OutputProgram
  let options: SerializerOptions
  /// The mapping of root objects.
  var root = 0
  /// The rule of the options, or the default.
  var cycles = SerializerOptions.Cycles.entityAsKey

  /// The object being written.
  var frame = OutputFrame()
  /// The objects around it. The outermost entry is empty.
  var outer: [OutputFrame] = []
  var sources: [SourceState] = []
  var rows: RowCache
  var path: ObjectPath
  /// The objects in the output of the root object, or of the document under `repeatAsKey`.
  var written = WrittenObjects()
  /// The repetitions within this root object.
  var repetitions = Repetitions()
  var room = SizeLimit()
  /// The number of open objects that are assembled at their end, so their text must stay in memory.
  var held = 0
  /// Reads ahead; nil for a store that answers single questions fast.
  var gatherer: PrefetchingReader?

  struct Repetitions {
    /// The objects that were written again below a repeated one.
    var copies = 0
    /// The other objects.
    var originals = 0
    /// The text of objects that were written again without their lists.
    var bytes = 0
  }

  /// An object whose members are written.
  struct SourceState {
    enum Extent {
      case absent
      case keyOnly
      case full
    }
    var id = ObjectID.unset
    var extent = Extent.absent
  }

  init(_ program: OutputProgram, _ options: SerializerOptions, entityCount: Int) {
    self.program = program
    self.options = options
    path = ObjectPath(entityCount: entityCount)
    rows = RowCache(program.plan.schema)
  }

  /// Removes all state of the last call.
  mutating func reset() {
    root = 0
    frame = OutputFrame()
    outer.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    rows.forget()
    path.removeAll()
    written.removeAll()
  }

  /// Starts a new document.
  mutating func forgetWritten() { written.removeAll() }

  /// Whether written objects must be remembered.
  var remembers: Bool { cycles != .ancestorAsKey }

  /// Whether it has grown so much that it should be freed.
  var isLarge: Bool { outer.capacity > 1024 || written.capacity > 100_000 }

  /// Writes a root object.
  ///
  /// - Parameters:
  ///   - pieceSize: The size of text that `sink` receives, with everything in `output`.
  ///   - sink: Called only within an object.
  /// - Returns: False if the object is not stored.
  mutating func write<R: StoreReader>(
    _ id: ObjectID, _ reader: inout R, _ output: inout JSONWriter, pieceSize: Int = .max,
    to sink: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws -> Bool {
    if cycles == .entityAsKey { written.removeAll() }
    (repetitions, held) = (Repetitions(), 0)
    room = SizeLimit(start: output.count, pieceSize: pieceSize, limit: options.maxObjectBytes)
    if let gatherer { try gatherer.readAheadRoots(from: id, in: &self) }
    guard try rows.load(id, program.layouts[root].entity, at: 0, &reader) else { return false }
    var root = root
    if let kinds = program.layouts[root].kinds {
      if let kind = kinds.mapping(of: rows.row(at: 0)) {
        root = kind
      } else if program.layouts[root].key != nil || program.layouts[root].joined != nil {
        try writeKey(of: root, &output)
        return true
      }
    }
    let name = program.layouts[root].name
    if let name { try program.write(nameOf: program.steps[name], rows.row(at: 0), &output) }
    switch try fullShape(of: id, as: root, &reader) {
    case .bare(let step):
      if name == nil, let reason = program.bareFault { throw UnwritableValue(reason: reason) }
      try program.write(program.steps[step], rows.row(at: 0), &output)
    case .members: try push(id, as: root, level: 0, &reader, &output)
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

  /// Begins an object whose row is loaded.
  mutating func push<R: StoreReader>(
    _ id: ObjectID, as mapping: Int, level: Int, isShallow: Bool = false, _ reader: inout R,
    _ output: inout JSONWriter
  ) throws {
    let layout = program.layouts[mapping]
    let first = layout.steps.lowerBound
    let copy =
      isShallow
      ? OutputFrame.Copy.shallow(start: room.handedOut + output.count) : try remember(id, as: mapping)
    var inner = OutputFrame(
      mapping: mapping, base: sources.count, level: level, step: OutputFrame.noStep, copy: copy)
    swap(&frame, &inner)
    outer.append(consume inner)
    sources.append(SourceState(id: id, extent: .full))
    path.push(id, of: layout.entity)
    for source in layout.sources.dropFirst() {
      let state = try state(of: source, &reader)
      sources.append(state)
      if remembers, state.extent == .full { written.insert(state.id, with: program.contents[source.mapping]) }
    }
    if let step = layout.kindStep, try isKindAlone(of: id, layout, &reader) { frame.kindStep = step }
    if !layout.shared.isEmpty { try checkShared(layout.shared, &reader) }
    frame.step = first
    let mark = output.mark
    output.beginObject()
    if layout.isReworked { try beginRework(mark, &reader, &output) }
  }

  /// Records that an object is written in full.
  ///
  /// - Returns: Whether this output already contains it. The object has no key then.
  private mutating func remember(_ id: ObjectID, as mapping: Int) throws -> OutputFrame.Copy {
    // The root object's entity is on every path.
    if !remembers || cycles == .entityAsKey && outer.isEmpty { return .none }
    let content = program.contents[mapping]
    guard written.contains(id, with: content) else {
      written.insert(id, with: content)
      repetitions.originals += 1
      return .none
    }
    guard case .keyless = frame.copy else {
      repetitions.originals += 1
      return .keyless
    }
    repetitions.copies += 1
    let copies = repetitions.copies
    if copies > leastCopies, copies / Self.copiesOfEach > repetitions.originals {
      throw UnwritableValue(
        reason:
          "objects of \(program.plan.mappings[mapping].mapping.entity) without a key occur repeatedly, and were written more than \(copies - 1)"
          + " times; give them a primary key")
    }
    return .keyless
  }

  /// Fewer repetitions are no error.
  var leastCopies = 100_000
  static let copiesOfEach = 16

  mutating func pop(_ output: inout JSONWriter) throws {
    if frame.kindStep != OutputFrame.noStep { writeNull(for: program.steps[frame.kindStep], &output) }
    if let rework = frame.rework { try endRework(rework, &output) } else { output.endObject() }
    if case .shallow(let start) = frame.copy {
      repetitions.bytes += room.handedOut + output.count - start
    }
    path.pop()
    sources.removeLast(sources.count - frame.base)
    if let last = outer.popLast() { frame = last }
  }

  /// The error for a root object whose text is too large.
  private func oversize<R: StoreReader>(_ id: ObjectID, _ reader: inout R) throws -> UnwritableValue {
    var buffer = RowBuffer()
    var name = program.plan.root.entity
    let layout = program.layouts[0]
    let step = layout.key ?? (layout.isBareKey ? layout.bare.lowerBound : nil)
    if let field = layout.joined?.field ?? step.map({ program.steps[$0].field }),
      try reader.read(id, of: layout.entity, into: &buffer)
    {
      try buffer.checkWhole()
      try buffer.row.check(fields: program.plan.schema.entities[layout.entity].fields.count)
      if let value = buffer.row[field].key { name += " \(value)" }
    }
    let limit = options.maxObjectBytes
    return UnwritableValue(
      reason: "the text of \(name) has more than \(limit) bytes, the limit of one object")
  }

  /// Adds the path to an error. The path is computed only now.
  func located(_ error: any Error) -> any Error {
    guard let fault = error as? UnwritableValue else { return error }
    return MappingError(path: place, location: nil, reason: .refused(fault.reason))
  }

  /// The path of the value that is being written, in the root object.
  private var place: JSONPath {
    var path = JSONPath()
    for frame in outer + [frame] where frame.step != OutputFrame.noStep {
      path.steps += program.places[frame.step]
      if let position = frame.position { path.steps.append(.index(position)) }
    }
    return path
  }
}
