import FastMapCore

extension Description {
  /// `{"title": "people.db", "entities": [{"name": "Person", "key": ["id"], …}]}`
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("title", title)
      writer.name("entities")
      writer.beginArray()
      for entity in entities { write(entity, to: &writer) }
      writer.endArray()
      if let size {
        writer.member("fileSize", size.file)
        writer.member("liveBytes", size.live)
        writer.member("layoutBytes", max(0, size.live - byteCount))
        writer.member("freeBytes", max(0, size.file - size.live))
      }
    }
  }

  private func write(_ entity: Entity, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", entity.name)
      writer.member("key", entity.key)
      if entity.isScoped { writer.member("keyScope", "parent") }
      if !entity.mappings.isEmpty { writer.member("mappings", entity.mappings) }
      if let counts = entity.counts { writer.numbers(of: counts) }
      writer.list("attributes", entity.attributes) { writer, attribute in
        writer.member("name", attribute.name)
        writer.member("type", attribute.kind.rawValue)
      }
      writer.list("relationships", entity.links) { writer, link in
        writer.member("name", link.name)
        writer.member("entity", entities[link.target].name)
        writer.member("toMany", link.isToMany)
        if let other = link.inverseOf {
          writer.member("inverseOf", other)
        } else {
          writer.member("owned", link.isOwned)
        }
      }
      writer.list("indexes", entity.indexes) { writer, index in
        writer.member("name", index.name)
        writer.member("unique", index.isUnique)
        if let count = index.entryCount { writer.member("entries", count) }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func list<Element>(
    _ name: String, _ elements: [Element], _ members: (inout JSONWriter, Element) -> Void
  ) {
    self.name(name)
    beginArray()
    for element in elements { object { members(&$0, element) } }
    endArray()
  }
}
