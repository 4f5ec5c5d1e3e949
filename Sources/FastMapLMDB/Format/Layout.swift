internal import FastMapStoreKit

/// The fields of one entity, in the order of their first appearance. Fields are never removed, so old records stay
/// readable.
///
///     meta "layout" entity 2   →  name | key kind 1 | field count 2 | (kind 1 | target entity 2 | name | notes)… | notes
///     meta "count" entity 2    →  next serial 8 | objects 8 | objects with a key 8
///
/// A name is its length in 2 bytes and its UTF-8. Notes are a length in 2 bytes and room for later versions.
struct EntityLayout {
  struct Field: Equatable {
    var name: String
    var kind: Kind
    var isKey = false

    /// Names are compared by their bytes: `é` has two forms, and each is another name.
    static func == (a: Field, b: Field) -> Bool {
      a.kind == b.kind && a.isKey == b.isKey && a.name.utf8.elementsEqual(b.name.utf8)
    }
  }

  enum Kind: Equatable {
    case attribute(AttributeKind)
    case relationship(isToMany: Bool, isOwned: Bool, entity: UInt16)
  }

  struct Counts: Equatable {
    var nextSerial: UInt64 = 1
    var objects: UInt64 = 0
    var keyed: UInt64 = 0
  }

  let number: UInt16
  var name: String
  var keyKind: AttributeKind?
  var fields: [Field] = []
  var counts = Counts()

  /// The field that is the primary key of the objects with a key; nil if there are none or the field is unknown.
  var keyField: Int? { counts.keyed > 0 ? fields.firstIndex { $0.isKey } : nil }

  /// Records which field is the primary key, unless objects have another one.
  mutating func recordKey(_ field: Int) {
    if keyField != nil { return }
    for index in fields.indices { fields[index].isKey = index == field }
  }
}

// MARK: - Bytes

extension EntityLayout {
  private static let toOne: UInt8 = 16
  private static let toMany: UInt8 = 17
  private static let owned: UInt8 = 32
  private static let key: UInt8 = 64

  var layoutBytes: [UInt8] {
    var bytes = ByteWriter()
    bytes.append(name)
    bytes.append(keyKind.map { $0.code + 1 } ?? 0)
    bytes.append(UInt16(fields.count))
    for field in fields {
      switch field.kind {
      case .attribute(let kind):
        bytes.append(kind.code | (field.isKey ? Self.key : 0))
        bytes.append(UInt16(0))
      case .relationship(let isToMany, let isOwned, let entity):
        bytes.append((isToMany ? Self.toMany : Self.toOne) | (isOwned ? Self.owned : 0))
        bytes.append(entity)
      }
      bytes.append(field.name)
      bytes.append(name: [])
    }
    bytes.append(name: [])
    return bytes.bytes
  }

  var countBytes: [UInt8] {
    var bytes = ByteWriter()
    bytes.append(counts.nextSerial)
    bytes.append(counts.objects)
    bytes.append(counts.keyed)
    return bytes.bytes
  }

  /// Nil if the bytes are not a layout.
  init?(number: UInt16, layout: UnsafeRawBufferPointer, counts: UnsafeRawBufferPointer) {
    var bytes = ByteReader(layout)
    guard let name = bytes.name(), let keyKind = bytes.integer(UInt8.self),
      keyKind == 0 || AttributeKind(code: keyKind - 1) != nil, let count = bytes.integer(UInt16.self)
    else { return nil }
    self.number = number
    self.name = name
    self.keyKind = keyKind == 0 ? nil : AttributeKind(code: keyKind - 1)
    for _ in 0..<count {
      guard let code = bytes.integer(UInt8.self), let entity = bytes.integer(UInt16.self),
        let name = bytes.name(), bytes.nameBytes() != nil, let kind = Self.kind(code & ~Self.key, entity)
      else { return nil }
      fields.append(Field(name: name, kind: kind, isKey: code & Self.key != 0))
    }
    guard bytes.nameBytes() != nil else { return nil }
    var numbers = ByteReader(counts)
    guard let next = numbers.integer(UInt64.self), let objects = numbers.integer(UInt64.self),
      let keyed = numbers.integer(UInt64.self)
    else { return nil }
    self.counts = Counts(nextSerial: next, objects: objects, keyed: keyed)
  }

  private static func kind(_ code: UInt8, _ entity: UInt16) -> Kind? {
    if let kind = AttributeKind(code: code) { return .attribute(kind) }
    let isOwned = code & owned != 0
    switch code & ~owned {
    case toOne: return .relationship(isToMany: false, isOwned: isOwned, entity: entity)
    case toMany: return .relationship(isToMany: true, isOwned: isOwned, entity: entity)
    default: return nil
    }
  }
}

extension AttributeKind {
  /// Its code in a stored layout; below `toOne`.
  fileprivate var code: UInt8 {
    switch self {
    case .boolean: 0
    case .integer: 1
    case .number: 2
    case .string: 3
    case .date: 4
    case .data: 5
    case .json: 6
    case .decimal: 7
    }
  }

  private static let byCode = allCases.sorted { $0.code < $1.code }

  fileprivate init?(code: UInt8) {
    guard Int(code) < Self.byCode.count else { return nil }
    self = Self.byCode[Int(code)]
  }
}

/// Writes little-endian numbers and names in sequence.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ name: String) { append(name: name.utf8) }

  mutating func append(name: some Collection<UInt8>) {
    append(UInt16(truncatingIfNeeded: name.count))
    bytes.append(contentsOf: name)
  }
}

/// Reads the bytes of a ``ByteWriter``. Its methods return nil at the end of the bytes.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    guard offset + MemoryLayout<T>.size <= bytes.count else { return nil }
    defer { offset += MemoryLayout<T>.size }
    return bytes.littleEndian(at: offset, as: T.self)
  }

  mutating func name() -> String? { nameBytes().map { String(decoding: $0, as: UTF8.self) } }

  mutating func nameBytes() -> Slice<UnsafeRawBufferPointer>? {
    guard let count = integer(UInt16.self), offset + Int(count) <= bytes.count else { return nil }
    defer { offset += Int(count) }
    return bytes[offset..<(offset + Int(count))]
  }
}
