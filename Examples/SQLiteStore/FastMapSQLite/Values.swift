internal import CFastMapSQLite
internal import FastMapStoreKit

// Every value must come back to the last bit, and SQLite's `IS` must tell it from every other, as that is how an update
// finds out whether anything is different. Where SQLite has the type of a value, the value has it. Every other value is
// a BLOB of its bytes, the highest first:
//
//     boolean              INTEGER   0, 1
//     integer              INTEGER   beyond Int64: BLOB of 8 bytes
//     number               REAL      -0, which equals 0, and NaN, which would be NULL: BLOB of 8 bytes
//     decimal              BLOB      24 bytes that sort as its value, and its text
//     string, JSON         TEXT      with its length, as there may be a NUL inside
//     date                 INTEGER   seconds since 1970; with a fraction: BLOB of 12 bytes, seconds and nanoseconds
//     data                 BLOB
//
// null is NULL, as missing is: once stored they are the same.

extension AttributeKind {
  /// The type of the column, which decides how `IS` and `ORDER BY` compare. BLOBs stay BLOBs in each.
  var columnType: String {
    switch self {
    case .boolean, .integer, .date: "INTEGER"
    case .number: "REAL"
    case .string, .json: "TEXT"
    case .data, .decimal: "BLOB"
    }
  }
}

extension Statement {
  /// Binds an attribute of a row.
  func bind(_ field: Field, _ kind: AttributeKind, at index: Int) throws {
    // Bytes are bound as they are lent; a value would be a copy.
    if let decimal = field.decimal {
      try bind(.decimal(decimal), at: index)
    } else if let bytes = field.bytes {
      try kind == .data ? bind(blob: bytes, at: index) : bind(text: bytes, at: index)
    } else {
      try bind(field.value ?? .null, at: index)
    }
  }

  func bind(_ value: Value, at index: Int) throws {
    switch value {
    case .null: try bindNull(at: index)
    case .boolean(let value): try bind(Int64(value ? 1 : 0), at: index)
    case .integer(let value): try bind(value, at: index)
    case .unsigned(let value): try bind(blob: bytes(of: value), at: index)
    case .number(let value) where value.isNaN || value == 0 && value.sign == .minus:
      try bind(blob: bytes(of: value.bitPattern), at: index)
    case .number(let value): try bind(value, at: index)
    case .date(let instant) where instant.nanoseconds == 0: try bind(instant.seconds, at: index)
    case .date(let instant):
      try bind(blob: bytes(of: instant.seconds) + bytes(of: instant.nanoseconds), at: index)
    case .string(let text), .json(let text): try bind(text, at: index)
    case .data(let bytes): try bind(blob: bytes, at: index)
    case .decimal(let value): try bind(blob: value.sortKey + Array(value.text.utf8), at: index)
    }
  }

  private func bind(blob: [UInt8], at index: Int) throws {
    try blob.withUnsafeBytes { try bind(blob: $0, at: index) }
  }

  private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// An attribute's value in a column, borrowed until the next step; nil for a value that this store never writes.
  func field(_ column: Int, _ kind: AttributeKind) -> Field? {
    switch (type(of: column), kind) {
    case (SQLITE_NULL, _): .missing
    case (SQLITE_INTEGER, .boolean): .boolean(integer(column) != 0)
    case (SQLITE_INTEGER, .integer): .integer(integer(column))
    case (SQLITE_INTEGER, .date): .date(Timestamp(seconds: integer(column)))
    case (SQLITE_FLOAT, .number): .number(double(column))
    case (SQLITE_TEXT, .string), (SQLITE_TEXT, .json), (SQLITE_BLOB, .data):
      .bytes(bytes(column), as: kind)
    case (SQLITE_BLOB, _): field(of: bytes(column), kind)
    default: nil
    }
  }

  private func field(of bytes: UnsafeRawBufferPointer, _ kind: AttributeKind) -> Field? {
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
      Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
    switch (kind, bytes.count) {
    case (.integer, 8): return .unsigned(number(at: 0, as: UInt64.self))
    case (.number, 8): return .number(Double(bitPattern: number(at: 0, as: UInt64.self)))
    case (.date, 12):
      let nanoseconds = number(at: 8, as: UInt32.self)
      guard nanoseconds < 1_000_000_000 else { return nil }
      return .date(Timestamp(seconds: number(at: 0, as: Int64.self), nanoseconds: nanoseconds))
    case (.decimal, 25...):
      let text = UnsafeRawBufferPointer(rebasing: bytes[24...])
      return DecimalNumber(String(decoding: text, as: UTF8.self)).map { _ in .bytes(text, as: .decimal) }
    default: return nil
    }
  }
}
