public import FastMapStoreKit

/// The whole store, for a dump.
extension MemoryReader: LeftoverReader, TextReader {
  public func storedSchema() -> Schema? { state.schema }

  package func hasLeftovers() -> Bool { !state.leftovers.isEmpty }

  package func text(_ name: KeptText) -> [UInt8]? { state.texts[name] }
}

extension MemoryState {
  /// All entities. The number of an entity is the number of its table.
  var schema: Schema {
    Schema(
      entities: tables.map { table in
        Schema.Entity(
          name: table.name,
          fields: table.fields.map { field in
            let kind: Schema.Kind =
              switch field.kind {
              case .attribute(let kind): .attribute(kind)
              case .link(let target, isToMany: true, let isOwned): .toMany(entity: target, isOwned: isOwned)
              case .link(let target, isToMany: false, let isOwned): .toOne(entity: target, isOwned: isOwned)
              }
            return Schema.Field(name: field.name, kind: kind)
          },
          keyKind: table.keyField == nil ? nil : table.keyKind, keyField: table.keyField,
          indexes: table.indexes.map { index in
            Schema.Index(
              name: index.name,
              parts: index.parts.map { .init(field: $0.field, isDescending: $0.isDescending) },
              isUnique: index.isUnique)
          })
      })
  }
}

// A program has its mappings, so the store keeps no file.
extension MemoryWriter: TextWriter {
  package var keepsMappings: Bool { false }

  package mutating func keep(_ text: [UInt8], as name: KeptText) { state.texts[name] = text }
}
