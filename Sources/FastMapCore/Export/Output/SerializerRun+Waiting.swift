/// Targets that do not exist yet: a bare key stands for each, in its place.
extension SerializerRun {
  /// Finds the missing targets of the relationship that begins.
  mutating func findWaiting<R: StoreReader>(_ step: OutputStep, _ reader: inout R) throws {
    let entries = WaitingEntries(try row(of: step.source, &reader)[Int(step.waiting)])
    if entries.entries.isEmpty { return }
    // A to-one relationship with a target waits for nothing more.
    if step.kind == .toOne, frame.targetCount > 0 { return }
    frame.waiting = zip(entries.places(among: frame.targets), entries.entries).reversed().map {
      (place: $0, key: $1.key)
    }
  }

  /// Writes the key of a missing object of a mapping.
  func write(missing key: PrimaryKey, as mapping: Int, _ output: inout JSONWriter) throws {
    let planned = program.plan.mappings[mapping]
    let layout = program.layouts[mapping]
    if let joined = layout.joined, let parts = key.parts { return joined.writeBare(parts, &output) }
    guard let field = planned.keyField,
      let step = layout.isBareKey ? layout.bare.lowerBound : layout.key
    else { return output.null() }
    var row = RowBuffer()
    row.reset(count: program.plan.schema.entities[planned.entity].fields.count)
    switch key {
    case .integer(let number): row.set(.integer(number), at: field)
    case .string(let text): row.set(.string(text), at: field)
    }
    try row.checkWhole()
    try program.write(program.steps[step], row.row, &output)
  }
}
