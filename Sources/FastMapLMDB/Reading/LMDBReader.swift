internal import CFastMap
public import FastMapCore

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
  /// The store's cache, for a snapshot; nil in a write, which changes the layouts.
  private let layouts: LayoutCache?

  var environment: Environment { view.environment }

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
    let (view, index) = (view, tables.index)
    return try key.withSlot { slot throws -> ObjectID? in
      guard KeyLimit.reason(slot.pointee) == nil else { return nil }
      return try KeyBytes.withIndex(entity: number, key: slot.pointee) { key in
        guard let value = try view.get(index, key) else { return nil }
        return try Self.id(key, value, in: view)
      }
    }
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
    let isWhole = record.forEach { field, tag, value in
      let place = field < bound.schemaFields.count ? bound.schemaFields[field] : -1
      if place >= 0 { buffer.setBorrowed(RecordFormat.slot(tag, value), at: place) }
      return true
    }
    guard isWhole else { throw damagedRecord(id) }
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
  func record(_ id: ObjectID, of entity: Int) throws -> RecordView? {
    isNumber(id, of: entity) ? try record(id) : nil
  }

  /// The verified record of an object; nil if there is none.
  @inline(__always)
  func record(_ id: ObjectID) throws -> RecordView? {
    var key = id.rawValue.bigEndian
    let (view, records) = (view, tables.records)
    return try withUnsafeBytes(of: &key) { key in
      guard let value = try view.get(records, key) else { return nil }
      return try Self.record(key, value, in: view)
    }
  }

  @inline(__always)
  func record(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> RecordView {
    try Self.record(key, value, in: view)
  }

  @inline(__always)
  private static func record(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in view: TransactionView
  ) throws -> RecordView {
    let bytes = try Checksum.open(.records, key, value, in: view)
    guard let record = RecordView(bytes) else {
      throw Checksum.damaged(.records, key, "not a record", view.environment)
    }
    return record
  }

  /// The object of an entry of the index.
  @inline(__always)
  func id(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> ObjectID {
    try Self.id(key, value, in: view)
  }

  @inline(__always)
  private static func id(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in view: TransactionView
  ) throws -> ObjectID {
    let bytes = try Checksum.open(.index, key, value, in: view)
    guard bytes.count == 8 else { throw Checksum.damaged(.index, key, "not an object", view.environment) }
    return bytes.id(inValueAt: 0)
  }

  /// The targets of a to-many relationship.
  func links(of owner: ObjectID, field: UInt16, _ cursor: borrowing Cursor) throws -> [ObjectID] {
    try list(of: owner, field: field, cursor).targets
  }

  /// The list of a to-many relationship with its segments.
  func list(of owner: ObjectID, field: UInt16, _ cursor: borrowing Cursor) throws -> StoredList {
    var prefix = KeyBytes()
    prefix.setLink(owner: owner, field: field)
    var list = StoredList()
    var entry = try cursor.seek(atLeast: prefix.bytes)
    while let found = entry, found.key.starts(with: prefix.bytes) {
      let segment = try segment(found.key, found.value)
      list.append(segment.bytes, at: segment.position)
      entry = try cursor.next()
    }
    return list
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
    var key = id.rawValue.bigEndian
    return withUnsafeBytes(of: &key) { Checksum.damaged(.records, $0, "a field is not whole", environment) }
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
