package import FastMapMapping

extension LMDBStore {
  /// A mapping of records for each stored entity, which has the entity's name and all of its fields.
  ///
  /// An entity whose objects have keys, and also belong to owners without one, has a second mapping without a key.
  ///
  /// - Throws: ``LMDBError``.
  package func storedMappings() throws -> MappingSet {
    try environment.read { transaction in
      let layout = try StoreLayout(transaction.view, tables)
      return MappingSet(
        layout.entities.flatMap { entity in
          entity.keyName == nil
            ? [layout.mapping(of: entity, hasKey: false)]
            : [layout.mapping(of: entity, hasKey: true), layout.mapping(of: entity, hasKey: false)]
        })
    }
  }
}

extension EntityLayout {
  fileprivate var keyName: String? { fields.first { $0.isKey }?.name }

  /// The key; its parts, if its name joins the names of fields.
  fileprivate var keyFields: KeyFields? {
    guard let keyName else { return nil }
    let prefix = "@parent+"
    let isScoped = keyName.hasPrefix(prefix)
    let names = (isScoped ? keyName.dropFirst(prefix.count) : keyName[...]).split(separator: "+").map(
      String.init)
    let key = KeyFields(names: names, isScoped: isScoped)
    let areFields = names.allSatisfy { name in
      fields.contains { field in
        switch field.kind {
        case .attribute(let kind):
          field.name == name && field.name != keyName && [.integer, .string].contains(kind)
        case .relationship(let isToMany, let isOwned, _): field.name == name && !isToMany && !isOwned
        }
      }
    }
    return areFields && key.name == keyName ? key : KeyFields(keyName)
  }

  fileprivate var ownedName: String { name + (keyName == nil ? "" : "\0") }
}

extension StoreLayout {
  fileprivate func mapping(of entity: EntityLayout, hasKey: Bool) -> MappingDefinition {
    var attributes: [AttributeDefinition] = []
    var relationships: [RelationshipDefinition] = []
    var hasScopedTargets = false
    let key = entity.keyFields
    // The attribute of a key with several parts follows from the parts.
    let joined = key?.parts.isEmpty == false ? entity.keyName : nil
    for field in entity.fields where field.name != joined {
      switch field.kind {
      case .attribute(let kind): attributes.append(AttributeDefinition(field.name, AttributeType(kind)))
      case .relationship(let isToMany, let isOwned, let target):
        guard Int(target) < entities.count else { continue }
        let target = entities[Int(target)]
        if target.keyFields?.isScoped ?? false { hasScopedTargets = true }
        relationships.append(
          RelationshipDefinition(
            field.name, .named(isOwned ? target.ownedName : target.name), isToMany: isToMany))
      }
    }
    return MappingDefinition(
      hasKey ? entity.name : entity.ownedName, entity: entity.name,
      primaryKey: hasKey ? key : nil,
      missingPrimaryKey: hasKey && !hasScopedTargets ? .insert : .error, attributes: attributes,
      relationships: relationships)
  }
}

extension AttributeType {
  fileprivate init(_ kind: AttributeKind) {
    self =
      switch kind {
      case .boolean: .boolean
      case .integer: .integer
      case .number: .number
      case .decimal: .decimal
      case .string: .string
      case .date: .date(.iso8601)
      case .data: .data
      case .json: .json
      }
  }
}
