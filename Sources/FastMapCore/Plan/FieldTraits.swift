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
  /// By entity, whether its objects belong to their owners by the scope of their key.
  private(set) var isScoped: [Bool]
  /// By entity, the relationships that have its objects as a part of their owner's key.
  private(set) var dependentFields: [[(entity: Int, field: Int)]]
  /// By entity, the fields of the parts of its key; none if the key is one attribute.
  private(set) var partFields: [[Int]]

  init(of mappings: [PlannedMapping], in schema: Schema) {
    traits = schema.entities.map { Array(repeating: [], count: $0.fields.count) }
    keyFields = Array(repeating: [], count: schema.entities.count)
    dependentFields = Array(repeating: [], count: schema.entities.count)
    isScoped = Array(repeating: false, count: schema.entities.count)
    partFields = Array(repeating: [], count: schema.entities.count)
    for planned in mappings {
      if let field = planned.keyField, !keyFields[planned.entity].contains(field) {
        keyFields[planned.entity].append(field)
      }
      if planned.mapping.isScoped { isScoped[planned.entity] = true }
      if !planned.parts.isEmpty { partFields[planned.entity] = Array(planned.fieldsOfKey.dropFirst()) }
      for case .relationship(let index) in planned.parts {
        let target = mappings[planned.destinations[index]].entity
        let field = planned.relationshipFields[index]
        if !dependentFields[target].contains(where: { $0 == (planned.entity, field) }) {
          dependentFields[target].append((planned.entity, field))
        }
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

  /// Whether a field is the primary key, or a part of it.
  func isOfKey(_ field: Int, _ entity: Int) -> Bool {
    keyFields[entity].contains(field) || partFields[entity].contains(field)
  }

  /// Whether the targets of a relationship may lack their key: those belong to the owner.
  func ownsKeyless(_ field: Int, of entity: Int) -> Bool { traits[entity][field].contains(.ownsKeyless) }

  func isWeak(_ field: Int, of entity: Int) -> Bool { traits[entity][field].contains(.weak) }
}
