/// Faults between the mappings of one entity.
extension MappingValidator {
  /// Mappings of one entity must agree about every field that they share.
  mutating func checkEntities(
    _ mappings: [MappingDefinition], _ destinations: [[Int?]], _ owners: [[Int?]]
  ) {
    var fields:
      [ByteName: [ByteName: (use: FieldUse, property: AnyKeyPath?, type: String?, mapping: String)]] = [:]
    var keys: [ByteName: (kind: AttributeKind, name: String, isScoped: Bool, mapping: String)] = [:]
    var defaults: [ByteName: [ByteName: (value: Value, mapping: String)]] = [:]
    var classes: [ByteName: (access: ObjectAccess?, mapping: String)] = [:]
    var properties: [ByteName: [AnyKeyPath: String]] = [:]
    // The classes of the kinds of an entity.
    var ofKinds: [ByteName: Set<ObjectIdentifier>] = [:]
    for mapping in mappings where mapping.hasKind {
      if let type = mapping.objects?.type { ofKinds[ByteName(mapping.entity), default: []].insert(type) }
    }
    for (index, mapping) in mappings.enumerated() {
      let entity = ByteName(mapping.entity)
      let areKinds =
        mapping.objects.map { objects in
          let types = ofKinds[entity] ?? []
          return types.contains(objects.type)
            && (classes[entity]?.access.map { types.contains($0.type) } ?? true)
        } ?? false
      if let first = classes[entity], first.access?.type != mapping.objects?.type, !areKinds {
        let noun = { (access: ObjectAccess?) in access.map { "instances of \($0.typeName)" } ?? "records" }
        fault(
          mapping.place.appending("entity"),
          "the objects of \(escaped(mapping.entity)) are \(noun(mapping.objects)) here and \(noun(first.access)) in the mapping \(quoted(first.mapping))"
        )
      } else {
        classes[entity] = (mapping.objects, mapping.name)
      }
      // A field that is declared twice has its fault already.
      var met: Set<ByteName> = []
      func compare(
        _ use: FieldUse, _ name: String, _ property: AnyKeyPath?, _ type: String?, _ section: String
      ) {
        var place: JSONPath { mapping.place.appending([section, name]) }
        let field = ByteName(name)
        guard met.insert(field).inserted else { return }
        if let property {
          if areKinds {
            if let other = fields[entity]?[field], let known = other.type, let type, known != type {
              return fault(
                place,
                "\(quoted(name)) is of the type \(type) here and \(known) in the mapping \(quoted(other.mapping)); a field has one type in all kinds"
              )
            }
          } else if let other = fields[entity]?[field], let known = other.property, known != property {
            return fault(
              place,
              "\(quoted(name)) is another property here than in the mapping \(quoted(other.mapping)); a field is one property of \(escaped(mapping.entity))"
            )
          }
          if let first = properties[entity]?[property], !NameIndex.isSame(first, name) {
            fault(
              place,
              "\(quoted(name)) has the property of \(quoted(first)); a property is one field of \(escaped(mapping.entity))"
            )
          } else {
            properties[entity, default: [:]][property] = name
          }
        }
        guard let first = fields[entity]?[field] else {
          fields[entity, default: [:]][field] = (use, property, type, mapping.name)
          return
        }
        // A mapping with kinds lists the fields of the subclasses without their properties.
        if first.type == nil { fields[entity]?[field] = (first.use, property, type, mapping.name) }
        if first.use != use {
          fault(
            place,
            "\(quoted(name)) of \(escaped(mapping.entity)) is \(use.noun) here and \(first.use.noun) in the mapping \(quoted(first.mapping))"
          )
        }
      }
      for attribute in mapping.attributes {
        compare(
          .attribute(attribute.type.kind), attribute.name, attribute.access?.property,
          attribute.access?.typeName, "attributes")
        guard let value = attribute.rules.defaultValue else { continue }
        let first = defaults[entity, default: [:]][ByteName(attribute.name)] ?? (value, mapping.name)
        defaults[entity, default: [:]][ByteName(attribute.name)] = first
        if first.value != value {
          fault(
            mapping.place.appending(["attributes", attribute.name, "default"]),
            "the default of \(quoted(attribute.name)) of \(escaped(mapping.entity)) is \(value.found) here and \(first.value.found) in the mapping \(quoted(first.mapping))"
          )
        }
      }
      for (relationship, destination) in zip(mapping.relationships, destinations[index]) {
        guard let destination = destination.map({ mappings[$0] }) else { continue }
        compare(
          .relationship(
            entity: ByteName(destination.entity), isToMany: relationship.isToMany,
            isOwned: destination.primaryKey == nil),
          relationship.name, relationship.access?.property, relationship.access.map { "\($0.shape)" },
          "relationships")
      }
      for (inverse, owner) in zip(mapping.inverses, owners[index]) {
        guard let owner = owner.map({ mappings[$0] }), let place = inverse.place(in: owner) else { continue }
        compare(
          .inverse(
            entity: ByteName(owner.entity), relationship: ByteName(owner.relationships[place].name),
            isToMany: inverse.isToMany),
          inverse.name, inverse.access?.property, inverse.access.map { "\($0.shape)" }, "relationships")
      }
      guard let key = mapping.key, key.type.isKey else { continue }
      if key.defaultValue != nil {
        fault(
          mapping.place.appending(["attributes", key.name, "default"]), DefaultValues.keyFault(key.name))
      }
      if let first = keys[entity], first.isScoped != mapping.isScoped {
        let noun = { $0 ? "unique within its owner" : "unique in the entity" }
        fault(
          mapping.place.appending("keyScope"),
          "the primary key of \(escaped(mapping.entity)) is \(noun(mapping.isScoped)) here and \(noun(first.isScoped)) in the mapping \(quoted(first.mapping))"
        )
      } else if let first = keys[entity], first.kind != key.type.kind {
        fault(
          mapping.place.appending("primaryKey"),
          "the primary key of \(escaped(mapping.entity)) is \(key.type.kind.noun) here and \(first.kind.noun) in the mapping \(quoted(first.mapping))"
        )
      } else if let first = keys[entity], !first.name.utf8.elementsEqual(key.name.utf8) {
        fault(
          mapping.place.appending("primaryKey"),
          "the primary key of \(escaped(mapping.entity)) is \(quoted(key.name)) here and \(quoted(first.name)) in the mapping \(quoted(first.mapping))"
        )
      } else {
        keys[entity] = (key.type.kind, key.name, mapping.isScoped, mapping.name)
      }
    }
  }

  /// The use of a field in one mapping.
  private enum FieldUse: Equatable {
    case attribute(AttributeKind)
    case relationship(entity: ByteName, isToMany: Bool, isOwned: Bool)
    case inverse(entity: ByteName, relationship: ByteName, isToMany: Bool)

    var noun: String {
      switch self {
      case .attribute(let kind):
        kind.noun
      case .relationship(let entity, let isToMany, let isOwned):
        Schema.noun(isToMany: isToMany, entity.text, isOwned: isOwned)
      case .inverse(let entity, let relationship, let isToMany):
        "the to-\(isToMany ? "many" : "one") inverse of \(escaped(entity.text)).\(escaped(relationship.text))"
      }
    }
  }
}
