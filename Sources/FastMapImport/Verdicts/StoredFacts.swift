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
    for entity in keyed.indices where rules.concern(entity) {
      if rules.areDeletable[entity] {
        for number in keyed[entity] { decisions.tombstones?.apply(to: &facts[number], of: objects[number]) }
      }
      let ages = rules.ageFields[entity]
      let kindField = plan.kindField(of: entity)
      if ages.isEmpty && kindField == nil { continue }
      let kinds = plan.kindNumbers(of: entity)
      let stored = keyed[entity].filter { objects[$0].isStored && !facts[$0].isGone }
        .sorted { objects[$0].id < objects[$1].id }
      if stored.isEmpty { continue }
      try reader.read(stored.map { objects[$0].id }, of: entity) { index, row in
        let number = stored[index]
        if let name = kindField.flatMap({ row[$0].string }) { facts[number].kind = kinds[ByteName(name)] }
        facts[number].ages = ages.map { row[$0].value.flatMap { $0 == .null ? nil : $0 } }
        facts[number].isBare = facts[number].kind == nil && plan.isBare(row, of: entity, ages)
      }
    }
    return facts
  }
}

extension Plan {
  /// Whether an object may have been made by references alone: it has no age, and of other fields none but defaults.
  fileprivate func isBare(_ row: Row, of entity: Int, _ ages: [Int]) -> Bool {
    guard ages.allSatisfy({ row[$0].isMissing || row[$0].isNull }) else { return false }
    let defaults = compiled.defaults[entity]
    return schema.entities[entity].fields.indices.allSatisfy { field in
      if traits.isOfKey(field, entity) || row[field].isMissing || row[field].isNull { return true }
      return defaults.first { $0.field == field }.map { Field($0.slot).value == row[field].value } ?? false
    }
  }

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
