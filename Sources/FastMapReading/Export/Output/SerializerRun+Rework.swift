internal import CFastMap

// Objects whose text is assembled at the end: fields below arrays, and attributes that keep the whole object.
extension SerializerRun {
  /// Decides how to write an object that attributes may have kept as a whole.
  mutating func reworkShape<R: StoreReader>(
    of id: ObjectID, as mapping: Int, _ reader: inout R
  ) throws -> Shape {
    let layout = program.layouts[mapping]
    let row = rows.row(at: sources.count)
    for number in layout.bare where try program.keptObject(program.steps[number], row) != nil {
      return .members
    }
    for step in program.steps[layout.steps] where step.source == 0 && !step.isKey {
      switch step.kind {
      case .attribute: if row.hasValue(for: step) { return .members }
      case .toOne: if row[step.field].target != nil { return .members }
      case .toMany:
        let targets = try reader.targets(of: id, entity: layout.entity, field: step.field)
        if !targets.isEmpty { return .members }
      case .leave: break
      }
    }
    for step in layout.bare where row.hasValue(for: program.steps[step]) { return .bare(step: step) }
    return .members
  }

  /// Whether a key that was read from the whole object can also be read as a bare value. If so, it can represent the
  /// object.
  mutating func readsItself(key number: Int) -> Bool {
    let step = program.steps[number]
    let row = rows.row(at: sources.count)
    guard step.rework >= 0, let attribute = program.fields[Int(step.rework)].attribute else { return true }
    var output = JSONWriter()
    guard (try? program.write(step, row, &output)) != nil else { return false }
    return output.withBytes { bytes in
      guard let document = try? JSONDocument(parsing: bytes, keepsReals: true) else { return false }
      return document.withRoot { node in
        let value = attribute.value(of: JSONValue(node, document.bigIntegers))
        return value != nil && value == row[step.field].value
      }
    }
  }

  /// Begins the object of the current frame, with its sources.
  mutating func beginRework<R: StoreReader>(
    _ mark: JSONWriter.Mark, _ reader: inout R, _ output: inout JSONWriter
  ) throws {
    let layout = program.layouts[frame.mapping]
    let rework = ObjectRework(mark: mark, start: output.count, isRow: layout.isRow)
    frame.rework = rework
    held += 1
    for step in program.steps[layout.bare.lowerBound..<layout.whole.upperBound]
    where sources[frame.base + step.source].extent == .full {
      let row = try row(of: step.source, &reader)
      if row.hasValue(for: step), let kept = try program.keptObject(step, row) { rework.kept.append(kept) }
    }
  }

  /// Ends the object of the current frame and assembles its text.
  mutating func endRework(_ rework: ObjectRework, _ output: inout JSONWriter) throws {
    held -= 1
    rework.end(at: output.count)
    var field = 0
    do {
      try program.finish(rework, &output, &field)
    } catch {
      frame.step = program.steps.firstIndex { $0.rework == field } ?? OutputFrame.noStep
      throw error
    }
  }
}

extension OutputProgram {
  /// The JSON object that an attribute keeps for the whole object; nil for any other value.
  func keptObject(_ step: OutputStep, _ row: Row) throws -> KeptObject? {
    let slot = row.slots + step.field
    if step.transform >= 0 {
      guard case .json(let text)? = transforms[Int(step.transform)](Field(slot.pointee)) else { return nil }
      let first = text.utf8.first { !$0.isSpace }
      return first == UInt8(ascii: "{") ? try KeptObject(text.utf8) : nil
    }
    guard Int(slot.pointee.tag) == FASTMAP_JSON else { return nil }
    let text = slot.pointee.span
    let first = text.first { !$0.isSpace }
    return first == UInt8(ascii: "{") ? try KeptObject(text) : nil
  }

  /// Whether the kept JSON of an object already has a value for an attribute, in any format.
  func isKept(_ step: OutputStep, _ row: Row, in rework: ObjectRework) -> Bool {
    let field = fields[Int(step.rework)]
    guard let attribute = field.attribute, !field.path.contains(.each) else { return false }
    for kept in rework.kept {
      guard let value = kept.value(at: field.path) else { continue }
      return attribute.value(of: value) == row[step.field].value
    }
    return false
  }

  /// Replaces the texts of an object's fields by the object's text.
  ///
  /// - Parameter number: Set to the current field, for an error.
  func finish(_ rework: ObjectRework, _ output: inout JSONWriter, _ number: inout Int) throws {
    let text = output.withBytes { Array($0[rework.start...]) }
    output.rewind(to: rework.mark)
    var documents = rework.kept
    var tree: OutputTree? = documents.first.map { .kept($0.value) }
    for other in documents.dropFirst() {
      guard let names = other.document.root.members else { continue }
      for (name, node) in names {
        let step = JSONKeyPath.Step.member(String(decoding: name, as: UTF8.self))
        var writer = JSONWriter()
        writer.append(node, other.document.bigIntegers, keepsReals: true)
        try OutputTree.place(writer.bytes[...], at: [step], in: &tree) { old, _ in .kept(old) }
      }
    }
    for (next, range) in rework.texts {
      number = next
      let field = fields[next]
      try OutputTree.place(text[range], at: field.path[...], in: &tree) { kept, new in
        field.attribute == nil ? try join(kept, new, field.destination, &documents) : .placed(new)
      }
    }
    withExtendedLifetime(documents) {
      if rework.texts.isEmpty, rework.kept.count == 1, !output.isPretty {
        output.raw(rework.kept[0].text)
      } else {
        output.append(tree ?? (rework.isRow ? .array([], isList: false) : .object([])))
      }
    }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
