extension SerializerRun {
  /// How an object is written.
  enum Shape {
    /// Not at all: it is not stored any more, or inside of itself and without a key.
    case none
    /// As an object that has nothing but the key.
    case key
    /// As the value that the step writes.
    case bare(step: Int)
    case members
  }

  /// Decides how an object is written, whose row is loaded behind the sources then.
  mutating func shape<R: StoreReader>(
    of id: ObjectID, as mapping: Int, level: Int, _ reader: inout R
  ) throws -> Shape {
    let layout = program.layouts[mapping]
    guard try rows.load(id, layout.entity, at: sources.count, &reader) else { return .none }
    if layout.isBareKey, case .bare(let key) = try fullShape(of: id, as: mapping, &reader) {
      return .bare(step: key)
    }
    if layout.keyReadsObjects, isAbbreviated(id, as: mapping, level: level),
      rows.row(at: sources.count).hasValue(for: program.steps[layout.bare.lowerBound]),
      readsItself(key: layout.bare.lowerBound)
    {
      return .bare(step: layout.bare.lowerBound)
    }
    if let key = layout.key, isAbbreviated(id, as: mapping, level: level),
      rows.row(at: sources.count).hasValue(for: program.steps[key])
    {
      return .key
    }
    guard path.contains(id, of: layout.entity) else { return try fullShape(of: id, as: mapping, &reader) }
    if layout.keyReadsObjects {
      throw UnwritableValue(
        reason:
          "an object of \(program.plan.mappings[mapping].mapping.entity) stands inside of itself, and nothing can stand for it: its key is made of the whole object, by a transform that does not read the key itself"
      )
    }
    return .none
  }

  /// Whether an object is written as its key, if it has one.
  // Mutating, or the run would be copied for each call.
  mutating func isAbbreviated(_ id: ObjectID, as mapping: Int, level: Int) -> Bool {
    let entity = program.layouts[mapping].entity
    if let depth = options.depth, level > depth { return true }
    return switch cycles {
    case .ancestorAsKey: path.contains(id, of: entity)
    case .entityAsKey: path.contains(entity: entity) || written.contains(id, with: program.contents[mapping])
    case .repeatAsKey: path.contains(id, of: entity) || written.contains(id, with: program.contents[mapping])
    }
  }

  /// How an object is written that is not abbreviated.
  mutating func fullShape<R: StoreReader>(
    of id: ObjectID, as mapping: Int, _ reader: inout R
  ) throws -> Shape {
    let layout = program.layouts[mapping]
    if !layout.bare.isEmpty {
      if layout.isReworked, !layout.isBareKey || layout.keyReadsObjects {
        return try reworkShape(of: id, as: mapping, &reader)
      }
      let row = rows.row(at: sources.count)
      for step in layout.bare where row.hasValue(for: program.steps[step]) { return .bare(step: step) }
      if layout.steps.isEmpty { return .none }
    }
    return .members
  }

  // MARK: Objects that are written into another one

  /// Finds the object that a source of the current frame is, and loads its row.
  mutating func state<R: StoreReader>(of source: OutputSource, _ reader: inout R) throws -> SourceState {
    let parent = sources[frame.base + source.parent]
    guard parent.extent == .full else { return SourceState() }
    var target: ObjectID?
    if source.isToMany {
      let entity = program.layouts[frame.mapping].sources[source.parent].entity
      target = try reader.targets(of: [parent.id], entity: entity, field: source.field).first?.first
    } else {
      target = try row(of: source.parent, &reader).target(at: source.field)
    }
    guard let id = target else { return SourceState() }
    let others = zip(program.layouts[frame.mapping].sources, sources[frame.base...])
    if others.contains(where: { $0.entity == source.entity && $1.id == id && $1.extent == .full }) {
      // The same object through another mapping: there is nothing to abbreviate.
      let isStored = try rows.load(id, source.entity, at: sources.count, &reader)
      return isStored ? SourceState(id: id, extent: .full) : SourceState()
    }
    let way = source.chain.dropLast()
    enter(way)
    defer { leave(way) }
    return switch try shape(of: id, as: source.mapping, level: frame.level, &reader) {
    case .none: SourceState()
    case .key: SourceState(id: id, extent: .keyOnly)
    case .bare, .members: SourceState(id: id, extent: .full)
    }
  }

  /// Puts sources of the current frame on the path, for what is related to the last of them.
  mutating func enter(_ way: some Sequence<Int>) {
    let layout = program.layouts[frame.mapping]
    for source in way { path.push(sources[frame.base + source].id, of: layout.sources[source].entity) }
  }

  mutating func leave(_ way: some Sequence<Int>) {
    for _ in way { path.pop() }
  }

  /// The row of a source of the current frame, read again where a deeper object has taken its place.
  mutating func row<R: StoreReader>(of source: Int, _ reader: inout R) throws -> Row {
    let place = frame.base + source
    let entity = program.layouts[frame.mapping].sources[source].entity
    _ = try rows.load(sources[place].id, entity, at: place, &reader)
    return rows.row(at: place)
  }
}
