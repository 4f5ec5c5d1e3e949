internal import CFastMap
internal import FastMapCore

/// Keeps the secondary indexes of a store up to date in one write.
///
/// Changes are collected and written in sorted batches: when they take much memory, before an index is read, and before
/// the commit.
final class IndexWriter {
  /// One index, and its changes.
  private final class Member {
    var layout: IndexLayout
    let blocks: IndexBlocks

    init(_ layout: IndexLayout) {
      self.layout = layout
      blocks = IndexBlocks(layout)
    }
  }

  private let view: TransactionView
  private let tables: Tables
  private var members: [Member] = []
  /// By the store's number of an entity, the places of its indexes.
  private var places: [[Int]] = []
  private var old = IndexEntry()
  private var new = IndexEntry()

  /// The bytes of changes to one index that are kept in memory.
  private static let mostPending = 16 << 20

  init(_ indexes: [IndexLayout], _ view: TransactionView, _ tables: Tables) {
    self.view = view
    self.tables = tables
    for index in indexes { append(index) }
  }

  private func append(_ index: IndexLayout) {
    note(members.count, index)
    members.append(Member(index))
  }

  private func note(_ place: Int, _ index: IndexLayout) {
    while places.count <= Int(index.entity) { places.append([]) }
    places[Int(index.entity)].append(place)
  }

  /// The indexes with their counts, in the order of `all`. Those that are new are built from the stored objects.
  func finish(_ all: [IndexLayout]) throws -> [IndexLayout] {
    try write()
    return try all.map { index in
      if let member = members.first(where: { $0.layout.number == index.number }) {
        var layout = member.layout
        layout.isUnique = index.isUnique
        return layout
      }
      return try build(index)
    }
  }

  /// Whether an index has the entries of all objects already.
  func keeps(_ index: IndexLayout) -> Bool { members.contains { $0.layout.number == index.number } }

  @inline(__always)
  func hasIndexes(of entity: UInt16) -> Bool { Int(entity) < places.count && !places[Int(entity)].isEmpty }

  // MARK: Changes

  /// An object was inserted.
  ///
  /// - Parameter slot: The value of a field of the store.
  func insert(_ id: ObjectID, _ key: UnsafeRawBufferPointer, _ slot: (Int) -> fastmap_slot) throws {
    for place in places[Int(ObjectNumber.entity(id))] {
      new.encode(members[place].layout, id, key, slot)
      members[place].blocks.add(new)
      try writeIfFull(members[place])
    }
  }

  /// An object is changed or deleted.
  ///
  /// - Parameter after: Its new record; nil if it is deleted.
  func change(_ before: RecordView, to after: RecordView?) throws {
    let id = before.id
    for place in places[Int(ObjectNumber.entity(id))] {
      let member = members[place]
      old.encode(member.layout, id, before.key.bytes) { before.slot($0) ?? fastmap_slot() }
      if let after {
        new.encode(member.layout, id, before.key.bytes) { after.slot($0) ?? fastmap_slot() }
        if new.bytes.equals(old.bytes) { continue }
        member.blocks.add(new)
      }
      member.blocks.remove(old)
      try writeIfFull(member)
    }
  }

  private func writeIfFull(_ member: Member) throws {
    if member.blocks.pendingBytes >= Self.mostPending { try write(member) }
  }

  private func write(_ member: Member) throws {
    let growth = try member.blocks.write(view, tables)
    member.layout.entries = UInt64(max(0, Int(member.layout.entries) + growth))
  }

  /// Writes what was collected.
  func write() throws {
    for member in members { try write(member) }
  }

  // MARK: New indexes

  /// Removes all entries of an index, and forgets it.
  func remove(_ index: IndexLayout) throws {
    members.removeAll { $0.layout.number == index.number }
    places = []
    for (place, member) in members.enumerated() { note(place, member.layout) }
    var prefix = KeyBytes()
    prefix.setIndex(index.number, UnsafeRawBufferPointer(start: nil, count: 0))
    let cursor = try view.unsafeCursor(tables.index)
    while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes) {
      try cursor.delete()
    }
  }

  /// Adds an index and builds it from the stored objects.
  private func build(_ index: IndexLayout) throws -> IndexLayout {
    var index = index
    index.entries = 0
    append(index)
    let member = members[members.count - 1]
    let cursor = try view.unsafeCursor(tables.records)
    var prefix = KeyBytes()
    prefix.setRecords(of: index.entity)
    var entry = try cursor.seek(atLeast: prefix.bytes)
    while let found = entry, found.key.starts(with: prefix.bytes) {
      let record = try RecordView(found, in: view)
      new.encode(index, record.id, found.key) { record.slot($0) ?? fastmap_slot() }
      member.blocks.add(new)
      try writeIfFull(member)
      entry = try cursor.next()
    }
    try write(member)
    return member.layout
  }
}
