internal import CFastMap
public import FastMapStoreKit

/// One snapshot of an ``LMDBStore``.
///
///     let count = try store.read(plan.schema) { try $0.count(of: 0) }
///
/// - Note: Valid only in the closure that receives it.
public struct LMDBReader: StoreReader {
  let view: TransactionView
  let tables: Tables
  private(set) var binding: Binding
  var layout: StoreLayout
  /// Notes for the user about fields that a write has added.
  private(set) var notes: [String] = []
  let lists: ListShape
  /// The changes of a write to indexes; nil in a snapshot.
  var indexes: IndexWriter?
  /// The store's cache, for a snapshot; nil in a write, which changes the layouts.
  private let layouts: LayoutCache?
  /// The records that a snapshot met last. Asking for them by number needs no search.
  private var met = Met()

  private struct Met {
    /// The last record.
    var record: RecordView?
    /// The last set of records that was handed out, and the place of the record expected next.
    var page: [RecordView] = []
    var place = 0
    /// The last chunk of numbers, verified.
    var number = UInt64.max
    var chunk = NumberChunk()
    /// The last cursor of an index.
    var cursor: KeptCursor?
  }

  var environment: Environment { view.environment }

  /// Whether records may change while it reads.
  var isWriting: Bool { layouts == nil }

  /// By default, it knows no entity: it reads entries by the store's own numbers.
  init(
    view: TransactionView, tables: Tables,
    binding: Binding = Binding(schema: Schema(entities: []), entities: []), layout: StoreLayout,
    lists: ListShape,
    _ layouts: LayoutCache? = nil, notes: [String] = []
  ) {
    self.view = view
    self.tables = tables
    self.binding = binding
    self.layout = layout
    self.lists = lists
    self.layouts = layouts
    self.notes = notes
  }

  public mutating func use(_ schema: Schema) throws {
    if schema.isIdentical(to: binding.schema) { return }
    if let layouts {
      binding = try layouts.binding(schema, in: layout, of: view.id)
    } else {
      try extend(to: schema)
    }
  }

  /// Adds entities and fields that the store does not have yet.
  private mutating func extend(to schema: Schema) throws {
    var extended = layout
    binding = try extended.extend(to: schema, environment)
    notes += layout.undeclaredRenames(in: extended, binding)
    layout = extended
  }

