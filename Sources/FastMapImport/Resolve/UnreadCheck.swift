internal import CFastMap

/// Looks for members that no field reads in objects whose mapping is known: where it was chosen, and where such a member is a fault.
///
/// - Note: Thread rule: for the importing thread.
final class UnreadCheck {
  private let known: KnownMembers
  private let refuses: Bool
  let counter = UnreadCounter()
  /// Counts the members of one object.
  private var ofObject = UnreadCounter()

  /// Nil if the reader counts all of them.
  init?(_ plan: Plan, _ options: ImportOptions) {
    guard let known = KnownMembers.of(plan, isStrict: options.refusesUnread) else { return nil }
    self.known = known
    refuses = options.refusesUnread
  }

  /// Leaves out the objects with a member that no field reads, before they are resolved.
  ///
  /// - Returns: The faults: the first one of each object.
  func leaveOut(of unit: ImportUnit, _ reader: FaultReader) throws -> [FaultReader.Fault] {
    guard refuses else { return [] }
    var faults: [FaultReader.Fault] = []
    let isNew = isNew(unit)
    for index in 0..<unit.occurrenceCount where !unit.isSkipped(index) {
      let mapping = Int(unit.occurrences[index].mapping)
      guard let node = JSONNode(unsafe: unit.occurrences[index].node) else { continue }
      try known.count(node, mapping: mapping, in: ofObject)
      guard ofObject.hasNew else { continue }
      if isNew { try count(index, reader) { try known.count(node, mapping: mapping, in: $0) } }
      if let (steps, name) = ofObject.first {
        faults.append(.init(occurrence: index, what: .unread(steps, name)))
        unit.skip(index)
      }
      ofObject = UnreadCounter()
    }
    end(unit)
    return faults
  }

  /// Counts the members that only another mapping reads, which was not chosen.
  func countOfOtherKinds(in unit: ImportUnit, _ reader: FaultReader) throws {
    guard !refuses, isNew(unit) else { return }
    for index in 0..<unit.occurrenceCount where !unit.isSkipped(index) {
      guard let node = JSONNode(unsafe: unit.occurrences[index].node) else { continue }
      try count(index, reader) {
        try known.countOfOtherKinds(node, mapping: unit.mappingNumber(of: index), in: $0)
      }
    }
    end(unit)
  }

  private func count(_ index: Int, _ reader: FaultReader, _ scan: (UnreadCounter) throws -> Void) throws {
    try scan(counter)
    if counter.hasNew {
      counter.setPaths { _, _, steps in reader.path(ofOccurrence: index).steps + (steps ?? []) }
    }
  }

  private func isNew(_ unit: ImportUnit) -> Bool { unit.input.firstPlace >= counter.countedRoots }

  private func end(_ unit: ImportUnit) {
    counter.countedRoots = max(counter.countedRoots, unit.input.firstPlace + unit.input.roots.count)
  }
}

extension MappingDefinition {
  /// The reason of a fault: a member that no field reads, and the name of a member that was meant.
  ///
  /// - Parameter steps: The way to its object.
  func unread(_ name: String, at steps: [JSONPath.Step]) -> String {
    let way = steps.map { step -> JSONKeyPath.Step in
      switch step {
      case .member(let name): .member(name)
      case .index: .each
      }
    }
    let paths = attributes.filter(\.hasPlace).map(\.keyPath.steps) + relationships.map(\.keyPath.steps)
    let names = paths.compactMap { path -> String? in
      guard path.count > way.count, path.starts(with: way), case .member(let name) = path[way.count] else {
        return nil
      }
      return name
    }
    let near = suggestion(for: name, among: names).map { "; did you mean \(quoted($0))?" } ?? ""
    return "no field of the mapping \(quoted(self.name)) reads this member" + near
  }
}
