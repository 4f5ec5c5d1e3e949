internal import CFastMap

/// Writes the lines of a dump: the header, each object followed by its lists, and the last line.
package struct DumpWriter: ~Copyable {
  private let schema: Schema
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private var writer = JSONWriter()
  private var checksum: UInt32 = 0
  private var objectCount = 0
  private var targetCount = 0
  private var object: (number: UInt64, entity: Int) = (0, 0)
  /// Its current list, up to the targets that are not yet written.
  private var list = 0
  private var targets: [UInt64] = []

  /// Writes the header.
  ///
  /// - Parameter sink: Receives the text, UTF-8, borrowed for the call.
  package init(_ header: DumpHeader, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    schema = header.schema
    self.sink = sink
    writer.object { writer in
      writer.name("fastmapDump")
      writer.integer(DumpFormat.version)
      writer.name("entities")
      writer.beginArray()
      for (entity, counts) in zip(schema.entities, header.counts) {
        Self.write(entity, counts, schema, &writer)
      }
      writer.endArray()
      writer.name("changes")
      writer.beginArray()
      for change in header.changes { Self.write(change, &writer) }
      writer.endArray()
    }
    writer.endLine()
  }

  // MARK: Objects

  /// Begins an object. Its values follow in the order of its fields, and then its lists.
  ///
  /// - Parameter leftover: Set if an interrupted import has left the object to delete.
  package mutating func beginObject(
    _ number: UInt64, of entity: Int, keyField: Int?, leftover: Leftover?
  ) {
    object = (number, entity)
    objectCount += 1
    beginLine()
    if let keyField {
      writer.name("key")
      writer.string(schema.entities[entity].fields[keyField].name)
    }
    if let leftover {
      writer.name("left")
      writer.object { writer in
        for (name, isSet) in [("owned", leftover.isOwned), ("shared", leftover.deletesShared)] where isSet {
          writer.name(name)
          writer.boolean(true)
        }
      }
    }
    writer.name("values")
    writer.beginObject()
  }

  package mutating func value(_ value: Field, of field: Int) {
    writer.name(schema.entities[object.entity].fields[field].name)
    DumpFormat.write(value.slot, to: &writer)
  }

  package mutating func target(_ number: UInt64, of field: Int) {
    writer.name(schema.entities[object.entity].fields[field].name)
    writer.unsigned(number)
  }

  package mutating func endValues() {
    writer.endObject()
    endLine()
  }

  package mutating func append(_ target: UInt64, to field: Int) {
    if field != list { endLists() }
    list = field
    if targets.count == DumpFormat.targetsPerLine { writeTargets() }
    targets.append(target)
  }

  package mutating func endLists() {
    if !targets.isEmpty { writeTargets() }
  }

  private mutating func writeTargets() {
    beginLine()
    writer.name("list")
    writer.string(schema.entities[object.entity].fields[list].name)
    writer.name("targets")
    writer.beginArray()
    for target in targets { writer.unsigned(target) }
    writer.endArray()
    endLine()
    targetCount += targets.count
    targets.removeAll(keepingCapacity: true)
  }

  private mutating func beginLine() {
    writer.beginObject()
    writer.name("entity")
    writer.string(schema.entities[object.entity].name)
    writer.name("object")
    writer.unsigned(object.number)
  }

  private mutating func endLine() {
    writer.endObject()
    writer.endLine()
  }

  // MARK: Text

  /// Passes the text on once there is enough.
  package mutating func flush() throws {
    if writer.withBytes({ $0.count }) >= 1 << 16 { try handOut() }
  }

  private mutating func handOut() throws {
    let sink = sink
    var checksum = checksum
    try writer.flush { bytes in
      checksum = fastmap_crc32c(checksum, bytes.baseAddress, bytes.count)
      try sink(bytes)
    }
    self.checksum = checksum
  }

  /// Writes the last line.
  package mutating func finish() throws {
    try handOut()
    writer.beginObject()
    writer.name("end")
    writer.boolean(true)
    writer.name("objects")
    writer.integer(Int64(objectCount))
    writer.name("targets")
    writer.integer(Int64(targetCount))
    writer.name("checksum")
    writer.string(DumpFormat.text(of: checksum))
    endLine()
    try handOut()
  }
}

/// The parts of the header.
extension DumpWriter {
  private static func write(
    _ entity: Schema.Entity, _ counts: DumpHeader.Counts, _ schema: Schema, _ writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.name("name")
      writer.string(entity.name)
      if let key = entity.keyKind {
        writer.name("key")
        writer.string(key.rawValue)
      }
      writer.name("next")
      writer.unsigned(counts.next)
      writer.name("objects")
      writer.unsigned(counts.objects)
      writer.name("fields")
      writer.beginArray()
      for field in entity.fields { write(field, schema, &writer) }
      writer.endArray()
      if entity.indexes.isEmpty { return }
      writer.name("indexes")
      writer.beginArray()
      for index in entity.indexes { write(index, entity, &writer) }
      writer.endArray()
    }
  }

  private static func write(_ field: Schema.Field, _ schema: Schema, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("name")
      writer.string(field.name)
      switch field.kind {
      case .attribute(let kind):
        writer.name("type")
        writer.string(kind.rawValue)
      case .toOne(let target, let isOwned), .toMany(let target, let isOwned):
        writer.name(field.kind.isToMany ? "toMany" : "toOne")
        writer.string(target < schema.entities.count ? schema.entities[target].name : "")
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

  private static func write(_ change: DumpHeader.Change, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("kind")
      writer.integer(Int64(change.kind))
      for (name, bytes) in [("entity", change.entity), ("field", change.field), ("target", change.target)] {
        writer.name(name)
        bytes.withUnsafeBufferPointer { writer.string($0) }
      }
    }
  }
}
