internal import CFastMap
internal import FastMapStoreKit
import FastMapSystem

extension Migrator {
  /// Rewrites the records of an entity with converted values of one attribute.
  ///
  /// - Returns: The objects whose values do not fit, if the conversion goes on after the first. The transaction must be discarded
  ///   if there are any.
  @discardableResult
  mutating func convert(
    _ field: Int, of entity: Int, _ conversion: Migration.Conversion, findsMisfits: Bool = false
  ) throws -> AttributeConversion.Misfits {
    let stored = layout.entities[entity].fields[field].kind
    guard case .attribute(let kind) = stored else {
      throw Refusal(detail: "expected an attribute, found \(layout.noun(of: stored))")
    }
    if conversion.isBuiltIn, kind == conversion.kind { return .init() }
    let index = layout.indexes.first { index in
      Int(index.entity) == entity && index.parts.contains { Int($0.field) == field }
    }
    if let index, conversion.kind == .json {
      throw Refusal(
        detail:
          "in the index \(quoted(index.name(in: layout))), which has no order for json; drop the index first"
      )
    }
    converted.insert(UInt16(entity))
    var pass = RecordPass(self, entity, field)
    pass.findsMisfits = findsMisfits
    try pass.rewrite(conversion)
    layout.entities[entity].fields[field].kind = .attribute(conversion.kind)

    let counts = layout.entities[entity].counts
    if counts.keyed == 0 { layout.entities[entity].keyKind = nil }
    guard pass.keyedCount > 0 else { return pass.misfits }
    guard pass.keyedCount == counts.keyed else {
      throw Refusal(
        detail: "the primary key of some objects; other objects of the entity have another primary key")
    }
    layout.entities[entity].keyKind = conversion.kind
    try pass.moveRecords()
    return pass.misfits
  }

  mutating func rebuildIndexes() throws {
    let stays = layout.indexes.filter { !converted.contains($0.entity) }
    if stays.count == layout.indexes.count { return }
    let writer = IndexWriter(stays, writing.view, tables)
    for index in layout.indexes where converted.contains(index.entity) { try writer.remove(index) }
    layout.indexes = try writer.finish(layout.indexes)
    try writer.refuseDuplicates(in: layout)
  }
}

/// Iterates over the records of one entity, in the order of their keys.
///
/// A record whose key changes moves twice, because its new key may be the old one of another record. First it moves to a
/// temporary key, which no commit contains. Once all have left their places, it moves to its new key.
private struct RecordPass {
  private let writing: WriteView
  private let reader: LMDBReader
  private let entity: UInt16
  private let field: Int
  /// The number of objects whose primary key is the field.
  private(set) var keyedCount: UInt64 = 0
  /// Whether a value that does not fit is counted, and does not end the conversion.
  var findsMisfits = false
  private(set) var misfits = AttributeConversion.Misfits()

  init(_ changer: Migrator, _ entity: Int, _ field: Int) {
    writing = changer.writing
    reader = LMDBReader(
      view: changer.writing.view, tables: changer.tables, layout: changer.layout, lists: changer.lists)
    self.entity = UInt16(entity)
    self.field = field
  }

  private typealias Refusal = Migrator.Refusal

  /// Calls `body` with every record whose key has one of the kinds. `body` may change or delete the current record.
  private func forEach(
    _ kinds: ClosedRange<UInt8>, _ body: (borrowing Cursor, Cursor.Entry) throws -> Void
  ) throws {
    let cursor = try writing.unsafeCursor(reader.tables.records)
    var key = KeyBytes()
    key.setRecords(of: entity, kind: kinds.lowerBound)
    var entry = try cursor.seek(atLeast: key.bytes)
    while let found = entry, found.key.count >= 3, RecordKey(found.key).entity == entity,
      kinds.contains(found.key[2])
    {
      key.set(found.key)
      try body(cursor, found)
      entry = try cursor.seek(atLeast: key.bytes)
      if let same = entry, same.key.equals(key.bytes) { entry = try cursor.next() }
    }
  }

  // MARK: Values

