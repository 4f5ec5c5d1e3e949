internal import CFastMap
internal import FastMapMaintenance

/// Writes the objects of a dump into empty tables, in one transaction.
final class LoadingTransaction: DumpTarget {
  private let writing: WriteView
  private let tables: Tables
  private let lists: ListShape
  private let records: Cursor
  private var layout = StoreLayout()
  private var changes: [Migration.Mark] = []
  private var numbers: NumberChanges
  private var key = KeyBytes()
  private var encoder = RecordEncoder()
  private var inverse: InverseBlocks
  /// Objects that an interrupted import has left to delete, as far as they are not stored yet.
  private var leftovers: LeftoverEntry

  /// The last object, the field of its last list, and the number of the list's segments.
  private var last: ObjectID?
  private var list: (field: Int, segments: UInt64)?
  private var pending: [ObjectID] = []

  init(
    _ writing: WriteView, _ tables: Tables, _ lists: ListShape, leftoversOf number: UInt64
  ) throws {
    (self.writing, self.tables, self.lists) = (writing, tables, lists)
    records = try writing.unsafeCursor(tables.records)
    numbers = NumberChanges(writing, tables)
    inverse = try InverseBlocks(writing.view, tables)
    leftovers = LeftoverEntry(importNumber: number, commit: 1, objects: [])
  }

  /// The number of changes of a kind that are kept in memory, so that neighbours are written together.
  private static let (numbersAtOnce, leftoversAtOnce, referencesAtOnce) = (4096, 1000, 1 << 16)

  var mostValueBytes: Int { StoreLimitError.valueBytes }

  func refusal(ofKey key: Field) -> String? { KeyLimit.reason(key.slot) }

  func id(_ number: UInt64, of entity: Int) -> ObjectID {
    ObjectNumber.make(entity: UInt16(entity), serial: number)
  }

  func begin(_ header: DumpHeader) throws {
    layout = StoreLayout(header)
    changes = header.changes.map {
      .init(kind: $0.kind, entity: $0.entity, field: $0.field, target: $0.target)
    }
  }

  func insert(_ object: DumpedObject, _ row: Row) throws -> Bool {
    try endList()
    last = object.id
    var used = row.count
    while used > 0, row[used - 1].isMissing { used -= 1 }
    encoder.begin(object.id, fieldCount: used)
    for field in 0..<used where !row[field].isMissing {
      if field == object.keyField {
        encoder.appendKey(field: field)
      } else {
        encoder.append(row[field].slot, field: field)
      }
    }
    if let keyField = object.keyField {
      key.setRecord(entity: UInt16(object.entity), key: row[keyField].slot)
    } else {
      key.setRecord(keyless: object.id)
    }
    encoder.seal(key.bytes)
    guard try records.insert(key.bytes, encoder.value) else { return false }
    numbers.set(object.id, key.bytes)
    if numbers.count >= Self.numbersAtOnce { try numbers.write() }
    for field in 0..<used {
      if let target = row[field].target { try putInverse(target, field, object.id) }
    }
    layout.entities[object.entity].counts.objects += 1
    if let keyField = object.keyField {
      layout.entities[object.entity].recordKey(keyField)
      layout.entities[object.entity].counts.keyed += 1
    }
    if let leftover = object.leftover {
      leftovers.objects.append(
        .init(id: object.id, isOwned: leftover.isOwned, deletesShared: leftover.deletesShared))
      if leftovers.objects.count == Self.leftoversAtOnce { try putLeftovers() }
    }
    return true
  }

  func firstFault() throws -> DumpFault? {
    try endList()
    try putLeftovers()
    try numbers.write()
    try inverse.write()
    // Both tables are sorted by object number.
    var finder = KeyFinder(writing.view, tables)
    var known: ObjectID?
    var fault: DumpFault?
    try inverse.cursor.forEach { entry in
      guard fault == nil, entry.target != known else { return }
      known = entry.target
      guard try !finder.exists(entry.target) else { return }
      fault = .missingTarget(
        field: Int(entry.field), owner: ObjectNumber.serial(entry.owner),
        of: Int(ObjectNumber.entity(entry.owner)), target: ObjectNumber.serial(entry.target))
    }
    return fault
  }

  func finish() throws {
    let indexes = IndexWriter([], writing.view, tables)
    layout.indexes = try indexes.finish(layout.indexes)
    try indexes.refuseDuplicates(in: layout)
    if changes.isEmpty {
      try layout.write(writing, tables, since: StoreLayout())
    } else {
      try layout.write(writing, tables, changes: changes)
    }
  }

  private func putLeftovers() throws {
    guard !leftovers.objects.isEmpty else { return }
    try leftovers.put(writing, tables)
    leftovers.commit += 1
    leftovers.objects.removeAll(keepingCapacity: true)
  }

  // MARK: Lists

  func append(_ target: ObjectID, to field: Int) throws {
    guard let last else { return }
    if list?.field != field {
      try endList()
      list = (field, 0)
    }
    if pending.count == lists.perSegment { try putSegment() }
    pending.append(target)
    try putInverse(target, field, last)
  }

  private func endList() throws {
    if !pending.isEmpty { try putSegment() }
    list = nil
  }

  private func putSegment() throws {
    guard let list, let last else { return }
    self.list?.segments += 1
    key.setLink(
      owner: last, field: UInt16(list.field),
      position: ListShape.first + list.segments * min(lists.step, 1 << 32))
    var value = [UInt64](repeating: 0, count: pending.count)
    for (index, target) in pending.enumerated() { value[index] = target.rawValue.littleEndian }
    try value.withUnsafeBytes { targets in
      let crc = Checksum.make(.links, key.bytes, targets)
      let sealed = withUnsafeBytes(of: crc.littleEndian) { Array($0) } + targets
      try sealed.withUnsafeBytes { try writing.put(tables.links, key.bytes, $0) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// A target that occurs twice in a list has one entry.
  private func putInverse(_ target: ObjectID, _ field: Int, _ owner: ObjectID) throws {
    inverse.add(InverseEntry(target: target, field: UInt16(field), owner: owner))
    if inverse.pendingCount == Self.referencesAtOnce { try inverse.write() }
  }
}
