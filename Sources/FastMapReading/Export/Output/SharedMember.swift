internal import CFastMap

/// A member that several fields of an object write. One of them has a value, or they agree.
struct SharedMember: Sendable {
  // @unchecked: nothing writes to the literals of the step, and its program keeps them.
  struct Field: @unchecked Sendable {
    let name: String
    let path: [JSONKeyPath.Step]
    let step: OutputStep
    /// Nil for a relationship.
    var reader: AttributeReader?
  }

  let source: Int
  let path: [JSONKeyPath.Step]
  /// A field each. The last side may have all fields whose key paths lead through the member.
  let sides: [[Field]]
  /// Whether the first side keeps JSON. The other fields have parts of it.
  let keepsJSON: Bool
}

extension SerializerRun {
  /// Refuses an object with several values for one member, before it is written.
  mutating func checkShared<R: StoreReader>(_ members: [SharedMember], _ reader: inout R) throws {
    for member in members where sources[frame.base + member.source].extent == .full {
      var found: SharedMember.Field?
      for side in member.sides {
        var value: SharedMember.Field?
        for field in side where value == nil {
          if try hasValue(field, &reader) { value = field }
        }
        if member.keepsJSON, let json = found {
          try checkParts(side, json, &reader)
        } else if let value, let found, try !isKey(found, of: value, &reader) {
          throw try conflict(found, value, member.path, "both have values", &reader)
        }
        found = found ?? value
      }
    }
  }

  /// Refuses an object with two values if one of them replaces the object in the output.
  mutating func checkAlone<R: StoreReader>(
    _ whole: Int, _ id: ObjectID, as mapping: Int, _ reader: inout R
  ) throws {
    let layout = program.layouts[mapping]
    let row = rows.row(at: sources.count)
    let others = Array(layout.bare) + Array(layout.steps)
    for other in others where other != whole {
      let step = program.steps[other]
      guard step.source == 0 else { continue }
      let hasValue =
        switch step.kind {
        case .leave: false
        case .attribute: row.hasValue(for: step)
        case .toOne: row[step.field].target != nil
        case .toMany: try !reader.targets(of: id, entity: layout.entity, field: step.field).isEmpty
        }
      guard hasValue else { continue }
      let planned = program.plan.mappings[mapping]
      let names = [program.steps[whole].field, step.field].map {
        quoted(program.plan.schema.entities[planned.entity].fields[$0].name)
      }
      throw UnwritableValue(
        reason: "\(names[0]) of \(escaped(planned.mapping.entity)) is written in place of the object, "
          + "and \(names[1]) has a value too: only one of them could be written")
    }
  }

  private mutating func hasValue<R: StoreReader>(
    _ field: SharedMember.Field, _ reader: inout R
  ) throws -> Bool {
    let step = field.step
    let row = try row(of: step.source, &reader)
    switch step.kind {
    case .attribute: return row.hasValue(for: step)
    case .toOne: return row[step.field].target != nil
    case .toMany:
      let entity = program.layouts[frame.mapping].sources[step.source].entity
      let id = sources[frame.base + step.source].id
      return try !reader.targets(of: id, entity: entity, field: step.field).isEmpty
    case .leave: return false
    }
  }

  /// Whether the value of an attribute is the key of a relationship's target.
  private mutating func isKey<R: StoreReader>(
    _ attribute: SharedMember.Field, of relationship: SharedMember.Field, _ reader: inout R
  ) throws -> Bool {
    let step = relationship.step
    guard attribute.step.kind == .attribute, step.kind == .toOne else { return false }
    let row = try row(of: step.source, &reader)
    guard let key = row[attribute.step.field].key, let target = row[step.field].target else { return false }
    let planned = program.plan.mappings[step.destination]
    var buffer = RowBuffer()
    guard let field = planned.keyField, try reader.read(target, of: planned.entity, into: &buffer) else {
      return false
    }
    try buffer.checkWhole()
    try buffer.row.check(fields: program.plan.schema.entities[planned.entity].fields.count)
    return buffer.row[field].key == key
  }

  private mutating func checkParts<R: StoreReader>(
    _ parts: [SharedMember.Field], _ json: SharedMember.Field, _ reader: inout R
  ) throws {
    let row = try row(of: json.step.source, &reader)
    let slot = row.slots + json.step.field
    guard Int(slot.pointee.tag) == FASTMAP_JSON else { return }
    let kept = try KeptObject(slot.pointee.span)
    for part in parts {
      guard let attribute = part.reader, row.hasValue(for: part.step) else { continue }
      let value = kept.value(at: Array(part.path.dropFirst(json.path.count)))
      if value.flatMap({ attribute.value(of: $0) }) != row[part.step.field].value {
        throw try conflict(json, part, part.path, "have different values", &reader)
      }
    }
  }

  private mutating func conflict<R: StoreReader>(
    _ first: SharedMember.Field, _ second: SharedMember.Field, _ path: [JSONKeyPath.Step], _ verb: String,
    _ reader: inout R
  ) throws -> UnwritableValue {
    let planned = program.plan.mappings[frame.mapping]
    let steps = program.layouts[frame.mapping].steps
    frame.step =
      steps.first {
        let step = program.steps[$0]
        return step.kind != .leave && step.source == first.step.source && step.field == first.step.field
      } ?? OutputFrame.noStep
    let key = try planned.keyField.flatMap { field in try row(of: 0, &reader)[field].key }
    let name = escaped(planned.mapping.entity) + (key.map { " \($0)" } ?? "")
    return UnwritableValue(
      reason:
        "\(quoted(first.name)) and \(quoted(second.name)) of \(name) \(verb) for \(quoted(JSONKeyPath.text(of: path[...]))): only one of them could be written"
    )
  }
}
