/// What the mappings of each entity say of its fields together, where one of them is enough.
struct FieldTraits: Sendable {
  /// By entity, the relationships whose targets may lack their key: those belong to the owner.
  private(set) var ownsKeyless: [Set<Int>]
  /// By entity, the relationships that are weak.
  private(set) var weakFields: [Set<Int>]
  /// By entity, the fields that are the primary key.
  private(set) var keyFields: [Set<Int>]

  init(of mappings: [PlannedMapping], entityCount: Int) {
    ownsKeyless = Array(repeating: [], count: entityCount)
    (weakFields, keyFields) = (ownsKeyless, ownsKeyless)
    for planned in mappings {
      if let field = planned.keyField { keyFields[planned.entity].insert(field) }
      for (index, relationship) in planned.mapping.relationships.enumerated() {
        let field = planned.relationshipFields[index]
        if relationship.isWeak {
          weakFields[planned.entity].insert(field)
        } else if mappings[planned.destinations[index]].mapping.keepsKeyless {
          ownsKeyless[planned.entity].insert(field)
        }
      }
    }
  }
}
