extension Schema {
  /// Whether a store with this schema has all entities, fields and indexes of another one.
  package func hasRoom(for schema: Schema) -> Bool {
    let names = NameIndex(entities.map(\.name))
    return schema.entities.allSatisfy { mapped in
      guard let entity = names[mapped.name].map({ entities[$0] }) else { return false }
      if mapped.keyKind != nil, mapped.keyKind != entity.keyKind { return false }
      let fields = NameIndex(entity.fields.map(\.name))
      return mapped.fields.allSatisfy { field in
        guard let stored = fields[field.name].map({ entity.fields[$0].kind }) else { return false }
        return switch (field.kind, stored) {
        case (.attribute(let own), .attribute(let other)): own == other
        case (.toOne, .toOne), (.toMany, .toMany): true
        default: false
        }
      }
        && mapped.indexes.allSatisfy { index in
          entity.indexes.contains {
            NameIndex.isSame($0.name, index.name) && ($0.isUnique || !index.isUnique)
          }
        }
    }
  }
}
