internal import CFastMap

extension ImportUnit {
  /// The facts of the objects of a batch before it: stored values, and the deletions that the payload has brought so far.
  ///
  /// - Complexity: One read of each entity that a form concerns.
  func readFacts<R: StoreReader>(_ rules: OccurrenceRules, in reader: inout R) throws -> [ObjectFacts] {
    var facts = objects.map { object in
      var facts = ObjectFacts()
      facts.exists = object.isStored
      return facts
    }
    for entity in keyed.indices where rules.concern(entity) || rules.isScoped[entity] {
      for number in keyed[entity] { decisions.tombstones?.apply(to: &facts[number], of: objects[number]) }
      if !rules.readsRows(of: entity) { continue }
      let stored = keyed[entity].filter { objects[$0].isStored && !facts[$0].isGone }
        .sorted { objects[$0].id < objects[$1].id }
      if stored.isEmpty { continue }
      try reader.read(stored.map { objects[$0].id }, of: entity) { index, row in
        rules.read(row, of: entity, into: &facts[stored[index]], plan)
      }
    }
    return facts
  }
}

extension Plan {
  func kindField(of entity: Int) -> Int? {
    mappings.lazy.filter { $0.entity == entity }.compactMap(\.kindField).first
  }

  /// The mappings of an entity's kinds, by their names.
  func kindNumbers(of entity: Int) -> [ByteName: Int] {
    var numbers: [ByteName: Int] = [:]
    for (number, planned) in mappings.enumerated() where planned.entity == entity {
      if let kind = planned.kind { numbers[ByteName(kind)] = number }
    }
    return numbers
  }
}
