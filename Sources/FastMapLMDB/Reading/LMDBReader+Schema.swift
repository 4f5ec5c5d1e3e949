internal import FastMapMaintenance
public import FastMapStoreKit

/// The whole store, for a dump.
extension LMDBReader {
  public func storedSchema() throws -> Schema? { layout.schema }
}

extension LMDBReader: LeftoverReader, TextReader {
  package func hasLeftovers() throws -> Bool { try !LeftoverEntry.all(view, tables).isEmpty }

  package func text(_ name: KeptText) throws -> [UInt8]? { try StoreLayout.text(name, view, tables) }
}

extension LMDBWriter: TextWriter {
  package func keep(_ text: [UInt8], as name: KeptText) throws {
    try StoreLayout.put(text, as: name, writing, tables)
  }
}

extension StoreLayout {
  /// All entities, by the store's own numbers.
  var schema: Schema {
    Schema(
      entities: entities.map { entity in
        let key = entity.fields.firstIndex { $0.isKey }
        return Schema.Entity(
          name: entity.name,
          fields: entity.fields.map { Schema.Field(name: $0.name, kind: $0.kind.schemaKind) },
          keyKind: key == nil ? nil : entity.keyKind, keyField: key,
          indexes: indexes.filter { $0.entity == entity.number }.map { index in
            Schema.Index(
              name: index.name(in: self),
              parts: index.parts.map { .init(field: Int($0.field), isDescending: $0.isDescending) },
              isUnique: index.isUnique)
          })
      })
  }
}

extension EntityLayout.Kind {
  fileprivate var schemaKind: Schema.Kind {
    switch self {
    case .attribute(let kind): .attribute(kind)
    case .relationship(isToMany: false, let isOwned, let entity):
      .toOne(entity: Int(entity), isOwned: isOwned)
    case .relationship(isToMany: true, let isOwned, let entity):
      .toMany(entity: Int(entity), isOwned: isOwned)
    }
  }
}
