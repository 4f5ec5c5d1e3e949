internal import CFastMap
internal import FastMapCore

/// Keeps the secondary indexes of a store up to date in one write.
///
/// Changes are collected and written in sorted batches: when they take much memory, before an index is read, and before
/// the commit.
final class IndexWriter {
  /// One index, and its changes.
  final class Member {
    var layout: IndexLayout
    let blocks: IndexBlocks

    init(_ layout: IndexLayout) {
      self.layout = layout
      blocks = IndexBlocks(layout)
      if layout.isUnique { blocks.unique = layout }
    }
  }

  let view: TransactionView
  let tables: Tables
  private(set) var members: [Member] = []
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
  ///
  /// - Parameter onProgress: Called now and then with the number of objects since the last call.
  func finish(
    _ all: [IndexLayout], _ onProgress: (_ objects: Int) throws -> Void = { _ in }
  ) throws -> [IndexLayout] {
    try write()
    return try all.map { index in
      guard let member = members.first(where: { $0.layout.number == index.number }) else {
        return try build(index, onProgress)
      }
      if index.isUnique, !member.layout.isUnique { try becomeUnique(member, onProgress) }
      return member.layout
    }
  }

  /// Whether an index has the entries of all objects already.
  func keeps(_ index: IndexLayout) -> Bool { members.contains { $0.layout.number == index.number } }

  /// Whether an index is unique already, in all its entries.
  func isUnique(_ index: IndexLayout) -> Bool {
    members.contains { $0.layout.number == index.number && $0.layout.isUnique }
  }

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
    }
    try writeFull(id)
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
    }
    try writeFull(id)
  }

  /// Writes the indexes of an object that have collected much. A write may move the records, so it comes last.
  @inline(__always)
  private func writeFull(_ id: ObjectID) throws {
    for place in places[Int(ObjectNumber.entity(id))] { try writeIfFull(members[place]) }
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
  private func build(_ index: IndexLayout, _ onProgress: (Int) throws -> Void) throws -> IndexLayout {
    var index = index
    index.entries = 0
    append(index)
    let member = members[members.count - 1]
    let cursor = try view.unsafeCursor(tables.records)
    var prefix = KeyBytes()
    prefix.setRecords(of: index.entity)
    var count = 0
    var entry = try cursor.seek(atLeast: prefix.bytes)
    while let found = entry, found.key.starts(with: prefix.bytes) {
      let record = try RecordView(found, in: view)
      new.encode(index, record.id, found.key) { record.slot($0) ?? fastmap_slot() }
      member.blocks.add(new)
      try writeIfFull(member)
      count += 1
      if count % Self.progressStep == 0 { try onProgress(Self.progressStep) }
      entry = try cursor.next()
    }
    try write(member)
    try onProgress(count % Self.progressStep)
    return member.layout
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
