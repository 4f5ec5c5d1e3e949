package import FastMapStoreKit

extension SQLCatalog {
  /// All entities as a schema.
  ///
  /// - Parameter key: The name of the field that has the keys of an entity; nil if there is none.
  package func schema(_ key: (Entity) -> String?) -> Schema {
    let numbers = Dictionary(
      entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    return Schema(
      entities: entities.map { entity in
        let places = Dictionary(
          entity.fields.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        let key = key(entity).flatMap { entity.field(named: $0) }.flatMap { places[$0.number] }
        return Schema.Entity(
          name: entity.name,
          fields: entity.fields.map { field in
            let kind: Schema.Kind =
              switch field.kind {
              case .attribute(let kind): .attribute(kind)
              case .toOne(let target, let isOwned): .toOne(entity: numbers[target] ?? 0, isOwned: isOwned)
              case .toMany(let target, let isOwned): .toMany(entity: numbers[target] ?? 0, isOwned: isOwned)
              }
            return Schema.Field(name: field.name, kind: kind)
          },
          keyKind: key == nil ? nil : entity.keyKind, keyField: key,
          indexes: entity.indexes.map { index in
            Schema.Index(
              name: index.name,
              parts: index.parts.compactMap { part in
                places[part.field].map { .init(field: $0, isDescending: part.isDescending) }
              }, isUnique: index.isUnique)
          })
      })
  }
}
