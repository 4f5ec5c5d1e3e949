internal import CFastMap
internal import FastMapStoreKit

/// Keeps the secondary indexes of a store up to date in one write.
///
/// Changes are collected and written in sorted batches: when they take much memory, before an index is read, and before
/// the commit.
final class IndexWriter {
  /// One index, and its changes.
  final class Member {
    @exclusivity(unchecked) var layout: IndexLayout
    let blocks: IndexBlocks
    /// Whether the store does not know the index yet. Its entity had no objects, so its entries are written as usual.
    var isNew: Bool

    init(_ layout: IndexLayout, isNew: Bool) {
      self.layout = layout
      self.isNew = isNew
      blocks = IndexBlocks(layout)
      if layout.isUnique { blocks.unique = layout }
    }
  }

  private struct IndexedEntity {
    var members: [Member] = []
    /// Fields from here on are in no index.
    var fieldCount = 0
  }

  let view: TransactionView
  let tables: Tables
  // One write has them, on one thread. To check each access for others took as long as encoding an entry.
  @exclusivity(unchecked) private(set) var members: [Member] = []
  /// By the store's number of an entity, its indexes.
  @exclusivity(unchecked) private var entities: [IndexedEntity] = []
  @exclusivity(unchecked) private var old = IndexEntry()
  @exclusivity(unchecked) private var new = IndexEntry()
  @exclusivity(unchecked) private var oldSlots = IndexedSlots()
  @exclusivity(unchecked) private var newSlots = IndexedSlots()
  /// The changes since the last look at the memory of them all.
  @exclusivity(unchecked) private var changeCount = 0

  /// The bytes of changes to all indexes that are kept in memory.
  private static let mostPending = 24 << 20
  /// The changes between two looks at that.
  private static let changesAtOnce = 1024

  init(_ indexes: [IndexLayout], _ view: TransactionView, _ tables: Tables) {
    self.view = view
    self.tables = tables
    for index in indexes { append(index) }
  }

  /// Keeps the indexes of entities without objects that the store does not know yet. Others are built when the write ends.
  func begin(_ layout: StoreLayout) {
    for index in layout.indexes where member(index) == nil {
      if layout.entities[Int(index.entity)].counts.objects == 0 { append(index, isNew: true) }
    }
  }

  private func append(_ index: IndexLayout, isNew: Bool = false) {
    let member = Member(index, isNew: isNew)
    members.append(member)
    register(member)
  }

  private func register(_ member: Member) {
    let entity = Int(member.layout.entity)
    while entities.count <= entity { entities.append(IndexedEntity()) }
    entities[entity].members.append(member)
    for part in member.layout.parts {
      entities[entity].fieldCount = max(entities[entity].fieldCount, Int(part.field) + 1)
    }
  }

  private func member(_ index: IndexLayout) -> Member? {
    members.first { $0.layout.number == index.number }
  }

  /// The indexes with their counts, in the order of `all`. New indexes are built from the stored objects.
  ///
  /// - Parameter onProgress: Called now and then with the number of objects since the last call.
  func finish(
    _ all: [IndexLayout], _ onProgress: (_ objects: Int) throws -> Void = { _ in }
  ) throws -> [IndexLayout] {
    try write()
    let missing = all.filter { member($0) == nil }
    for entity in Set(missing.map(\.entity)).sorted() {
      try build(missing.filter { $0.entity == entity }, of: entity, onProgress)
    }
    return try all.compactMap { index in
      guard let member = member(index) else { return nil }
      if index.isUnique, !member.layout.isUnique { try becomeUnique(member, onProgress) }
      member.isNew = false
      return member.layout
    }
  }

  /// How often ``finish(_:_:)`` looks at each object of an entity for an index: once or never.
  func looks(for index: IndexLayout) -> Int {
    guard let member = member(index) else { return 1 }
    return index.isUnique && !member.layout.isUnique ? 1 : 0
  }

  /// Whether an index has the entries of all objects already.
  func keeps(_ index: IndexLayout) -> Bool { member(index)?.isNew == false }

  /// Whether an index is unique already, in all its entries.
  func isUnique(_ index: IndexLayout) -> Bool { member(index)?.layout.isUnique == true }

  @inline(__always)
  func hasIndexes(of entity: UInt16) -> Bool {
    Int(entity) < entities.count && !entities[Int(entity)].members.isEmpty
  }

  // MARK: Changes

  /// An object was inserted.
  ///
  /// - Parameter slot: The value of a field of the store.
  @inline(__always)
  func insert(_ id: ObjectID, _ key: UnsafeRawBufferPointer, _ slot: (Int) -> fastmap_slot) throws {
    let members = entities[Int(ObjectNumber.entity(id))].members
    for member in members {
      new.encode(member.layout, id, key, slot)
      member.blocks.add(new)
    }
    try writeIfFull(after: members.count)
  }

