internal import CFastMap

/// How many objects a pass over rests has changed.
package struct RestReport {
  /// One sentence for each field.
  package fileprivate(set) var notes: [String] = []
  /// The entities with values that stay in a rest.
  fileprivate(set) var left: Set<Int> = []
}

extension RestMoves {
  /// The objects of a page.
  private static let pageSize = 1024
  private static let mostFields = 5

  /// Moves the values of all objects in a write of the plan's schema, before it does anything else.
  ///
  /// - Parameter check: Called for each page; its error ends the write.
  /// - Complexity: O(*n*) in the objects of the entities with new fields.
  package func run<W: StoreWriter>(on writer: inout W, check: () throws -> Void = {}) throws -> RestReport {
    var counts = Counts()
    let unit = try ImportUnit(reading: plan)
    // Other writes may have changed it meanwhile.
    let known = try HeldFields(in: &writer.reader)
    var held = known
    for entity in sources.keys.sorted() {
      let fieldCount = plan.schema.entities[entity].fields.count
      // A copy of the reader goes on while the writer writes.
      var reader = writer.reader
      try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: Self.pageSize) {
        reader, page in
        try check()
        var batch = ChangeBatch(schema: plan.schema)
        var all: [MovedValues] = []
        try reader.read(page.ids, of: entity) { index, row in
          try row.check(index, of: page.ids, fields: fieldCount)
          guard let values = try values(of: row, entity, unit) else { return }
          counts.count(values, of: entity)
          if values.slots.isEmpty { return }
          let slots = try unit.makeSlots(fieldCount)
          for (field, slot) in values.slots { slots[field] = slot }
          all.append(values)
          batch.changes.append(
            ObjectChange(
              id: page.ids[index], entity: entity, isNew: false, keyField: nil,
              row: Row(slots: slots, count: fieldCount)))
        }
        if !batch.changes.isEmpty {
          try withExtendedLifetime(all) { try writer.apply(&batch) }
          try writer.finish(&batch)
        }
        unit.reset()
        return true
      }
      for field in fields(of: entity) {
        held.settle(name(field, of: entity), isLeft: counts.left[.init(owner: entity, field: field)] != nil)
      }
    }
    if held != known { try held.write(to: &writer) }
    return RestReport(notes: notes(counts), left: Set(counts.left.keys.map(\.owner)))
  }

  /// The fields whose values stay in rests, a sentence for each.
  fileprivate func notesOfLeft<R: StoreReader>(in reader: inout R) throws -> [String] {
    var counts = Counts()
    let unit = try ImportUnit(reading: plan)
    for entity in sources.keys.sorted() {
      try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: Self.pageSize) {
        reader, page in
        try reader.read(page.ids, of: entity) { _, row in
          if let values = try values(of: row, entity, unit) { counts.count(values, of: entity) }
          unit.reset()
        }
        return true
      }
    }
    counts.moved = [:]
    return notes(counts)
  }

  /// The objects of each field, by entity and field.
  private struct Counts {
    var moved: [ImportUnit.Holder: Int] = [:]
    var left: [ImportUnit.Holder: Int] = [:]

    mutating func count(_ values: MovedValues, of entity: Int) {
      for field in values.slots.map(\.field) { moved[.init(owner: entity, field: field), default: 0] += 1 }
      for field in values.left { left[.init(owner: entity, field: field), default: 0] += 1 }
    }
  }

  private func notes(_ counts: Counts) -> [String] {
    let rests = Dictionary(sources.map { ($0, Set($1.map(\.rest))) }, uniquingKeysWith: { a, _ in a })
    func all(_ counts: [ImportUnit.Holder: Int], _ sentence: (String, Int) -> String) -> [String] {
      let found = counts.filter { rests[$0.key.owner]?.contains($0.key.field) == false }
        .sorted { ($0.key.owner, $0.key.field) < ($1.key.owner, $1.key.field) }
      let lines = found.prefix(Self.mostFields).map { place, count in
        let entity = plan.schema.entities[place.owner]
        return sentence("\(entity.name).\(entity.fields[place.field].name)", count)
      }
      let others = found.count - lines.count
      return others > 0 ? lines + ["and \(counted(others, "other field")) alike"] : lines
    }
    return all(counts.moved) { "\(escaped($0)) has \(counted($1, "value")) that no field read before" }
      + all(counts.left) {
        "\(escaped($0)) cannot take the members that \(counted($1, "object")) kept before; "
          + "these stay, and their export needs the older mapping"
      }
  }
}

extension Store {
  /// The fields of a plan that read members which stay in rests, a sentence for each.
  package func membersLeftInRests(of plan: Plan) throws -> [String] {
    guard plan.traits.hasRest else { return [] }
    return try read(plan.schema) { reader in
      guard let moves = try RestMoves(plan, in: &reader, countsLeft: true), !moves.isEmpty else { return [] }
      return try moves.notesOfLeft(in: &reader)
    }
  }
}

extension Importer {
  /// Finds the values that the first transaction moves out of rests.
  func findRestMoves<S: Store>(in store: S) throws {
    guard let moves = try store.restMoves(to: plan, isDryRun: options.isDryRun) else { return }
    batches.shared.moves = moves.isEmpty ? nil : moves
    batches.shared.hold(moves.leftEntities)
  }

  /// Moves values out of rests in the first transaction.
  ///
  /// - Returns: Whether there were values to move, so that the transaction commits.
  func moveRests<W: StoreWriter>(_ writer: inout W) throws -> Bool {
    guard !hasCommitted, let moves = batches.shared.moves else { return false }
    let report = try moves.run(on: &writer, check: checkCancellation)
    state.notes += report.notes
    batches.shared.hold(report.left)
    return true
  }
}
