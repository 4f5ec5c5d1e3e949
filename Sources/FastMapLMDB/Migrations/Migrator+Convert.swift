internal import CFastMap
internal import FastMapCore
import FastMapSystem

extension Migrator {
  /// Rewrites the records of an entity with converted values of one attribute.
  mutating func convert(_ field: Int, of entity: Int, _ conversion: Migration.Conversion) throws {
    let stored = layout.entities[entity].fields[field].kind
    guard case .attribute(let kind) = stored else {
      throw Refusal(detail: "it is \(layout.noun(of: stored)), not an attribute")
    }
    if conversion.isBuiltIn, kind == conversion.kind { return }
    var pass = RecordPass(self, entity, field)
    try pass.rewrite(conversion)
    layout.entities[entity].fields[field].kind = .attribute(conversion.kind)

    let counts = layout.entities[entity].counts
    if counts.keyed == 0 { layout.entities[entity].keyKind = nil }
    guard pass.keyedCount > 0 else { return }
    guard conversion.kind == .integer || conversion.kind == .string else {
      throw Refusal(detail: "it is the primary key, which must be an integer or a string")
    }
    guard pass.keyedCount == counts.keyed else {
      throw Refusal(
        detail: "it is the primary key of some objects, but other objects of the entity have a different one")
    }
    layout.entities[entity].keyKind = conversion.kind
    try pass.rebuildIndex()
  }
}

/// Iterates over the records of one entity, in the order of their numbers.
private struct RecordPass {
  private let writing: WriteView
  private let reader: LMDBReader
  private let entity: UInt16
  private let field: Int
  /// The number of objects whose primary key is the field.
  private(set) var keyedCount: UInt64 = 0

  init(_ changer: Migrator, _ entity: Int, _ field: Int) {
    writing = changer.writing
    reader = LMDBReader(
      view: changer.writing.view, tables: changer.tables, layout: changer.layout, lists: changer.lists)
    self.entity = UInt16(entity)
    self.field = field
  }

  private typealias Refusal = Migrator.Refusal

  /// Calls `body` with every record. `body` may change the current record.
  private func forEach(_ body: (borrowing Cursor, Cursor.Entry, RecordView) throws -> Void) throws {
    let cursor = try writing.unsafeCursor(reader.tables.records)
    var start = KeyBytes()
    start.setRecord(ObjectNumber.make(entity: entity, serial: 0))
    var entry = try cursor.seek(atLeast: start.bytes)
    while let found = entry, found.key.count == 8, found.key.bigEndian(at: 0, as: UInt16.self) == entity {
      try body(cursor, found, try reader.record(found.key, found.value))
      entry = try cursor.next()
    }
  }

  // MARK: Values

  mutating func rewrite(_ conversion: Migration.Conversion) throws {
    var encoder = RecordEncoder()
    var buffer = RowBuffer()
    var keyedCount: UInt64 = 0
    try forEach { cursor, found, record in
      let isKey = record.keyField.map(Int.init) == field
      if isKey { keyedCount += 1 }
      guard let old = record.slot(field)?.value else { return }
      buffer.reset(count: 1)
      do { buffer.set(try convert(old, conversion), at: 0) } catch {
        throw Refusal(detail: "\(place(of: record, found.key)): \((error as? Refusal)?.detail ?? "\(error)")")
      }
      let slot = buffer.slots[0]
      guard slot.tag != FASTMAP_MISSING else { throw reader.environment.error(.io(errno: ENOMEM)) }
      if isKey, let reason = Self.reasonAgainstKey(slot) {
        throw Refusal(detail: "\(place(of: record, found.key)): \(reason)")
      }
      encoder.begin(keyField: record.keyField, fieldCount: record.fieldCount)
      let isWhole = record.forEach { other, tag, value in
        if other == field {
          encoder.append(slot, field: other)
        } else {
          encoder.append(tag, value, field: other)
        }
        return true
      }
      guard isWhole else { throw reader.damagedRecord(found.key.id(inKeyAt: 0)) }
      encoder.trim(fieldCount: record.fieldCount)
      if encoder.record.equals(record.bytes) { return }
      var key = KeyBytes()
      key.setRecord(found.key.id(inKeyAt: 0))
      encoder.seal(key.bytes)
      try cursor.put(key.bytes, encoder.value)
    }
    self.keyedCount = keyedCount
  }

  private func convert(_ old: Value, _ conversion: Migration.Conversion) throws -> Value {
    guard let new = try conversion.convert(old), new != .null else { return .null }
    guard new.fits(conversion.kind) else {
      throw Refusal(detail: "expected \(conversion.kind.noun), the conversion returned \(new.noun)")
    }
    guard new.byteCount <= StoreLimitError.valueBytes else {
      throw Refusal(
        detail:
          "the new value has \(new.byteCount) bytes, a store holds values of at most \(StoreLimitError.valueBytes)"
      )
    }
    return new
  }

  private static func reasonAgainstKey(_ slot: fastmap_slot) -> String? {
    switch Int(slot.tag) {
    case FASTMAP_NULL: "the primary key would be null"
    case FASTMAP_UNSIGNED: "a primary key must be a signed 64-bit integer"
    default: KeyLimit.reason(slot)
    }
  }

  /// The object for a message: `the object with the key 7`
  private func place(of record: RecordView, _ key: UnsafeRawBufferPointer) -> String {
    if let field = record.keyField, let slot = record.slot(Int(field)), let key = PrimaryKey(slot: slot) {
      return "the object with the key \(key)"
    }
    return "object \(ObjectNumber.serial(key.id(inKeyAt: 0)))"
  }

  // MARK: Keys

  /// Rebuilds the index of the entity after all old keys are removed, because a new key may equal an old one.
  func rebuildIndex() throws {
    try removeIndex()
    var key = KeyBytes()
    var value = SealedNumber()
    try forEach { _, found, record in
      guard let slot = record.slot(field) else { throw Refusal(detail: "a primary key is missing") }
      let id = found.key.id(inKeyAt: 0)
      key.setIndex(entity: entity, key: slot)
      value.seal(id, .index, key.bytes)
      guard try writing.insert(reader.tables.index, key.bytes, value.bytes) else {
        let words = PrimaryKey(slot: slot).map { "\($0)" } ?? ""
        throw Refusal(detail: "two objects would have the key \(words)")
      }
    }
  }

  private func removeIndex() throws {
    let cursor = try writing.unsafeCursor(reader.tables.index)
    var prefix = KeyBytes()
    prefix.setIndex(entity: entity)
    while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes) {
      try cursor.delete()
    }
  }
}

extension Value {
  /// The stored kind; nil for null.
  fileprivate var kind: AttributeKind? {
    switch self {
    case .null: nil
    case .boolean: .boolean
    case .integer, .unsigned: .integer
    case .number: .number
    case .string: .string
    case .date: .date
    case .data: .data
    case .json: .json
    }
  }

  fileprivate func fits(_ kind: AttributeKind) -> Bool { self.kind == kind }

  fileprivate var noun: String { kind?.noun ?? "null" }

  fileprivate var byteCount: Int {
    switch self {
    case .string(let text), .json(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .null, .boolean, .integer, .unsigned, .number, .date: 0
    }
  }
}
