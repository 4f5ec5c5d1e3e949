internal import CFastMap
public import FastMapMaintenance

extension LMDBStore: DumpLoading {
  /// Writes the whole store as NDJSON: entities, fields, objects, values, links and numbers.
  ///
  ///     try store.dump { bytes in try file.write(bytes) }
  ///
  /// A dump needs no mappings. Dumps include data that exports leave out: unreachable objects, all relationships, the
  /// numbers of objects, and fields that mappings no longer have. ``load(dump:)`` creates the same store from it, and so
  /// does the same call of another store. See docs/DUMP.md for the format. Others may read and write meanwhile; the dump
  /// shows one commit.
  ///
  /// - Parameter write: Receives the text, UTF-8, in pieces of about 64 KiB, borrowed for the call.
  /// - Throws: ``LMDBError``, with reason `.damaged` if the store contradicts itself; errors of `write`.
  /// - Complexity: O(*n*) in the bytes. Memory for one object or 1000 links, and for the numbers of objects that an
  ///   interrupted import has left to delete.
  /// - Note: Thread rule: any thread.
  public func dump(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    try environment.read { transaction in
      let layout = try StoreLayout(transaction.view, tables)
      let header = layout.dumpHeader(try StoreLayout.changes(transaction.view, tables))
      let leftovers = try LeftoverEntry.objects(transaction.view, tables)
      try withoutActuallyEscaping(write) { write in
        var dump = DumpWriter(header, to: write)
        try forEachObject(
          LMDBReader(view: transaction.view, tables: tables, layout: layout, lists: lists), leftovers, &dump)
        try dump.finish()
      }
    }
  }

  private func forEachObject(
    _ reader: LMDBReader, _ leftovers: [ObjectID: LeftoverEntry.Object], _ dump: inout DumpWriter
  ) throws {
    let view = reader.view
    let layout = reader.layout
    let numbers = try view.unsafeCursor(tables.numbers)
    let links = try view.unsafeCursor(tables.links)
    // Both tables are sorted by object.
    var link = try links.first()
    var counts = [UInt64](repeating: 0, count: layout.entities.count)
    var entry = try numbers.first()
    while let found = entry {
      let chunk = try NumberChunk(found.key, found.value, in: view)
      let isWhole = try chunk.forEach(found.key.bigEndian(at: 0, as: UInt64.self)) { id, key in
        let record = try reader.record(id, at: key.bytes, try view.entry(tables.records, key.bytes))
        guard dump.write(id, record, leftovers[id], layout) else {
          throw Checksum.damaged(
            .records, key.bytes, "the record does not match its layout", view.environment)
        }
        counts[Int(ObjectNumber.entity(id))] += 1
        while let segment = link, segment.key.count == 18,
          segment.key.id(inKeyAt: 0) == id
        {
          let targets = try Checksum.open(.links, segment.key, segment.value, in: view)
          let field = segment.key.bigEndian(at: 8, as: UInt16.self)
          guard targets.count % 8 == 0, dump.add(targets, id, Int(field), layout) else {
            throw Checksum.damaged(
              .links, segment.key, "the list does not match its layout", view.environment)
          }
          try dump.flush()
          link = try links.next()
        }
        dump.endLists()
        try dump.flush()
        if let stray = link, stray.key.count != 18 || stray.key.id(inKeyAt: 0) <= id {
          throw Checksum.damaged(.links, stray.key, "the owner does not exist", view.environment)
        }
      }
      guard isWhole else {
        throw Checksum.damaged(.numbers, found.key, "a key is not whole", view.environment)
      }
      entry = try numbers.next()
    }
    if let link { throw Checksum.damaged(.links, link.key, "the owner does not exist", view.environment) }
    for (entity, count) in zip(layout.entities, counts) where entity.counts.objects != count {
      throw view.environment.error(
        .damaged(
          place: "numbers, entity \(entity.number)",
          detail: "\(count) objects have a number, the store counts \(entity.counts.objects)"))
    }
  }
}

