internal import CFastMap

/// The forms of a plan that decide on occurrences: ages, deletions and kinds.
struct OccurrenceRules {
  /// By entity, the fields that decide on ages.
  let ageFields: [[Int]]
  /// By mapping, the place of its field among `ageFields` of its entity; nil where its objects have no age.
  private let agePlaces: [Int?]
  /// By entity, the default of each of `ageFields`.
  private let ageDefaults: [[Value?]]
  /// By entity, whether its objects may be deleted by the payload.
  let areDeletable: [Bool]
  /// By mapping, the fields with members of a representation beside the key.
  private let members: [[Int]]
  private let hasKinds: [Bool]
  let isScoped: [Bool]
  /// Whether the verdict on an occurrence depends on earlier ones.
  let dependOnOrder: Bool

  /// Nil if no mapping of the plan has such a form or a weak relationship.
  init?(_ plan: Plan) {
    dependOnOrder = plan.hasNewer || plan.hasDeleted || plan.hasKinds
    guard dependOnOrder || plan.traits.hasWeakFields else { return nil }
    let entities = plan.schema.entities.indices
    let newer = plan.mappings.map(\.newerField)
    let fields = entities.map { entity in
      Set(zip(plan.mappings, newer).compactMap { $0.entity == entity ? $1 : nil }).sorted()
    }
    ageFields = fields
    agePlaces = zip(plan.mappings, newer).map { planned, field in
      field.flatMap { fields[planned.entity].firstIndex(of: $0) }
    }
    ageDefaults = entities.map { entity in
      fields[entity].map { field in
        plan.compiled.defaults[entity].first { $0.field == field }.flatMap { Field($0.slot).value }
      }
    }
    var areDeletable = entities.map { _ in false }
    var hasKinds = areDeletable
    for planned in plan.mappings {
      if planned.mapping.deletedBy != nil { areDeletable[planned.entity] = true }
      if planned.kinds != nil { hasKinds[planned.entity] = true }
    }
    self.areDeletable = areDeletable
    self.hasKinds = hasKinds
    isScoped = plan.traits.isScoped
    members = dependOnOrder ? plan.mappings.map(\.memberFields) : []
  }

  /// Whether a form concerns the objects of an entity.
  func concern(_ entity: Int) -> Bool {
    areDeletable[entity] || hasKinds[entity] || !ageFields[entity].isEmpty
  }

  /// Whether an occurrence has no member that its mapping reads beside the key.
  func isReference(_ occurrence: fastmap_occurrence, _ mapping: fastmap_plan_mapping) -> Bool {
    guard let row = occurrence.row else { return true }
    return members[Int(occurrence.mapping)].allSatisfy { field in
      row[field].tag == FASTMAP_MISSING
        || mapping.blank.map { $0[field].isSame(as: row[field].value) } ?? false
    }
  }

  // MARK: Ages

  /// Whether an occurrence is older than its object.
  ///
  /// - Parameter mapping: The mapping that decides: of the object's kind.
  func isStale(
    _ occurrence: fastmap_occurrence, mapping: Int, _ entity: Int, _ facts: ObjectFacts
  ) -> Bool {
    guard let row = occurrence.row, let place = agePlaces[mapping], place < facts.ages.count,
      let now = facts.ages[place]
    else { return false }
    return Field(row[ageFields[entity][place]].value).value.map { $0.isLess(than: now) } ?? false
  }

  /// Gives an object the age of an occurrence.
  ///
  /// - Parameter isFirst: Whether no earlier occurrence was used. The first one brings the defaults.
  func setAge(
    of facts: inout ObjectFacts, _ entity: Int, to occurrence: fastmap_occurrence, isFirst: Bool
  ) {
    if ageFields[entity].isEmpty { return }
    if facts.ages.isEmpty { facts.ages = ageFields[entity].map { _ in nil } }
    for (place, field) in ageFields[entity].enumerated() {
      if let row = occurrence.row, row[field].tag != FASTMAP_MISSING {
        facts.ages[place] = Field(row[field].value).value.flatMap { $0 == .null ? nil : $0 }
      } else if isFirst {
        facts.ages[place] = ageDefaults[entity][place]
      }
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

extension Value {
  /// The order of two values of one attribute; strings by their bytes.
  fileprivate func isLess(than other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.integer, .unsigned): true
    case (.unsigned(let a), .unsigned(let b)): a < b
    case (.number(let a), .number(let b)): a < b
    case (.decimal(let a), .decimal(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.date(let a), .date(let b)): a < b
    default: false
    }
  }
}
