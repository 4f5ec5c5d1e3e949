internal import CFastMap

extension SerializerRun {
  /// Writes members up to the next relationship with targets, or to the end of the object.
  mutating func writeSteps<R: StoreReader>(_ reader: inout R, _ output: inout JSONWriter) throws {
    let steps = program.steps
    let end = program.layouts[frame.mapping].steps.upperBound
    var row: Row?
    var source: Int?
    while frame.step < end {
      let step = steps[frame.step]
      switch step.kind {
      case .leave:
        if frame.openGroups == step.groups.count {
          output.endObject()
          frame.openGroups -= 1
        }
        frame.step += 1
        continue
      case .attribute:
        if isWritten(step) {
          if source != step.source {
            row = try self.row(of: step.source, &reader)
            source = step.source
          }
          if let row, row.hasValue(for: step) {
            if step.rework >= 0, let rework = frame.rework, program.isKept(step, row, in: rework) {
              frame.step = step.next
              continue
            }
            beginMember(step, &output)
            try program.write(step, row, &output)
            frame.step = step.next
            continue
          }
        }
      case .toOne, .toMany:
        if frame.isShallow, step.kind == .toMany {
          frame.step += 1
          continue
        }
        if try begin(step, &reader) { return }
      }
      writeAbsence(of: step, &output)
      frame.step += 1
    }
    try pop(&output)
  }

  private func isWritten(_ step: OutputStep) -> Bool {
    switch sources[frame.base + step.source].extent {
    case .full: true
    case .keyOnly: step.isKey
    case .absent: false
    }
  }

  private mutating func writeAbsence(of step: OutputStep, _ output: inout JSONWriter) {
    guard options.includesNulls || step.writesNull, step.isLast else { return }
    if options.omitsEmptyRelationships, step.kind != .attribute, !step.writesNull { return }
    // Values of an object that is abbreviated to its key, or is not there, are unknown, not null.
    let extent = sources[frame.base + step.source].extent
    if extent == .keyOnly || extent == .absent && !options.includesNulls { return }
    beginMember(step, &output)
    if step.kind == .toMany {
      let isKeyed = program.layouts[step.destination].name != nil
      if isKeyed { output.beginObject() } else { output.beginArray() }
      if isKeyed { output.endObject() } else { output.endArray() }
    } else {
      output.null()
    }
  }

  /// Writes null for a member of an object that has a kind and nothing else.
  mutating func writeNull(for step: OutputStep, _ output: inout JSONWriter) {
    if options.includesNulls { return }
    beginMember(step, &output)
    output.null()
    while frame.openGroups > 0 {
      output.endObject()
      frame.openGroups -= 1
    }
  }

  /// Writes the name of a member, after opening its groups.
  private mutating func beginMember(_ step: OutputStep, _ output: inout JSONWriter) {
    if let rework = frame.rework { return begin(step, of: rework, &output) }
    while frame.openGroups < step.groups.count {
      output.name(literal: program.groups[step.groups.lowerBound + frame.openGroups])
      output.beginObject()
      frame.openGroups += 1
    }
    output.name(literal: step.name)
  }

  private func begin(_ step: OutputStep, of rework: ObjectRework, _ output: inout JSONWriter) {
    rework.end(at: output.count)
    output.name(literal: step.name)
    rework.begin(Int(step.rework), at: output.count)
  }

  // MARK: Relationships

  /// Selects the targets of a relationship as the next to write.
  ///
  /// - Returns: False if there are none.
  private mutating func begin<R: StoreReader>(_ step: OutputStep, _ reader: inout R) throws -> Bool {
    let source = sources[frame.base + step.source]
    guard source.extent == .full else { return false }
    let owner = program.layouts[frame.mapping].sources[step.source]
    if step.kind == .toMany {
      frame.targets = try reader.targets(of: source.id, entity: owner.entity, field: step.field)
      frame.targetCount = frame.targets.count
    } else if let target = try row(of: step.source, &reader)[step.field].target {
      frame.target = target
      frame.targetCount = 1
    }
    guard frame.isInRelationship else { return false }
    enter(owner.chain)
    return true
  }

