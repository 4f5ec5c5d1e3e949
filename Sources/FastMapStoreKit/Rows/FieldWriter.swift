package import CFastMap

/// Receives the value of one field. A value of another type writes itself: ``AttributeValue/write(to:)``.
///
///     func write(to field: inout FieldWriter) { text.write(to: &field) }
///
/// - Note: Lent for one call, and cannot be copied.
public struct FieldWriter: ~Copyable {
  private var slot: UnsafeMutablePointer<fastmap_slot>
  private var arena: UnsafeMutablePointer<fastmap_arena>
  /// Whether the value has found memory. Without it the field is missing.
  package private(set) var isWhole = true

  /// Copies bytes into `arena`.
  package init(_ slot: UnsafeMutablePointer<fastmap_slot>, _ arena: UnsafeMutablePointer<fastmap_arena>) {
    self.slot = slot
    self.arena = arena
    slot.pointee = fastmap_slot()
  }

  /// The value so far.
  package var written: Field { Field(slot.pointee) }

  public mutating func setNull() { slot.pointee.set(FASTMAP_NULL, integer: 0) }
  @usableFromInline
  package mutating func set(boolean: Bool) { slot.pointee.set(FASTMAP_BOOLEAN, integer: boolean ? 1 : 0) }
  @usableFromInline
  package mutating func set(integer: Int64) { slot.pointee.set(FASTMAP_INTEGER, integer: integer) }

  @usableFromInline
  package mutating func set(unsigned: UInt64) {
    let isLarge = unsigned > UInt64(Int64.max)
    slot.pointee.set(isLarge ? FASTMAP_UNSIGNED : FASTMAP_INTEGER, integer: Int64(bitPattern: unsigned))
  }

  @usableFromInline
  package mutating func set(number: Double) {
    slot.pointee.tag = UInt8(FASTMAP_NUMBER)
    slot.pointee.number = number
  }

  @usableFromInline
  package mutating func set(date: Timestamp) {
    slot.pointee.set(FASTMAP_DATE, integer: date.seconds)
    slot.pointee.length = date.nanoseconds
  }

  @usableFromInline
  package mutating func set(string: String) {
    var string = string
    string.withUTF8 { copy(UnsafeRawBufferPointer($0), as: FASTMAP_STRING) }
  }

  package mutating func set(decimal: DecimalNumber) {
    var text = decimal.text
    text.withUTF8 { copy(UnsafeRawBufferPointer($0), as: FASTMAP_DECIMAL) }
  }

  /// Copies a value.
  package mutating func set(_ value: Value) {
    switch value {
    case .null: setNull()
    case .boolean(let value): set(boolean: value)
    case .integer(let value): set(integer: value)
    case .unsigned(let value): set(unsigned: value)
    case .number(let value): set(number: value)
    case .decimal(let value): set(decimal: value)
    case .string(let text): set(string: text)
    case .date(let instant): set(date: instant)
    case .data(let bytes): bytes.withUnsafeBytes { set(data: $0) }
    case .json(var text): text.withUTF8 { set(json: UnsafeRawBufferPointer($0)) }
    }
  }

  package mutating func set(data: UnsafeRawBufferPointer) { copy(data, as: FASTMAP_DATA) }

  /// Sets compact JSON text.
  public mutating func set(json: UnsafeRawBufferPointer) { copy(json, as: FASTMAP_JSON) }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, as tag: Int) {
    guard let length = UInt32(exactly: bytes.count),
      let memory = fastmap_arena_alloc(arena, max(1, bytes.count))
    else {
      isWhole = false
      slot.pointee = fastmap_slot()
      return
    }
    UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: bytes)
    slot.pointee.tag = UInt8(tag)
    slot.pointee.length = length
    slot.pointee.bytes = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
  }
}