  /// An object is changed or deleted.
  ///
  /// - Parameter after: Its new record; nil if it is deleted.
  func change(_ before: RecordView, to after: RecordView?) throws {
    let (id, key) = (before.id, before.key.bytes)
    let entity = entities[Int(ObjectNumber.entity(id))]
    oldSlots.read(before, fieldCount: entity.fieldCount)
    if let after { newSlots.read(after, fieldCount: entity.fieldCount) }
    for member in entity.members {
      if after != nil {
        if newSlots.agree(with: oldSlots, in: member.layout) { continue }
        new.encode(member.layout, id, key) { newSlots[$0] }
      }
      old.encode(member.layout, id, key) { oldSlots[$0] }
      if after != nil {
        if new.bytes.equals(old.bytes) {
          if new.isCut { member.blocks.suspect(new) }
          continue
        }
        member.blocks.add(new)
      }
      member.blocks.remove(old)
    }
    try writeIfFull(after: entity.members.count)
  }

  /// Writes the changes when they take much memory. A write may move the records, so it comes last.
  ///
  /// - Parameter count: How many indexes the last change was about.
  @inline(__always)
  private func writeIfFull(after count: Int) throws {
    changeCount += count
    if changeCount >= Self.changesAtOnce {
      changeCount = 0
      if members.reduce(0, { $0 + $1.blocks.pendingBytes }) >= Self.mostPending { try write() }
    }
  }

  private func write(_ member: Member) throws {
    let growth = try member.blocks.write(view, tables)
    member.layout.entries = UInt64(max(0, Int(member.layout.entries) + growth))
  }

  /// Writes the collected entries. After an error midway, nothing of the transaction can be committed.
  func write() throws {
    try view.environment.whole {
      for member in members { try write(member) }
    }
  }

  // MARK: New indexes

  /// Removes all entries of an index, and forgets it.
  func remove(_ index: IndexLayout) throws {
    members.removeAll { $0.layout.number == index.number }
    entities = []
    for member in members { register(member) }
    var prefix = KeyBytes()
    prefix.setIndex(index.number, UnsafeRawBufferPointer(start: nil, count: 0))
    let cursor = try view.unsafeCursor(tables.index)
    while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes) {
      try cursor.delete()
    }
  }

  /// Adds indexes of an entity, and builds them from its stored objects. Each record is read once.
  private func build(
    _ indexes: [IndexLayout], of entity: UInt16, _ onProgress: (Int) throws -> Void
  ) throws {
    let known = members.count
    for var index in indexes {
      index.entries = 0
      append(index)
    }
    let added = members[known...]
    let fieldCount = entities[Int(entity)].fieldCount
    let cursor = try view.unsafeCursor(tables.records)
    var prefix = KeyBytes()
    prefix.setRecords(of: entity)
    var count = 0
    var entry = try cursor.seek(atLeast: prefix.bytes)
    while let found = entry, found.key.starts(with: prefix.bytes) {
      let record = try RecordView(found, in: view)
      newSlots.read(record, fieldCount: fieldCount)
      for member in added {
        new.encode(member.layout, record.id, found.key) { newSlots[$0] }
        member.blocks.add(new)
      }
      try writeIfFull(after: added.count)
      count += 1
      if count % Self.progressStep == 0 { try onProgress(Self.progressStep * indexes.count) }
      entry = try cursor.next()
    }
    for member in added { try write(member) }
    try onProgress(count % Self.progressStep * indexes.count)
  }

  /// Looks at all entries of an index that was not unique before.
  private func becomeUnique(_ member: Member, _ onProgress: (Int) throws -> Void) throws {
    member.layout.isUnique = true
    let index = member.layout
    member.blocks.unique = index
    var cursor = try IndexCursor(index, view, tables)
    var last: [UInt8] = []
    var count = 0
    var entry = try cursor.seek(atLeast: UnsafeRawBufferPointer(start: nil, count: 0))
    while let found = entry {
      let isRepeat = last.withUnsafeBytes { $0.equals(found.values) }
      if isRepeat, !found.lacksValue(index) { member.blocks.suspects.insert(last) }
      if !isRepeat {
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: found.values)
      }
      count += 1
      if count % Self.progressStep == 0 { try onProgress(Self.progressStep) }
      entry = try cursor.next()
    }
    try onProgress(count % Self.progressStep)
  }

  /// The objects between two reports of progress.
  private static let progressStep = 4096
}
