internal import CFastMap
internal import FastMapCore

extension LMDBStore {
  /// Writes the whole store as NDJSON: entities, fields, objects, values, links and numbers.
  ///
  ///     try store.dump { bytes in try file.write(bytes) }
  ///
  /// A dump needs no mappings. It includes data that exports leave out: unreachable objects, all relationships, the
  /// numbers of objects, and fields that mappings no longer have. ``load(dump:)`` creates the same store from it. See
  /// docs/DUMP.md for the format. Others may read and write meanwhile; the dump shows one commit.
  ///
  /// - Parameter write: Receives the text, UTF-8, in pieces of about 64 KiB, borrowed for the call.
  /// - Throws: ``LMDBError``, with reason `.damaged` if the store contradicts itself; errors of `write`.
  /// - Complexity: O(*n*) in the bytes. Memory for one object or 1000 links, and for the numbers of objects that an
  ///   interrupted import has left to delete.
  /// - Note: Thread rule: any thread.
  public func dump(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    try environment.read { transaction in
      let layout = try StoreLayout(transaction.view, tables)
      let changes = try StoreLayout.changes(transaction.view, tables)
      let leftovers = try LeftoverEntry.objects(transaction.view, tables)
      try withoutActuallyEscaping(write) { write in
        var dump = DumpWriter(layout, leftovers, write)
        dump.writeHeader(changes)
        try forEachObject(
          LMDBReader(view: transaction.view, tables: tables, layout: layout, lists: lists), &dump)
        try dump.finish()
      }
    }
  }

  /// Writes the whole store into a file. The complete file replaces an existing one.
  ///
  ///     try store.dump(to: "people.dump")
  ///
  /// - Parameter path: The file.
  /// - Throws: As ``dump(_:)``, and `SystemError`. An existing file is unchanged then.
  public func dump(to path: String) throws {
    var file = try OutputFile(path)
    try dump { try file.write($0) }
    try file.replaceTarget()
  }

  private func forEachObject(_ reader: LMDBReader, _ dump: inout DumpWriter) throws {
    let view = reader.view
    let numbers = try view.unsafeCursor(tables.numbers)
    let links = try view.unsafeCursor(tables.links)
    // Both tables are sorted by object.
    var link = try links.first()
    var counts = [UInt64](repeating: 0, count: reader.layout.entities.count)
    var entry = try numbers.first()
    while let found = entry {
      let chunk = try NumberChunk(found.key, found.value, in: view)
      let isWhole = try chunk.forEach(found.key.bigEndian(at: 0, as: UInt64.self)) { id, key in
        let record = try reader.record(id, at: key.bytes, try view.entry(tables.records, key.bytes))
        guard dump.writeObject(id, record) else {
          throw Checksum.damaged(.records, key.bytes, "it is not as its layout says", view.environment)
        }
        counts[Int(ObjectNumber.entity(id))] += 1
        while let segment = link, segment.key.count == 18,
          segment.key.id(inKeyAt: 0) == id
        {
          let targets = try Checksum.open(.links, segment.key, segment.value, in: view)
          let field = segment.key.bigEndian(at: 8, as: UInt16.self)
          guard targets.count % 8 == 0, dump.add(targets, id, Int(field)) else {
            throw Checksum.damaged(.links, segment.key, "it is not as its layout says", view.environment)
          }
          try dump.flush()
          link = try links.next()
        }
        dump.endList()
        try dump.flush()
        if let stray = link, stray.key.count != 18 || stray.key.id(inKeyAt: 0) <= id {
          throw Checksum.damaged(.links, stray.key, "its owner is not there", view.environment)
        }
      }
      guard isWhole else {
        throw Checksum.damaged(.numbers, found.key, "a key is not whole", view.environment)
      }
      entry = try numbers.next()
    }
    if let link { throw Checksum.damaged(.links, link.key, "its owner is not there", view.environment) }
    for (entity, count) in zip(reader.layout.entities, counts) where entity.counts.objects != count {
      throw view.environment.error(
        .damaged(
          place: "numbers, entity \(entity.number)",
          detail: "\(count) objects have a number, the store counts \(entity.counts.objects)"))
    }
  }
}

/// Writes the lines of a dump.
private struct DumpWriter: ~Copyable {
  private let layout: StoreLayout
  private let leftovers: [ObjectID: LeftoverEntry.Object]
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private var writer = JSONWriter()
  private var checksum: UInt32 = 0
  private var objectCount = 0
  private var targetCount = 0
  /// The current list, up to the targets that are not yet written.
  private var list: (owner: ObjectID, field: Int)?
  private var targets: [UInt64] = []

  init(
    _ layout: StoreLayout, _ leftovers: [ObjectID: LeftoverEntry.Object],
    _ sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.layout = layout
    self.leftovers = leftovers
    self.sink = sink
  }

  mutating func writeHeader(_ changes: [Migration.Mark]) {
    writer.beginObject()
    writer.name("fastmapDump")
    writer.integer(DumpFormat.version)
    writer.name("entities")
    writer.beginArray()
    for entity in layout.entities { write(entity) }
    writer.endArray()
    writer.name("changes")
    writer.beginArray()
    for change in changes {
      writer.beginObject()
      writer.name("kind")
      writer.integer(Int64(change.kind))
      for (name, bytes) in [("entity", change.entity), ("field", change.field), ("target", change.target)] {
        writer.name(name)
        bytes.withUnsafeBufferPointer { writer.string($0) }
      }
      writer.endObject()
    }
    writer.endArray()
    endLine()
  }

