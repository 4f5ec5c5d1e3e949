package import CFastMap

/// Traits of fields. A field has a trait if any mapping of its entity gives it.
package struct FieldTraits: Sendable {
  private struct Traits: OptionSet {
    var rawValue: UInt8
    package static let ownsKeyless = Traits(rawValue: 1)
    static let weak = Traits(rawValue: 2)
  }

  private var traits: [[Traits]]
  /// By entity, the fields that are the primary key of a mapping.
  package private(set) var keyFields: [[Int]]
  package private(set) var hasWeakFields = false
  /// By entity, whether its objects belong to their owners by the scope of their key.
  package private(set) var isScoped: [Bool]
  package private(set) var hasScoped = false
  /// By entity, the relationships that have its objects as a part of their owner's key.
  package private(set) var dependentFields: [[(entity: Int, field: Int)]]
  /// By entity, the fields of the parts of its key; none if the key is one attribute.
  package private(set) var partFields: [[Int]]
  /// By entity, the fields beside its key. Nil without a key, and where no mapping has such fields, not even one beside the
  /// plan.
  private var fieldsBesideKey: [[Int]?]
  /// Whether a mapping keeps the members that no field reads.
  package let hasRest: Bool

  /// - Parameter known: Other mappings, which may have more fields of the entities.
  init(of mappings: [PlannedMapping], in schema: Schema, beside known: [MappingDefinition] = []) {
    traits = schema.entities.map { Array(repeating: [], count: $0.fields.count) }
    keyFields = Array(repeating: [], count: schema.entities.count)
    dependentFields = Array(repeating: [], count: schema.entities.count)
    isScoped = Array(repeating: false, count: schema.entities.count)
    partFields = Array(repeating: [], count: schema.entities.count)
    fieldsBesideKey = []
    hasRest = mappings.contains { $0.rest != nil }
    for planned in mappings {
      if let field = planned.keyField, !keyFields[planned.entity].contains(field) {
        keyFields[planned.entity].append(field)
      }
      if planned.mapping.isScoped {
        isScoped[planned.entity] = true
        hasScoped = true
      }
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
    let large = Set(
      known.lazy.filter { $0.attributes.count + $0.relationships.count > 1 + $0.keyParts.count }.map {
        ByteName($0.entity)
      })
    fieldsBesideKey = schema.entities.indices.map { entity in
      let layout = schema.entities[entity]
      let others = layout.fields.indices.filter { !isOfKey($0, entity) }
      let hasMore = !others.isEmpty || large.contains(ByteName(layout.name))
      return hasMore && !keyFields[entity].isEmpty ? others : nil
    }
  }

  /// Whether a field is the primary key, or a part of it.
  package func isOfKey(_ field: Int, _ entity: Int) -> Bool {
    keyFields[entity].contains(field) || partFields[entity].contains(field)
  }

  /// Whether a field is the primary key, made of several parts. No payload has it, and no class has a property for it.
  package func isJoined(_ field: Int, _ entity: Int) -> Bool {
    !partFields[entity].isEmpty && keyFields[entity].contains(field)
  }

  /// Whether the targets of a relationship may lack their key: those belong to the owner.
  package func ownsKeyless(_ field: Int, of entity: Int) -> Bool {
    traits[entity][field].contains(.ownsKeyless)
  }

  /// Whether a row has nothing but the key, while objects of its entity may have more.
  package func isStub(_ row: UnsafeMutablePointer<fastmap_slot>, of entity: Int) -> Bool {
    fieldsBesideKey[entity]?.allSatisfy { row[$0].tag == FASTMAP_MISSING } ?? false
  }

  package func isWeak(_ field: Int, of entity: Int) -> Bool { traits[entity][field].contains(.weak) }
}
