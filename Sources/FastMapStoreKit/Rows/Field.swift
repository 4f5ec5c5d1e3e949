package import CFastMap

/// The lent value of one field. Stores, imports and property types exchange values in this form.
///
///     init?(_ field: Field) {                                // of a property's type
///       guard let text = field.string else { return nil }
///       self.init(text)
///     }
///
///     case SQLITE_INTEGER: return .integer(integer(column))  // of a store
///     case SQLITE_TEXT: return .bytes(bytes(column), as: .string)
///
/// - Note: A field borrows its bytes, and is valid as long as the row, the batch or the call that lends it. ``value``,
///   ``key`` and ``string`` are copies.
public struct Field {
  // The parts of a fastmap_slot, so that code inlined elsewhere needs no C type.
  @usableFromInline package let tag: UInt8
  @usableFromInline let length: UInt32
  @usableFromInline let bits: Int64

  @inline(__always)
  package init(_ slot: fastmap_slot) { self.init(slot.tag, length: slot.length, bits: slot.integer) }

  @inline(__always)
  private init(_ tag: UInt8, length: UInt32 = 0, bits: Int64 = 0) {
    self.tag = tag
    self.length = length
    self.bits = bits
  }

  /// The field as a slot that borrows the same bytes.
  @inline(__always)
  package var slot: fastmap_slot {
    var slot = fastmap_slot()
    slot.tag = tag
    slot.length = length
    slot.integer = bits
    return slot
  }
}

/// The content of a field.
extension Field {
  /// Whether the field is missing: an import leaves it alone, and a store has no value.
  @inlinable @inline(__always)
  public var isMissing: Bool { tag == FieldTag.missing }

  /// Whether there is no value: JSON's `null`, which clears a field.
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

  /// A copy of a decimal.
  public var decimal: DecimalNumber? { tag == FieldTag.decimal ? DecimalNumber(checked: slot.span) : nil }

  /// The UTF-8 of a string, the bytes of data, JSON text, or the text of a decimal, borrowed. Empty bytes may have no address.
  @inlinable @inline(__always)
  public var bytes: UnsafeRawBufferPointer? {
    switch tag {
    case FieldTag.string, FieldTag.data, FieldTag.json, FieldTag.decimal:
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: Int(bits)), count: Int(length))
    default: nil
    }
  }

  /// A copy of a string.
  @inlinable @inline(__always)
  public var string: String? {
    guard tag == FieldTag.string, let bytes else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The target of a to-one relationship.
  public var target: ObjectID? { slot.object }

  /// The targets of a to-many relationship in a change, in order, borrowed; empty if it is missing or null.
  public var targets: UnsafeBufferPointer<ObjectID> { slot.objects }

  /// A copy of an attribute's value; nil if it is missing, and for a relationship.
  public var value: Value? { slot.value }

  /// A copy of a primary key; nil for anything but an integer or a string.
  public var key: PrimaryKey? { PrimaryKey(slot: slot) }
}

/// Fields for a store to lend.
extension Field {
  /// No value: absent, null, or a to-many relationship, which is never in a row of a store.
  public static var missing: Field { Field(UInt8(FASTMAP_MISSING)) }

  /// `true` or `false`.
  public static func boolean(_ value: Bool) -> Field { Field(UInt8(FASTMAP_BOOLEAN), bits: value ? 1 : 0) }

  /// A whole number.
  public static func integer(_ value: Int64) -> Field { Field(UInt8(FASTMAP_INTEGER), bits: value) }

  /// An integer above `Int64.max`.
  public static func unsigned(_ value: UInt64) -> Field {
    Field(UInt8(FASTMAP_UNSIGNED), bits: Int64(bitPattern: value))
  }

  /// A number with a fraction, bit for bit.
  public static func number(_ value: Double) -> Field {
    Field(UInt8(FASTMAP_NUMBER), bits: Int64(bitPattern: value.bitPattern))
  }

  /// A date.
  public static func date(_ value: Timestamp) -> Field {
    Field(UInt8(FASTMAP_DATE), length: value.nanoseconds, bits: value.seconds)
  }

  /// The bytes of a string (UTF-8), of data, of JSON text or of a decimal, borrowed. Traps for another kind.
  public static func bytes(_ bytes: UnsafeRawBufferPointer, as kind: AttributeKind) -> Field {
    Field(
      UInt8(kind.bytesTag), length: UInt32(bytes.count), bits: Int64(Int(bitPattern: bytes.baseAddress)))
  }

  /// The target of a to-one relationship.
  public static func target(_ id: ObjectID) -> Field {
    Field(UInt8(FASTMAP_TARGET), bits: Int64(bitPattern: id.rawValue))
  }

  package static var null: Field { Field(UInt8(FASTMAP_NULL)) }
}

extension AttributeKind {
  /// The tag of a slot of this kind. Traps for a kind without bytes.
  fileprivate var bytesTag: Int {
    switch self {
    case .string: FASTMAP_STRING
    case .data: FASTMAP_DATA
    case .json: FASTMAP_JSON
    case .decimal: FASTMAP_DECIMAL
    default: preconditionFailure("only strings, data, JSON text and decimals are bytes")
    }
  }
}

/// The tags of `fastmap_slot.h`, for code inlined elsewhere. A test checks that they agree.
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
  @usableFromInline static let decimal: UInt8 = 13
}