  private mutating func write(_ entity: EntityLayout) {
    writer.beginObject()
    writer.name("name")
    writer.string(entity.name)
    if let key = entity.keyKind {
      writer.name("key")
      writer.string(key.rawValue)
    }
    writer.name("next")
    writer.unsigned(entity.counts.nextSerial)
    writer.name("objects")
    writer.unsigned(entity.counts.objects)
    writer.name("fields")
    writer.beginArray()
    for field in entity.fields {
      writer.beginObject()
      writer.name("name")
      writer.string(field.name)
      switch field.kind {
      case .attribute(let kind):
        writer.name("type")
        writer.string(kind.rawValue)
      case .relationship(let isToMany, let isOwned, let target):
        writer.name(isToMany ? "toMany" : "toOne")
        writer.string(Int(target) < layout.entities.count ? layout.entities[Int(target)].name : "")
        if isOwned {
          writer.name("owned")
          writer.boolean(true)
        }
      }
      writer.endObject()
    }
    writer.endArray()
    writeIndexes(of: entity)
    writer.endObject()
  }

  private mutating func writeIndexes(of entity: EntityLayout) {
    let indexes = layout.indexes.filter { $0.entity == entity.number }
    if indexes.isEmpty { return }
    writer.name("indexes")
    writer.beginArray()
    for index in indexes {
      writer.beginObject()
      writer.name("fields")
      writer.beginArray()
      for part in index.parts {
        let field = Index.Field(name: entity.fields[Int(part.field)].name, isDescending: part.isDescending)
        writer.string(field.description)
      }
      writer.endArray()
      if index.isUnique {
        writer.name("unique")
        writer.boolean(true)
      }
      writer.endObject()
    }
    writer.endArray()
  }

  /// - Returns: False if the record does not match its layout.
  mutating func writeObject(_ id: ObjectID, _ record: RecordView) -> Bool {
    let number = Int(ObjectNumber.entity(id))
    guard number < layout.entities.count else { return false }
    let entity = layout.entities[number]
    objectCount += 1
    begin(id, entity)
    guard record.hasKeyInPlace else { return false }
    if let key = record.keyField {
      guard key < entity.fields.count else { return false }
      writer.name("key")
      writer.string(entity.fields[key].name)
    }
    if let leftover = leftovers[id] { write(leftover) }
    writer.name("values")
    writer.beginObject()
    var isSound = true
    let isWhole = record.forEach { field, tag, value in
      let slot = record.slot(tag, value)
      guard field < entity.fields.count, Checker.fits(slot, entity.fields[field].kind),
        leads(slot, entity.fields[field].kind)
      else {
        isSound = false
        return false
      }
      writer.name(entity.fields[field].name)
      DumpFormat.write(slot, to: &writer)
      return true
    }
    writer.endObject()
    endLine()
    return isSound && isWhole
  }

  private mutating func write(_ leftover: LeftoverEntry.Object) {
    writer.name("left")
    writer.beginObject()
    for (name, isSet) in [("owned", leftover.isOwned), ("shared", leftover.deletesShared)] where isSet {
      writer.name(name)
      writer.boolean(true)
    }
    writer.endObject()
  }

  private func leads(_ slot: fastmap_slot, _ kind: EntityLayout.Kind) -> Bool {
    guard case .relationship(_, _, let entity) = kind else { return true }
    return slot.object.map(ObjectNumber.entity) == entity
  }

  /// Adds targets to a list of the last object.
  ///
  /// - Returns: False if they do not match the layout.
  mutating func add(_ segment: UnsafeRawBufferPointer, _ owner: ObjectID, _ field: Int) -> Bool {
    let entity = layout.entities[Int(ObjectNumber.entity(owner))]
    guard field < entity.fields.count,
      case .relationship(isToMany: true, _, let target) = entity.fields[field].kind
    else { return false }
    if let list, list != (owner, field) { endList() }
    list = (owner, field)
    for offset in stride(from: 0, to: segment.count, by: 8) {
      let id = segment.id(inValueAt: offset)
      guard ObjectNumber.entity(id) == target else { return false }
      if targets.count == DumpFormat.targetsPerLine { writeTargets() }
      targets.append(ObjectNumber.serial(id))
    }
    return true
  }

  mutating func endList() {
    if !targets.isEmpty { writeTargets() }
    list = nil
  }

  private mutating func writeTargets() {
    guard let list else { return }
    let entity = layout.entities[Int(ObjectNumber.entity(list.owner))]
    begin(list.owner, entity)
    writer.name("list")
    writer.string(entity.fields[list.field].name)
    writer.name("targets")
    writer.beginArray()
    for target in targets { writer.unsigned(target) }
    writer.endArray()
    endLine()
    targetCount += targets.count
    targets.removeAll(keepingCapacity: true)
  }

  private mutating func begin(_ id: ObjectID, _ entity: EntityLayout) {
    writer.beginObject()
    writer.name("entity")
    writer.string(entity.name)
    writer.name("object")
    writer.unsigned(ObjectNumber.serial(id))
  }

  private mutating func endLine() {
    writer.endObject()
    writer.endLine()
  }

  /// Passes the text on once there is enough.
  mutating func flush() throws {
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

  mutating func finish() throws {
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
