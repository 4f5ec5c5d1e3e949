/// Faults of relationships whose links wait for objects.
extension MappingValidator {
  mutating func checkWaiting(_ relationship: RelationshipDefinition, of mapping: MappingDefinition) {
    guard relationship.waits else { return }
    let place = mapping.place.appending(["relationships", relationship.name, "waits"])
    if !relationship.isWeak {
      fault(place, "only a link of a weak relationship waits for its object; any other makes the object")
    }
    if relationship.policy.custom != nil {
      fault(place, "a custom policy decides about objects that exist, so no link of it waits")
    }
    if relationship.keyPath.isWhole {
      fault(place, "the target is written into its owner's object, where a key alone cannot stand for it")
    }
    if relationship.keyedBy != nil {
      fault(place, "links wait in a list or in a to-one relationship, not as the members of an object")
    }
    if mapping.primaryKey == nil || mapping.keepsKeyless {
      fault(
        place,
        "links wait for owners with a primary key; the mapping \(quoted(mapping.name)) has objects without one"
      )
    }
  }

  /// Checks that mappings agree whether the links of a field wait, and that no name is one of the store's own.
  mutating func checkWaiting(_ mappings: [MappingDefinition]) {
    var first: [ByteName: [ByteName: (waits: Bool, mapping: String)]] = [:]
    for mapping in mappings {
      if WaitingNames.isReserved(mapping.entity) {
        fault(mapping.place.appending("entity"), WaitingNames.fault(mapping.entity))
      }
      for attribute in mapping.attributes where WaitingNames.isReserved(attribute.name) {
        fault(mapping.place.appending(["attributes", attribute.name]), WaitingNames.fault(attribute.name))
      }
      for relationship in mapping.relationships {
        let place = mapping.place.appending(["relationships", relationship.name])
        if WaitingNames.isReserved(relationship.name) { fault(place, WaitingNames.fault(relationship.name)) }
        guard relationship.isWeak else { continue }
        let (entity, name) = (ByteName(mapping.entity), ByteName(relationship.name))
        guard let known = first[entity]?[name] else {
          first[entity, default: [:]][name] = (relationship.waits, mapping.name)
          continue
        }
        if known.waits != relationship.waits {
          let (here, there) = relationship.waits ? ("wait", "do not") : ("do not wait", "do")
          fault(
            place.appending("waits"),
            "links of \(quoted(relationship.name)) of \(escaped(mapping.entity)) \(here) here and \(there) in the mapping \(quoted(known.mapping))"
          )
        }
      }
    }
  }
}
