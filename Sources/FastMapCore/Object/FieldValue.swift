package import CFastMap

/// The value of one field, borrowed for the call that receives it.
///
///     init?(_ field: FieldValue) {
///       guard let text = field.string else { return nil }
///       self.init(text)
///     }
public struct FieldValue {
  // The layout of fastmap_slot, read as bytes so that the readers of inlined code need not see a C type.
  @usableFromInline let pointer: UnsafeRawPointer

  package init(_ slot: UnsafePointer<fastmap_slot>) { pointer = UnsafeRawPointer(slot) }

  @usableFromInline @inline(__always)
  var tag: UInt8 { pointer.load(as: UInt8.self) }

  @usableFromInline @inline(__always)
  var length: UInt32 { pointer.load(fromByteOffset: 4, as: UInt32.self) }

  @usableFromInline @inline(__always)
  var bits: Int64 { pointer.load(fromByteOffset: 8, as: Int64.self) }

  /// Whether there is no value.
  @inlinable @inline(__always)
  public var isNull: Bool { tag == FieldTag.null }

  @inlinable @inline(__always)
  public var boolean: Bool? { tag == FieldTag.boolean ? bits != 0 : nil }

  @inlinable @inline(__always)
  public var integer: Int64? { tag == FieldTag.integer ? bits : nil }

  /// An integer that is not negative.
  @inlinable @inline(__always)
  public var unsigned: UInt64? {
    switch tag {
    case FieldTag.unsigned: UInt64(bitPattern: bits)
    case FieldTag.integer where bits >= 0: UInt64(bitPattern: bits)
    default: nil
    }
  }

  @inlinable @inline(__always)
  public var number: Double? {
    switch tag {
    case FieldTag.number: Double(bitPattern: UInt64(bitPattern: bits))
    case FieldTag.integer: Double(bits)
    default: nil
    }
  }

  @inlinable @inline(__always)
  public var date: Timestamp? {
    tag == FieldTag.date ? Timestamp(seconds: bits, nanoseconds: length) : nil
  }

  /// The UTF-8 of a string, the bytes of data, or JSON text.
  @inlinable @inline(__always)
  public var bytes: UnsafeRawBufferPointer? {
    switch tag {
    case FieldTag.string, FieldTag.data, FieldTag.json:
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: Int(bits)), count: Int(length))
    default: nil
    }
  }

  @inlinable @inline(__always)
  public var string: String? {
    guard tag == FieldTag.string, let bytes else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A copy in its general form; nil where the field is missing.
  public var value: Value? { pointer.load(as: fastmap_slot.self).value }
}

/// The tags of `fastmap_slot.h` for code that is inlined elsewhere; a test holds the two together.
@usableFromInline
enum FieldTag {
  @usableFromInline static let missing: UInt8 = 0
  @usableFromInline static let null: UInt8 = 1
  @usableFromInline static let boolean: UInt8 = 2
  @usableFromInline static let integer: UInt8 = 3
  @usableFromInline static let unsigned: UInt8 = 4
  @usableFromInline static let number: UInt8 = 5
  @usableFromInline static let string: UInt8 = 6
  @usableFromInline static let date: UInt8 = 7
  @usableFromInline static let data: UInt8 = 8
  @usableFromInline static let json: UInt8 = 9
}

/// Takes the value of one field.
///
///     func write(to field: inout FieldWriter) { field.set(string: text) }
public struct FieldWriter {
  private var slot: UnsafeMutablePointer<fastmap_slot>
  private var arena: UnsafeMutablePointer<fastmap_arena>

  /// Bytes are copied into `arena`.
  package init(_ slot: UnsafeMutablePointer<fastmap_slot>, _ arena: UnsafeMutablePointer<fastmap_arena>) {
    self.slot = slot
    self.arena = arena
    slot.pointee = fastmap_slot()
  }

  public mutating func setNull() { slot.pointee.set(FASTMAP_NULL, integer: 0) }
  public mutating func set(boolean: Bool) { slot.pointee.set(FASTMAP_BOOLEAN, integer: boolean ? 1 : 0) }
  public mutating func set(integer: Int64) { slot.pointee.set(FASTMAP_INTEGER, integer: integer) }

  public mutating func set(unsigned: UInt64) {
    let isLarge = unsigned > UInt64(Int64.max)
    slot.pointee.set(isLarge ? FASTMAP_UNSIGNED : FASTMAP_INTEGER, integer: Int64(bitPattern: unsigned))
  }

  public mutating func set(number: Double) {
    slot.pointee.tag = UInt8(FASTMAP_NUMBER)
    slot.pointee.number = number
  }

  public mutating func set(date: Timestamp) {
    slot.pointee.set(FASTMAP_DATE, integer: date.seconds)
    slot.pointee.length = date.nanoseconds
  }

  public mutating func set(string: String) {
    var string = string
    string.withUTF8 { copy(UnsafeRawBufferPointer($0), as: FASTMAP_STRING) }
  }

  public mutating func set(data: UnsafeRawBufferPointer) { copy(data, as: FASTMAP_DATA) }

  /// Takes compact JSON text.
  public mutating func set(json: UnsafeRawBufferPointer) { copy(json, as: FASTMAP_JSON) }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, as tag: Int) {
    guard let memory = fastmap_arena_alloc(arena, max(1, bytes.count)) else { return }
    UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: bytes)
    slot.pointee.tag = UInt8(tag)
    slot.pointee.length = UInt32(bytes.count)
    slot.pointee.bytes = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
  }
}
