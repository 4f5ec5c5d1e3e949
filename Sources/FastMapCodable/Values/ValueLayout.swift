internal import CFastMap

/// The members of the stored objects of one mapping, by the names that their type has.
final class ValueLayout {
  enum Kind {
    case attribute
    /// The number of the mapping of the target.
    case toOne(Int)
    case toMany(Int)
  }

  struct Member {
    let name: String
    let field: Int
    let kind: Kind

    /// The mapping of the targets; nil for an attribute.
    var target: Int? {
      switch kind {
      case .attribute: nil
      case .toOne(let mapping), .toMany(let mapping): mapping
      }
    }
  }

  let entity: Int
  let fieldCount: Int
  let members: [Member]
  let links: [Member]
  /// The fields of relationships to any number of objects.
  let lists: [Int]
  private let entityName: String
  private let keyField: Int?

  init(_ planned: PlannedMapping, _ plan: Plan) {
    let mapping = planned.mapping
    let attributes = mapping.attributes.indices.map {
      Member(name: mapping.attributes[$0].name, field: planned.attributeFields[$0], kind: .attribute)
    }
    links = mapping.relationships.indices.map { index in
      let target = planned.destinations[index]
      return Member(
        name: mapping.relationships[index].name, field: planned.relationshipFields[index],
        kind: mapping.relationships[index].isToMany ? .toMany(target) : .toOne(target))
    }
    members = attributes + links
    lists = links.filter { if case .toMany = $0.kind { true } else { false } }.map(\.field)
    entity = planned.entity
    fieldCount = plan.schema.entities[planned.entity].fields.count
    entityName = plan.schema.entities[planned.entity].name
    keyField = planned.keyField
  }

  /// An object in messages: `Person 7`.
  func name(of slots: UnsafePointer<fastmap_slot>) -> String {
    guard let key = keyField.flatMap({ Field(slots[$0]).key }) else { return escaped(entityName) }
    return "\(escaped(entityName)) \(key)"
  }
}

extension StoredObject {
  var name: String { layout.name(of: slots) }
}
