internal import CFastMap

/// The fields that no object of a payload had, while objects of their mapping were met.
///
/// Each unit's walk marks what it finds, wherever it runs; the marks of all are laid over each other.
struct UnseenFields {
  let names: [String]

  init(plan: Plan, units: [ImportUnit]) {
    let compiled = plan.compiled.pointer.pointee
    func isMarked(_ mark: UInt32) -> Bool { units.contains { $0.batch.pointee.marks[Int(mark)] != 0 } }
    var names: [String] = []
    for (index, planned) in plan.mappings.enumerated() {
      let mapping = planned.mapping
      let first = compiled.mappings[index].first_mark
      let fields = mapping.attributes.map(\.name) + mapping.relationships.map(\.name)
      guard isMarked(first + UInt32(fields.count)) else { continue }
      for (field, name) in fields.enumerated() where !isMarked(first + UInt32(field)) {
        names.append("\(mapping.name).\(name)")
      }
    }
    self.names = names
  }
}