extension DumpWriter {
  /// - Returns: False if the record does not match its layout.
  fileprivate mutating func write(
    _ id: ObjectID, _ record: RecordView, _ left: LeftoverEntry.Object?, _ layout: StoreLayout
  ) -> Bool {
    let number = Int(ObjectNumber.entity(id))
    guard number < layout.entities.count, record.hasKeyInPlace else { return false }
    let fields = layout.entities[number].fields
    if let key = record.keyField, key >= fields.count { return false }
    beginObject(
      ObjectNumber.serial(id), of: number, keyField: record.keyField,
      leftover: left.map {
        Leftover(id: id, entity: number, isOwned: $0.isOwned, deletesShared: $0.deletesShared)
      })
    var isSound = true
    let isWhole = record.forEach { field, tag, value in
      let slot = record.slot(tag, value)
      guard field < fields.count, Checker.fits(slot, fields[field].kind) else {
        isSound = false
        return false
      }
      if case .relationship(_, _, let entity) = fields[field].kind {
        guard let target = slot.object, ObjectNumber.entity(target) == entity else {
          isSound = false
          return false
        }
        self.target(ObjectNumber.serial(target), of: field)
      } else {
        self.value(Field(slot), of: field)
      }
      return true
    }
    endValues()
    return isSound && isWhole
  }

  /// Adds targets to a list of the last object.
  ///
  /// - Returns: False if they do not match the layout.
  fileprivate mutating func add(
    _ segment: UnsafeRawBufferPointer, _ owner: ObjectID, _ field: Int, _ layout: StoreLayout
  ) -> Bool {
    let fields = layout.entities[Int(ObjectNumber.entity(owner))].fields
    guard field < fields.count, case .relationship(isToMany: true, _, let target) = fields[field].kind
    else { return false }
    for offset in stride(from: 0, to: segment.count, by: 8) {
      let id = segment.id(inValueAt: offset)
      guard ObjectNumber.entity(id) == target else { return false }
      append(ObjectNumber.serial(id), to: field)
    }
    return true
  }
}

/// Headers of dumps.
extension StoreLayout {
  fileprivate func dumpHeader(_ changes: [Migration.Mark]) -> DumpHeader {
    let entities = entities.map { entity in
      Schema.Entity(
        name: entity.name,
        fields: entity.fields.map { Schema.Field(name: $0.name, kind: $0.kind.schemaKind) },
        keyKind: entity.keyKind,
        indexes: indexes.filter { $0.entity == entity.number }.map { index in
          Schema.Index(
            name: index.name(in: self),
            parts: index.parts.map { .init(field: Int($0.field), isDescending: $0.isDescending) },
            isUnique: index.isUnique)
        })
    }
    return DumpHeader(
      schema: Schema(entities: entities),
      counts: self.entities.map { .init(next: $0.counts.nextSerial, objects: $0.counts.objects) },
      changes: changes.map { .init(kind: $0.kind, entity: $0.entity, field: $0.field, target: $0.target) })
  }

  /// The layout of a dump's header, without objects.
  init(_ header: DumpHeader) {
    self.init()
    for (number, entity) in header.schema.entities.enumerated() {
      var layout = EntityLayout(number: UInt16(number), name: entity.name)
      layout.keyKind = entity.keyKind
      layout.fields = entity.fields.map { .init(name: $0.name, kind: .init($0.kind)) }
      layout.counts.nextSerial = header.counts[number].next
      entities.append(layout)
      for index in entity.indexes {
        indexes.append(
          IndexLayout(
            number: UInt16(indexes.count), entity: UInt16(number),
            parts: index.parts.map { .init(field: UInt16($0.field), isDescending: $0.isDescending) },
            isUnique: index.isUnique))
      }
    }
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

  fileprivate init(_ kind: Schema.Kind) {
    switch kind {
    case .attribute(let kind): self = .attribute(kind)
    case .toOne(let entity, let isOwned):
      self = .relationship(isToMany: false, isOwned: isOwned, entity: UInt16(entity))
    case .toMany(let entity, let isOwned):
      self = .relationship(isToMany: true, isOwned: isOwned, entity: UInt16(entity))
    }
  }
}