  mutating func rewrite(_ conversion: Migration.Conversion) throws {
    var encoder = RecordEncoder()
    var buffer = RowBuffer()
    var keyedCount: UInt64 = 0
    var misfits = misfits
    var key = KeyBytes()
    try forEach(0...KeyKind.none) { cursor, found in
      let record = try RecordView(found, in: writing.view)
      let isKey = record.keyField == field
      if isKey { keyedCount += 1 }
      guard let old = record.slot(field)?.value else { return }
      buffer.reset(count: 1)
      do { buffer.set(try convert(old, conversion), at: 0) } catch {
        if findsMisfits { return misfits.add(PrimaryKey(slot: record.key.slot)) }
        throw Refusal(detail: "\(record.key.noun): \((error as? Refusal)?.detail ?? "\(error)")")
      }
      let slot = buffer.slots[0]
      guard slot.tag != FASTMAP_MISSING else { throw reader.environment.error(.io(errno: ENOMEM)) }
      if isKey {
        guard conversion.kind == .integer || conversion.kind == .string else {
          throw Refusal(detail: "a primary key must be an integer or a string")
        }
        if let reason = Self.reasonAgainstKey(slot) {
          throw Refusal(detail: "\(record.key.noun): \(reason)")
        }
        key.setRecord(entity: entity, key: slot)
        if !key.bytes.equals(found.key) { try set(aside: found, at: &key, cursor) }
        return
      }
      encoder.begin(record.id, fieldCount: record.fieldCount)
      let isWhole = record.forEach { other, tag, value in
        if other == field {
          encoder.append(slot, field: other)
        } else {
          encoder.append(tag, value, field: other)
        }
        return true
      }
      guard isWhole else { throw reader.damagedRecord(record.id) }
      encoder.trim(fieldCount: record.fieldCount)
      if encoder.record.equals(record.bytes) { return }
      key.set(found.key)
      encoder.seal(key.bytes)
      try cursor.put(key.bytes, encoder.value)
    }
    self.keyedCount = keyedCount
    self.misfits = misfits
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

  // MARK: Keys

  /// The kinds of temporary keys, in place of the kinds for integers and strings.
  private static let aside = (from: KeyKind.integer + 0xFC, to: KeyKind.string + 0xFC)

  /// Moves a record to a temporary key, which has the kind changed.
  ///
  /// - Parameter key: Its new key.
  private func set(aside found: Cursor.Entry, at key: inout KeyBytes, _ cursor: borrowing Cursor) throws {
    let value = Array(found.value)
    try cursor.delete()
    let words = Self.words(key)
    key.setKind(key.bytes[2] + 0xFC)
    let isFree = try value.withUnsafeBytes { try writing.insert(reader.tables.records, key.bytes, $0) }
    guard isFree else { throw twice(words) }
  }

  private static func words(_ key: borrowing KeyBytes) -> String {
    PrimaryKey(slot: RecordKey(key.bytes).slot).map { "\($0)" } ?? ""
  }

  private func twice(_ words: String) -> Refusal {
    Refusal(detail: "two objects would have the key \(words)")
  }

  /// Moves the records from their temporary keys to the new ones.
  func moveRecords() throws {
    var numbers = NumberChanges(writing, reader.tables)
    var key = KeyBytes()
    try forEach(Self.aside.from...Self.aside.to) { cursor, found in
      var value = Array(found.value)
      key.set(found.key)
      key.setKind(found.key[2] - 0xFC)
      try cursor.delete()
      try value.withUnsafeMutableBytes { value in
        let rest = UnsafeRawBufferPointer(rebasing: value[Checksum.size...])
        value.storeBytes(of: Checksum.make(.records, key.bytes, rest).littleEndian, as: UInt32.self)
        guard let record = RecordView(key.bytes, rest) else {
          throw Checksum.damaged(.records, key.bytes, "not a record", reader.environment)
        }
        guard try writing.insert(reader.tables.records, key.bytes, UnsafeRawBufferPointer(value)) else {
          throw twice(Self.words(key))
        }
        numbers.set(record.id, key.bytes)
      }
      if numbers.count >= 4096 { try numbers.write() }
    }
    try numbers.write()
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
    case .decimal: .decimal
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
    case .decimal(let value): value.text.utf8.count
    case .null, .boolean, .integer, .unsigned, .number, .date: 0
    }
  }
}
