/// The properties of an entity whose objects have kinds: each class has its own.
///
///     field       Event     PushEvent       WatchEvent
///     id          \.id      \Event.id       \Event.id
///     size        -         \.size          -
///     kind        -         "Push"          "Watch"
struct KindProperties {
  /// The properties of a class, by the names of the fields.
  private struct Properties {
    var attributes: [ByteName: AttributeAccess] = [:]
    var links: [ByteName: RelationshipAccess] = [:]

    mutating func add(_ mapping: MappingDefinition) {
      for attribute in mapping.attributes {
        if let access = attribute.access { attributes[ByteName(attribute.name)] = access }
      }
      for relationship in mapping.relationships {
        if let access = relationship.access { links[ByteName(relationship.name)] = access }
      }
      for inverse in mapping.inverses {
        if let access = inverse.access { links[ByteName(inverse.name)] = access }
      }
    }
  }

  private let classes: KindClasses
  /// By class.
  private let properties: [Properties]
  /// The attribute with the value that chooses the kind.
  private let value: ByteName?

  /// - Parameters:
  ///   - number: The mapping that chooses.
  ///   - role: Its part in the choice.
  ///   - fields: The numbers of the entity's fields, by name.
  init(_ number: Int, _ role: PlannedKinds, _ reached: PlanCompiler.Reached, _ fields: [ByteName: Int]) {
    let mapping = reached.mappings[number]
    let base = mapping.objects.map { KindClasses.Class(objects: $0) }
    let kinds = role.all.compactMap { kind in
      reached.mappings[kind].objects.map { objects in
        let takesOthers = if case .mapping(kind) = role.otherwise { true } else { false }
        return KindClasses.Class(
          kind: reached.mappings[kind].name, objects: objects, values: role.values(of: kind),
          takesOthers: takesOthers)
      }
    }
    guard let base, let field = fields[ByteName(Kinds.fieldName)] else {
      preconditionFailure("a class with kinds has a class and a kind")
    }
    classes = KindClasses(field: field, base: base, kinds: kinds)
    // Every class has the properties of mappings of the base class.
    var common = Properties()
    var own: [ObjectIdentifier: Properties] = [:]
    for (other, role) in zip(reached.mappings, reached.kinds)
    where NameIndex.isSame(other.entity, mapping.entity) {
      guard let type = other.objects?.type else { continue }
      if type == base.objects.type, !(role?.isKind ?? false) {
        common.add(other)
      } else {
        own[type, default: Properties()].add(other)
      }
    }
    properties = classes.classes.map { known in
      let own = own[known.objects.type] ?? Properties()
      return Properties(
        attributes: common.attributes.merging(own.attributes) { $1 },
        links: common.links.merging(own.links) { $1 })
    }
    value = mapping.attributes.first { $0.chooses(at: role.keyPath) }.map { ByteName($0.name) }
  }

  package var objects: ObjectAccess {
    var objects = classes.classes[0].objects
    objects.kinds = classes
    return objects
  }

  func properties(of fields: [Schema.Field]) -> [FieldAccess?] {
    fields.indices.map { number in
      let name = ByteName(fields[number].name)
      if number == classes.field { return .attribute(classes.kindAccess) }
      if name == value { return .attribute(classes.valueAccess(properties.map { $0.attributes[name] })) }
      if case .attribute = fields[number].kind {
        return classes.attribute(properties.map { $0.attributes[name] }).map { .attribute($0) }
      }
      return link(fields[number].name).map { .relationship($0) }
    }
  }

  func link(_ name: String) -> RelationshipAccess? {
    classes.link(properties.map { $0.links[ByteName(name)] })
  }
}