  public mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    guard let number = binding.entities[entity].number else { return nil }
    let (view, records) = (view, tables.records)
    let found = try key.withSlot { slot throws -> RecordView? in
      guard KeyLimit.reason(slot.pointee) == nil else { return nil }
      return try KeyBytes.withRecord(entity: number, key: slot.pointee) { key in
        try view.entry(records, key).map { try RecordView($0, in: view) }
      }
    }
    if let found { remember(found) }
    return found?.id
  }

  public mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    let bound = binding.entities[entity]
    guard let record = try record(id, of: entity) else {
      buffer.reset(count: bound.fields.count)
      return false
    }
    try fill(&buffer, from: record, of: id, bound)
    return true
  }

  /// Fills a row with values that borrow the bytes of a record.
  @inline(__always)
  func fill(
    _ buffer: inout RowBuffer, from record: RecordView, of id: ObjectID, _ bound: Binding.Entity
  ) throws {
    buffer.reset(count: bound.fields.count)
    let slots = buffer.slots
    let isWhole = bound.schemaFields.withUnsafeBufferPointer { record.decode(into: slots, $0) }
    guard isWhole else { throw damagedRecord(id) }
    if bound.defaults.isEmpty { return }
    for (field, value) in bound.defaults { slots[field] = value.slot }
  }

  public mutating func count(of entity: Int) throws -> Int {
    guard let number = binding.entities[entity].number else { return 0 }
    return Int(layout.entities[Int(number)].counts.objects)
  }

  // MARK: Parts

  /// Whether a number belongs to an entity. Otherwise the record of another entity would be read as one of this.
  @inline(__always)
  func isNumber(_ id: ObjectID, of entity: Int) -> Bool {
    binding.entities[entity].number == ObjectNumber.entity(id)
  }

  /// The verified record of an object of an entity; nil if there is none.
  @inline(__always)
  mutating func record(_ id: ObjectID, of entity: Int) throws -> RecordView? {
    guard isNumber(id, of: entity) else { return nil }
    if let record = met.record, record.id == id { return record }
    if isWriting { return try record(id) }
    let record: RecordView?
    if met.place < met.page.count, met.page[met.place].id == id {
      record = met.page[met.place]
      met.place += 1
    } else {
      if met.number != id.rawValue >> NumberChunk.bits {
        met.chunk = try chunk(of: id)
        met.number = id.rawValue >> NumberChunk.bits
      }
      record = try self.record(id, in: met.chunk)
    }
    if let record { met.record = record }
    return record
  }

  /// The verified record of an object; nil if there is none.
  func record(_ id: ObjectID) throws -> RecordView? { try record(id, in: chunk(of: id)) }

  /// The verified chunk of an object's number.
  private func chunk(of id: ObjectID) throws -> NumberChunk {
    var place = (id.rawValue >> NumberChunk.bits).bigEndian
    return try withUnsafeBytes(of: &place) { place in
      guard let value = try view.get(tables.numbers, place) else { return NumberChunk() }
      return try NumberChunk(place, value, in: view)
    }
  }

  @inline(__always)
  private func record(_ id: ObjectID, in chunk: NumberChunk) throws -> RecordView? {
    guard chunk.has(id) else { return nil }
    return try withUnsafeTemporaryAllocation(byteCount: KeyBytes.capacity, alignment: 8) { memory in
      guard let start = memory.baseAddress, let count = chunk.writeKey(of: id, to: start) else {
        throw NumberChunk.damaged(id, "a key is not whole", environment)
      }
      let key = UnsafeRawBufferPointer(start: start, count: count)
      return try record(id, at: key, try view.entry(tables.records, key))
    }
  }

  /// The verified record that a chunk of numbers names.
  @inline(__always)
  func record(_ id: ObjectID, at key: UnsafeRawBufferPointer, _ entry: Cursor.Entry?) throws -> RecordView {
    guard let entry else { throw Checksum.damaged(.records, key, "the record is missing", environment) }
    let record = try RecordView(entry, in: view)
    guard record.id == id else {
      throw Checksum.damaged(.records, key, "the record belongs to another object", environment)
    }
    return record
  }

  // MARK: Remembered records

  var keptCursor: KeptCursor? {
    get { met.cursor }
    set { met.cursor = newValue }
  }

  @inline(__always)
  mutating func remember(_ record: RecordView) {
    if !isWriting { met.record = record }
  }

  mutating func remember(_ records: [RecordView]) {
    if !isWriting { (met.page, met.place) = (records, 0) }
  }

  /// The records of objects, if they lie close together in the last page, and in its order. The search starts after
  /// the record that was asked for last, and then at the start of the page.
  mutating func remembered(_ ids: [ObjectID]) -> [RecordView]? {
    if met.page.count < ids.count { return nil }
    return remembered(ids, from: met.place) ?? (met.place > 0 ? remembered(ids, from: 0) : nil)
  }

  private mutating func remembered(_ ids: [ObjectID], from start: Int) -> [RecordView]? {
    var place = start
    var found: [RecordView] = []
    for id in ids {
      let end = min(met.page.count, place + Self.mostSkipped)
      while place < end, met.page[place].id != id { place += 1 }
      if place == end { return nil }
      if found.isEmpty { found.reserveCapacity(ids.count) }
      found.append(met.page[place])
    }
    met.place = place + 1
    return found
  }

  /// The number of remembered records that are passed over for the next one. So a miss costs little.
  private static let mostSkipped = 16

  /// The targets of a to-many relationship.
  func links(of owner: ObjectID, field: UInt16, _ cursor: borrowing Cursor) throws -> [ObjectID] {
    try list(of: owner, field: field, cursor).targets
  }

  /// The list of a to-many relationship with its segments.
  func list(of owner: ObjectID, field: UInt16, _ cursor: borrowing Cursor) throws -> StoredList {
    try KeyBytes.withLink(owner: owner.rawValue, field: field) { prefix in
      var list = StoredList()
      var entry = try cursor.seek(atLeast: prefix)
      while let found = entry, found.key.starts(with: prefix) {
        let segment = try segment(found.key, found.value)
        list.append(segment.bytes, at: segment.position)
        entry = try cursor.next()
      }
      return list
    }
  }

  /// A verified segment of a list.
  func segment(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws -> (position: UInt64, bytes: UnsafeRawBufferPointer) {
    let bytes = try Checksum.open(.links, key, value, in: view)
    guard key.count == 18, bytes.count % 8 == 0 else {
      throw Checksum.damaged(.links, key, "not a list of objects", environment)
    }
    return (key.bigEndian(at: 10, as: UInt64.self), bytes)
  }

  func damagedRecord(_ id: ObjectID) -> LMDBError {
    let place = "records, object \(ObjectNumber.serial(id)) of entity \(ObjectNumber.entity(id))"
    return environment.error(.damaged(place: place, detail: "a field is not whole"))
  }
}

/// The maximum length of a key.
enum KeyLimit {
  /// LMDB's 511 bytes, minus the entity and the kind.
  static let stringBytes = 511 - 3

  /// The reason why a key cannot be stored; nil if it can.
  static func reason(_ key: borrowing fastmap_slot) -> String? {
    guard key.tag == FASTMAP_STRING, Int(key.length) > stringBytes else { return nil }
    return "expected a key of at most \(stringBytes) bytes, found one of \(key.length) bytes"
  }
}
