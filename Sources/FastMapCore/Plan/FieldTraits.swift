/// Traits of fields. A field has a trait if any mapping of its entity gives it.
struct FieldTraits: Sendable {
  private struct Traits: OptionSet {
    var rawValue: UInt8
    static let ownsKeyless = Traits(rawValue: 1)
    static let weak = Traits(rawValue: 2)
  }

  private var traits: [[Traits]]
  /// By entity, the fields that are the primary key of a mapping.
  private(set) var keyFields: [[Int]]
  private(set) var hasWeakFields = false

  init(of mappings: [PlannedMapping], in schema: Schema) {
    traits = schema.entities.map { Array(repeating: [], count: $0.fields.count) }
    keyFields = Array(repeating: [], count: schema.entities.count)
    for planned in mappings {
      if let field = planned.keyField, !keyFields[planned.entity].contains(field) {
        keyFields[planned.entity].append(field)
      }
      for (index, relationship) in planned.mapping.relationships.enumerated() {
        let field = planned.relationshipFields[index]
        if relationship.isWeak {
          traits[planned.entity][field].insert(.weak)
          hasWeakFields = true
        } else if mappings[planned.destinations[index]].mapping.keepsKeyless {
          traits[planned.entity][field].insert(.ownsKeyless)
        }
      }
    }
  }

  /// Whether the targets of a relationship may lack their key: those belong to the owner.
  func ownsKeyless(_ field: Int, of entity: Int) -> Bool { traits[entity][field].contains(.ownsKeyless) }

  func isWeak(_ field: Int, of entity: Int) -> Bool { traits[entity][field].contains(.weak) }
}