  /// Writes targets up to the next one with members, to the end of the relationship, or until there is enough text.
  mutating func writeTargets<R: StoreReader>(_ reader: inout R, _ output: inout JSONWriter) throws {
    let step = program.steps[frame.step]
    let level = frame.level + 1
    let name = program.layouts[step.destination].name
    while let target = frame.nextTarget() {
      if let gatherer { try readAhead(from: target, as: step.destination, level: level, gatherer) }
      var mapping = step.destination
      let shape = try shape(of: target, as: &mapping, level: level, &reader)
      if case .none = shape { continue }
      if case .members = shape, frame.isShallow { continue }
      beginTargets(step, &output)
      if let name { try program.write(nameOf: program.steps[name], rows.row(at: sources.count), &output) }
      switch shape {
      case .none: break
      case .key where mayRepeat(mapping, level: level):
        return try push(target, as: mapping, level: level, isShallow: true, &reader, &output)
      case .key:
        if program.layouts[step.destination].kinds?.refersByBareKey ?? false,
          let field = program.plan.mappings[step.destination].keyField,
          let key = rows.row(at: sources.count)[field].key
        {
          output.key(key)
        } else {
          try writeKey(of: mapping, &output)
        }
      case .bare(let bare):
        try program.write(program.steps[bare], rows.row(at: sources.count), &output)
        if name != nil, remembers { written.insert(target, with: program.contents[mapping]) }
      case .members: return try push(target, as: mapping, level: level, &reader, &output)
      }
      if room.isUsed(by: output.count) { return }
    }
    if frame.hasWritten {
      if step.kind == .toMany { if name == nil { output.endArray() } else { output.endObject() } }
      frame.step = step.next
    } else {
      // A target without a key is there, and is not written again.
      if !frame.isShallow { writeAbsence(of: step, &output) }
      frame.step += 1
    }
    leave(program.layouts[frame.mapping].sources[step.source].chain)
    frame.endRelationship()
  }

  /// Writes the name of a relationship before its first target.
  private mutating func beginTargets(_ step: OutputStep, _ output: inout JSONWriter) {
    if frame.hasWritten { return }
    frame.hasWritten = true
    beginMember(step, &output)
    guard step.kind == .toMany else { return }
    if program.layouts[step.destination].name == nil { output.beginArray() } else { output.beginObject() }
  }

  /// Reads the targets from the current one on, if the store is asked for sets.
  private mutating func readAhead(
    from target: ObjectID, as mapping: Int, level: Int, _ gatherer: PrefetchingReader
  ) throws {
    let targets = frame.targets.isEmpty ? [target] : frame.targets[(frame.next - 1)...]
    try gatherer.readAhead(targets, as: mapping, level: level, in: &self)
  }

  /// Writes the object after the sources as its key: `{"id":7}`, or a row with the key alone.
  func writeKey(of mapping: Int, _ output: inout JSONWriter) throws {
    let layout = program.layouts[mapping]
    if let joined = layout.joined {
      if let key = joined.key(in: rows.row(at: sources.count)) {
        joined.write(key, &output)
      } else {
        output.null()
      }
      return
    }
    if layout.name != nil {
      output.beginObject()
      return output.endObject()
    }
    guard let key = layout.key else { return output.null() }
    let step = program.steps[key]
    let rework =
      step.rework < 0 ? nil : ObjectRework(mark: output.mark, start: output.count, isRow: layout.isRow)
    output.beginObject()
    if let rework {
      begin(step, of: rework, &output)
      try program.write(step, rows.row(at: sources.count), &output)
      rework.end(at: output.count)
      var field = 0
      return try program.finish(rework, &output, &field)
    }
    for group in step.groups {
      output.name(literal: program.groups[group])
      output.beginObject()
    }
    output.name(literal: step.name)
    try program.write(step, rows.row(at: sources.count), &output)
    for _ in step.groups { output.endObject() }
    output.endObject()
  }
}

extension OutputProgram {
  /// Writes the value of an attribute.
  // Not a method of the run, because the run would be copied for each call. Inlined, because a call for each value
  // took 2 % more instructions for a whole export.
  @inline(__always)
  func write(_ step: OutputStep, _ row: Row, _ output: inout JSONWriter) throws {
    let slot = row.slots + step.field
    if step.transform >= 0, try write(slot, transform: step.transform, &output) { return }
    if !output.append(slot.pointee, as: step.form) {
      throw UnwritableValue(date: slot.pointee.instant, step.form)
    }
  }

  func write(nameOf step: OutputStep, _ row: Row, _ output: inout JSONWriter) throws {
    let field = Field((row.slots + step.field).pointee)
    let value = step.transform >= 0 ? transforms[Int(step.transform)](field) : field.value
    switch value {
    case .string(let text): output.name(text)
    case .integer(let number): output.name("\(number)")
    default:
      throw UnwritableValue(
        reason: "expected a string or an integer as the name of a member, found \(value?.found ?? "no value")"
      )
    }
  }

  /// Writes the result of a transform.
  ///
  /// - Returns: False for a value that the transform's type cannot read.
  @inline(never)
  private func write(
    _ slot: UnsafePointer<fastmap_slot>, transform: Int32, _ output: inout JSONWriter
  ) throws -> Bool {
    guard let value = transforms[Int(transform)](Field(slot.pointee)) else { return false }
    try output.value(value)
    return true
  }
}
