extension SerializerRun {
  /// The form in which an object is written.
  enum Shape {
    /// Left out: it is no longer stored, or has no key and is within itself.
    case none
    /// An object with only its key.
    case key
    case bare(step: Int)
    case members
  }

  /// Decides how to write an object. Loads its row after the sources if needed.
  ///
  /// - Parameter mapping: The mapping of a relationship, which gives way to the mapping of the object's kind.
  package mutating func shape<R: StoreReader>(
    of id: ObjectID, as mapping: inout Int, level: Int, _ reader: inout R
  ) throws -> Shape {
    var layout = program.layouts[mapping]
    guard try rows.load(id, layout.entity, at: sources.count, &reader) else { return .none }
    if let kinds = layout.kinds {
      if let kind = kinds.mapping(of: rows.row(at: sources.count)) {
        mapping = kind
        layout = program.layouts[kind]
      } else if layout.key != nil || layout.joined != nil {
        return .key
      }
    }
    if layout.isBareKey, case .bare(let key) = try fullShape(of: id, as: mapping, &reader) {
      return .bare(step: key)
    }
    if layout.keyReadsObjects, isAbbreviated(id, as: mapping, level: level),
      rows.row(at: sources.count).hasValue(for: program.steps[layout.bare.lowerBound]),
      readsItself(key: layout.bare.lowerBound)
    {
      return .bare(step: layout.bare.lowerBound)
    }
    if layout.name != nil, layout.joined == nil, !layout.isScoped,
      isAbbreviated(id, as: mapping, level: level)
    {
      return .key
    }
    if let key = layout.key, isAbbreviated(id, as: mapping, level: level),
      rows.row(at: sources.count).hasValue(for: program.steps[key])
    {
      return .key
    }
    if let joined = layout.joined, isAbbreviated(id, as: mapping, level: level),
      !rows.row(at: sources.count)[joined.field].isMissing
    {
      return .key
    }
    guard path.contains(id, of: layout.entity) else { return try fullShape(of: id, as: mapping, &reader) }
    if layout.keyReadsObjects {
      throw UnwritableValue(
        reason:
          "an object of \(program.plan.mappings[mapping].mapping.entity) contains itself and cannot be written as its key: a transform computes that key from the whole object and does not read the key alone"
      )
    }
    return .none
  }

  /// Whether an object is abbreviated to its key, if it has one.
  // Mutating, because otherwise the run would be copied for each call.
  mutating func isAbbreviated(_ id: ObjectID, as mapping: Int, level: Int) -> Bool {
    let entity = program.layouts[mapping].entity
    if frame.isShallow { return true }
    if let depth = options.depth, level > depth { return true }
    return switch cycles {
    case .ancestorAsKey: path.contains(id, of: entity)
    case .entityAsKey: path.contains(entity: entity) || written.contains(id, with: program.contents[mapping])
    case .repeatAsKey: path.contains(id, of: entity) || written.contains(id, with: program.contents[mapping])
    }
  }

  /// Whether an object that is abbreviated is written again, without its lists.
  mutating func mayRepeat(_ mapping: Int, level: Int) -> Bool {
    guard let repeats = options.repeats, cycles == .entityAsKey, !frame.isShallow else { return false }
    let layout = program.layouts[mapping]
    if layout.kinds != nil || path.contains(entity: layout.entity) { return false }
    if let depth = options.depth, level > depth { return false }
    if repetitions.bytes < repeats.mostBytes { return true }
    repeats.onLimit()
    return false
  }

  /// Decides how to write an object that is not abbreviated.
  mutating func fullShape<R: StoreReader>(
    of id: ObjectID, as mapping: Int, _ reader: inout R
  ) throws -> Shape {
    let layout = program.layouts[mapping]
    if !layout.bare.isEmpty {
      if layout.isReworked, !layout.isBareKey || layout.keyReadsObjects {
        return try reworkShape(of: id, as: mapping, &reader)
      }
      let row = rows.row(at: sources.count)
      for step in layout.bare where row.hasValue(for: program.steps[step]) {
        if layout.takesTurns { try checkAlone(step, id, as: mapping, &reader) }
        if layout.name == nil { try refuseWithoutKey(step, mapping) }
        return .bare(step: step)
      }
      if layout.steps.isEmpty, layout.name == nil { return .none }
    }
    return .members
  }

  /// Refuses a value in place of an object with a key. Only a member's name can carry the key beside such a value.
  private func refuseWithoutKey(_ whole: Int, _ mapping: Int) throws(UnwritableValue) {
    let layout = program.layouts[mapping]
    let row = rows.row(at: sources.count)
    let hasKey =
      layout.key.map { row.hasValue(for: program.steps[$0]) }
      ?? layout.joined.map { !row[$0.field].isMissing }
    guard hasKey == true, !outer.isEmpty || program.bareFault == nil else { return }
    let planned = program.plan.mappings[mapping]
    let name = program.plan.schema.entities[planned.entity].fields[program.steps[whole].field].name
    throw UnwritableValue(
      reason:
        "\(quoted(name)) of \(escaped(planned.mapping.entity)) is written in place of the object, which leaves no place for "
        + "its primary key; only a collection that is keyed by it can have such objects")
  }

  // MARK: Objects that are written into another one

  /// Finds the object of a source in the current frame and loads its row.
  mutating func state<R: StoreReader>(of source: OutputSource, _ reader: inout R) throws -> SourceState {
    let parent = sources[frame.base + source.parent]
    guard parent.extent == .full else { return SourceState() }
    var target: ObjectID?
    if source.isToMany {
      let entity = program.layouts[frame.mapping].sources[source.parent].entity
      target = try reader.targets(of: parent.id, entity: entity, field: source.field).first
    } else {
      target = try row(of: source.parent, &reader)[source.field].target
    }
    guard let id = target else { return SourceState() }
    let others = zip(program.layouts[frame.mapping].sources, sources[frame.base...])
    if others.contains(where: { $0.entity == source.entity && $1.id == id && $1.extent == .full }) {
      // The same object through another mapping, so there is nothing to abbreviate.
      let isStored = try rows.load(id, source.entity, at: sources.count, &reader)
      return isStored ? SourceState(id: id, extent: .full) : SourceState()
    }
    let way = source.chain.dropLast()
    enter(way)
    defer { leave(way) }
    var mapping = source.mapping
    return switch try shape(of: id, as: &mapping, level: frame.level, &reader) {
    case .none: SourceState()
    case .key: SourceState(id: id, extent: .keyOnly)
    case .bare, .members: SourceState(id: id, extent: .full)
    }
  }

  /// Adds sources of the current frame to the path, for objects related to the last of them.
  mutating func enter(_ way: some Sequence<Int>) {
    let layout = program.layouts[frame.mapping]
    for source in way { path.push(sources[frame.base + source].id, of: layout.sources[source].entity) }
  }

  mutating func leave(_ way: some Sequence<Int>) {
    for _ in way { path.pop() }
  }

  /// The row of a source of the current frame. Reads it again if a deeper object has overwritten it.
  @_lifetime(immortal)
  mutating func row<R: StoreReader>(of source: Int, _ reader: inout R) throws -> Row {
    let place = frame.base + source
    let entity = program.layouts[frame.mapping].sources[source].entity
    _ = try rows.load(sources[place].id, entity, at: place, &reader)
    return rows.row(at: place)
  }
}
