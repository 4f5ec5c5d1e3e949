package import CFastMap

/// The value that identifies an object within its entity: an integer or a string.
///
///     let key: PrimaryKey = 314
///     let other: PrimaryKey = "abcat0010000"
///     let third = PrimaryKey(person.id)
///
/// Integers are signed and have 64 bits. A JSON key above `Int64.max` is an error, even if the property is a
/// `UInt64`. Store such keys as strings.
///
/// Strings are compared by their UTF-8 bytes, like in the stores: two spellings of `"é"` are two keys. `1` and `"1"`
/// are two keys. All integers come before all strings.
///
/// A key of several parts is an array of them:
///
///     let issue: PrimaryKey = ["swift", 7]
public enum PrimaryKey: Sendable {
  /// A whole number.
  case integer(Int64)
  /// A string, compared by its bytes.
  case string(String)
}

extension PrimaryKey: Hashable {
  public static func == (a: PrimaryKey, b: PrimaryKey) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .integer(let value):
      hasher.combine(value)
    case .string(let text):
      for byte in text.utf8 { hasher.combine(byte) }
      hasher.combine(0xFF as UInt8)
    }
  }
}

extension PrimaryKey: Comparable {
  public static func < (a: PrimaryKey, b: PrimaryKey) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.integer, .string): true
    case (.string, .integer): false
    }
  }
}

extension PrimaryKey: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}

/// A type whose values can all be primary keys.
///
///     let person = try store.read { try $0.object(Person.mapping, key: message.senderID) }
///
/// Strings conform, and integers whose values all fit in a signed 64-bit integer. A `UInt` or `UInt64` becomes an `Int64` first:
/// `Int64(exactly:)`. With `FastMapFoundation`, `UUID` conforms. An enum with raw values that is a key declares it:
/// `enum Code: String, PrimaryKeyConvertible`. Ranges of keys need a `Comparable` type.
///
/// An array of parts is a key of several parts: `key: [1, 7]`. Parts of two types are written `["swift", 7] as PrimaryKey`.
public protocol PrimaryKeyConvertible {
  /// The key.
  var primaryKey: PrimaryKey { get }
}

extension PrimaryKey: PrimaryKeyConvertible {
  public var primaryKey: PrimaryKey { self }

  /// Makes a key from an integer or a string.
  public init(_ value: some PrimaryKeyConvertible) { self = value.primaryKey }

  /// Makes a key from an integer; nil if it does not fit in a signed 64-bit integer.
  package init?(exactly value: some BinaryInteger) {
    guard let value = Int64(exactly: value) else { return nil }
    self = .integer(value)
  }
}

extension PrimaryKeyConvertible where Self: FixedWidthInteger {
  public var primaryKey: PrimaryKey { .integer(Int64(self)) }
}

extension PrimaryKeyConvertible where Self: StringProtocol {
  public var primaryKey: PrimaryKey { .string(String(self)) }
}

extension PrimaryKeyConvertible where Self: RawRepresentable, RawValue: PrimaryKeyConvertible {
  public var primaryKey: PrimaryKey { rawValue.primaryKey }
}

extension Int: PrimaryKeyConvertible {}
extension Int8: PrimaryKeyConvertible {}
extension Int16: PrimaryKeyConvertible {}
extension Int32: PrimaryKeyConvertible {}
extension Int64: PrimaryKeyConvertible {}
extension UInt8: PrimaryKeyConvertible {}
extension UInt16: PrimaryKeyConvertible {}
extension UInt32: PrimaryKeyConvertible {}
extension String: PrimaryKeyConvertible {}
extension Substring: PrimaryKeyConvertible {}

extension Array: PrimaryKeyConvertible where Element: PrimaryKeyConvertible {
  public var primaryKey: PrimaryKey { PrimaryKey(parts: map(\.primaryKey)) }
}

extension PrimaryKey: CustomStringConvertible {
  /// The integer, the string in quotes, or the array of its parts.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .string(let text): parts?.description ?? quoted(text)
    }
  }
}

extension PrimaryKey {
  package var memberName: String {
    switch self {
    case .integer(let value): "\(value)"
    case .string(let text): text
    }
  }
}

extension PrimaryKey {
  /// A copy of the key in a slot; nil if the slot holds no key.
  package init?(slot: fastmap_slot) {
    switch Int(slot.tag) {
    case FASTMAP_INTEGER:
      self = .integer(slot.integer)
    case FASTMAP_STRING:
      self = .string(String(decoding: slot.span, as: UTF8.self))
    default:
      return nil
    }
  }

  /// Lends the key as a slot to `body`.
  package func withSlot<R, E: Error>(_ body: (UnsafePointer<fastmap_slot>) throws(E) -> R) throws(E) -> R {
    var slot = fastmap_slot()
    switch self {
    case .integer(let value):
      slot.tag = UInt8(FASTMAP_INTEGER)
      slot.integer = value
      return try body(&slot)
    case .string(let text):
      let bytes = Array(text.utf8)
      return try bytes.withUnsafeBufferPointer { (buffer) throws(E) -> R in
        slot.tag = UInt8(FASTMAP_STRING)
        slot.length = UInt32(buffer.count)
        slot.bytes = buffer.baseAddress
        return try body(&slot)
      }
    }
  }
}
