internal import CFastMap

/// The forms of a plan that decide on occurrences: ages, deletions and kinds.
struct OccurrenceRules {
  let ages: AgeRules?
  let kinds: KindRules
  /// By entity, whether its objects may be deleted by the payload.
  let areDeletable: [Bool]
  /// By mapping, the fields with members of a representation beside the key.
  private let members: [[Int]]
  let isScoped: [Bool]
  /// Whether the verdict on an occurrence depends on earlier ones.
  let dependOnOrder: Bool

  /// Nil if no mapping of the plan has such a form or a weak relationship.
  init?(_ plan: Plan) {
    dependOnOrder = plan.hasNewer || plan.hasDeleted || plan.hasKinds
    guard dependOnOrder || plan.traits.hasWeakFields else { return nil }
    ages = AgeRules(plan)
    kinds = KindRules(plan)
    areDeletable = plan.schema.entities.indices.map(plan.areDeletable)
    isScoped = plan.traits.isScoped
    members = dependOnOrder ? plan.mappings.map(\.memberFields) : []
  }

  /// Whether a form concerns the objects of an entity.
  func concern(_ entity: Int) -> Bool {
    areDeletable[entity] || kinds.concern(entity) || ages?.concern(entity) ?? false
  }

  /// Whether an occurrence has no member that its mapping reads beside the key.
  func isReference(_ occurrence: fastmap_occurrence, _ mapping: fastmap_plan_mapping) -> Bool {
    guard let row = occurrence.row else { return true }
    return members[Int(occurrence.mapping)].allSatisfy { field in
      row[field].tag == FASTMAP_MISSING
        || mapping.blank.map { $0[field].isSame(as: row[field].value) } ?? false
    }
  }

  // MARK: Stored objects

  /// Whether the facts about an object of an entity are in its row.
  func readsRows(of entity: Int) -> Bool { kinds.areInRows(of: entity) || ages?.concern(entity) ?? false }

  /// Reads the facts in a row.
  ///
  /// - Parameter plan: Nil for an object that more than references has made.
  func read(_ row: Row, of entity: Int, into facts: inout ObjectFacts, _ plan: Plan?) {
    facts.kind.mapping = kinds.read(row, of: entity)
    ages?.read(row, of: entity, into: &facts.age, facts.kind.mapping == nil ? plan : nil)
  }
}

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
      for number in keyed[entity] { shared.tombstones?.apply(to: &facts[number], of: objects[number]) }
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

  /// Sets the defaults that an object gets.
  func setDefaults(
    _ defaults: [DefaultSlot], of number: Int, _ object: Object, _ row: UnsafeMutablePointer<fastmap_slot>
  ) {
    let ages = number < decisions.facts.count ? shared.rules?.ages : nil
    if object.isStored, ages == nil { return }
    for value in defaults where row[value.field].tag == FASTMAP_MISSING {
      let isBrought = ages?.brings(
        value.field, of: object.entity, decisions.facts[number].age, isStored: object.isStored)
      if isBrought != false { row[value.field] = value.slot }
    }
  }
}

extension fastmap_slot {
  /// Whether a slot is a copy of this one, with the same bytes.
  fileprivate func isSame(as other: fastmap_slot) -> Bool {
    tag == other.tag && (tag != FASTMAP_STRING || bytes == other.bytes)
  }
}

extension PlannedMapping {
  /// The fields with members of a representation beside the key, and the field that chooses the kind.
  fileprivate var memberFields: [Int] {
    let ofKey = fieldsOfKey
    let attributes = mapping.attributes.indices.filter { index in
      let (attribute, field) = (mapping.attributes[index], attributeFields[index])
      let isInside = attribute.outerPath == nil && attribute.source != .memberName
      return index == choosingAttribute || isInside && !ofKey.contains(field)
    }
    let relationships = mapping.relationships.indices.filter { index in
      let (relationship, field) = (mapping.relationships[index], relationshipFields[index])
      return relationship.outerPath == nil && !relationship.keyPath.isWhole && !ofKey.contains(field)
    }
    return attributes.map { attributeFields[$0] } + relationships.map { relationshipFields[$0] }
  }
}

extension Plan {
  /// Whether an object may lose values without a new one: it changes its kind, or lives again after its deletion.
  func takesBackValues(of entity: Int) -> Bool {
    hasDeleted || mappings.contains { $0.entity == entity && $0.kinds != nil }
  }

  /// Whether an instance depends on the whole payload: on objects that weak relationships find, on its last kind, or on its deletion.
  var decidesAtEnd: Bool { traits.hasWeakFields || hasKindClasses || hasDeleted }
}
