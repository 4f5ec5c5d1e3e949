internal import FastMapStoreKit

/// The first line of a dump: the entities of a store.
struct DumpHeader {
  /// The entities with their fields, keys and indexes.
  var schema = Schema(entities: [])
  /// The number of objects of each entity.
  var counts: [Int] = []
  /// The texts that the store keeps.
  var texts: [KeptText: [UInt8]] = [:]
}

// MARK: - Writing

extension DumpHeader {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("fastmapDump")
      writer.integer(DumpFormat.version)
      writer.name("entities")
      writer.beginArray()
      for (entity, count) in zip(schema.entities, counts) { write(entity, count, &writer) }
      writer.endArray()
      for name in KeptText.allCases {
        guard let text = texts[name] else { continue }
        writer.name(name.rawValue)
        writer.string(String(decoding: text, as: UTF8.self))
      }
    }
    writer.endLine()
  }

  private func write(_ entity: Schema.Entity, _ count: Int, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("name")
      writer.string(entity.name)
      if let key = entity.keyField {
        writer.name("key")
        writer.string(entity.fields[key].name)
      }
      writer.name("objects")
      writer.integer(Int64(count))
      writer.name("fields")
      writer.beginArray()
      for field in entity.fields { write(field, &writer) }
      writer.endArray()
      if entity.indexes.isEmpty { return }
      writer.name("indexes")
      writer.beginArray()
      for index in entity.indexes { Self.write(index, entity, &writer) }
      writer.endArray()
    }
  }

  private func write(_ field: Schema.Field, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("name")
      writer.string(field.name)
      switch field.kind {
      case .attribute(let kind):
        writer.name("type")
        writer.string(kind.rawValue)
      case .toOne(let target, let isOwned), .toMany(let target, let isOwned):
        writer.name(field.kind.isToMany ? "toMany" : "toOne")
        writer.string(schema.entities[target].name)
        guard isOwned else { return }
        writer.name("owned")
        writer.boolean(true)
      }
    }
  }

  private static func write(_ index: Schema.Index, _ entity: Schema.Entity, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("fields")
      writer.beginArray()
      for part in index.parts {
        let name = entity.fields[part.field].name
        writer.string(IndexField(name: name, isDescending: part.isDescending).description)
      }
      writer.endArray()
      guard index.isUnique else { return }
      writer.name("unique")
      writer.boolean(true)
    }
  }
}
