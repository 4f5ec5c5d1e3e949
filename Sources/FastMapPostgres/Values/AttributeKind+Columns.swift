#if Postgres
  internal import FastMapStoreKit

  // The columns of an attribute:
  //
  //     boolean    boolean
  //     integer    bigint              beyond Int64: 9223372036854775807, and the exact number
  //     number     double precision    bit for bit, NaN and -0 included
  //     decimal    numeric             StoredDecimal.swift
  //     string     text                StoredText.swift
  //     date       timestamptz         StoredDate.swift
  //     data       bytea
  //     json       jsonb               StoredJSON.swift
  //
  // The second column of integers, decimals, dates and JSON is null unless it is needed. That column has the exact
  // value as text. Missing and null are NULL. Two values are equal exactly if both columns are, byte for byte.
  // Decimals are equal if their first columns are.

  /// How the values of a column are stored.
  extension AttributeKind {
    /// The type of the column, as PostgreSQL's catalog spells it.
    var typeName: String {
      switch self {
      case .boolean: "boolean"
      case .integer: "bigint"
      case .number: "double precision"
      case .decimal: "numeric"
      case .string: "text"
      case .date: "timestamp with time zone"
      case .data: "bytea"
      case .json: "jsonb"
      }
    }

    var type: TypeOID {
      switch self {
      case .boolean: .boolean
      case .integer: .int8
      case .number: .float8
      case .decimal: .numeric
      case .string: .text
      case .date: .timestamptz
      case .data: .bytea
      case .json: .jsonb
      }
    }

    /// Whether there is a second column, for exact values as text.
    var hasExact: Bool {
      switch self {
      case .integer, .decimal, .date, .json: true
      case .boolean, .number, .string, .data: false
      }
    }
  }

  extension AttributeKind {
    /// Appends an attribute's value for its column, and for the second column if it has one.
    ///
    /// - Parameters:
    ///   - column: Receives one value.
    ///   - exact: Receives one value, after `column`, if there is a second column. Possibly the same buffer.
    func write(_ field: Field, to column: FieldBuffer, exact: FieldBuffer) {
      guard !field.isMissing, !field.isNull else {
        column.null()
        if hasExact { exact.null() }
        return
      }
      switch self {
      case .boolean: column.boolean(field.boolean ?? false)
      case .integer: write(integer: field, to: column, exact: exact)
      case .number: column.float8(field.number ?? 0)
      case .decimal: write(decimal: field.bytes ?? Self.nothing, to: column, exact: exact)
      case .string: column.storedText(field.bytes ?? Self.nothing)
      case .date: write(date: field, to: column, exact: exact)
      case .data: column.bytes(field.bytes ?? Self.nothing)
      case .json: write(json: field.bytes ?? Self.nothing, to: column, exact: exact)
      }
    }

    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private func write(integer field: Field, to column: FieldBuffer, exact: FieldBuffer) {
      if let value = field.integer {
        column.int8(value)
        exact.null()
      } else {
        column.int8(.max)
        exact.text("\(field.unsigned ?? 0)")
      }
    }

    private func write(decimal text: UnsafeRawBufferPointer, to column: FieldBuffer, exact: FieldBuffer) {
      if StoredDecimal.write(text, to: column) { exact.null() } else { exact.bytes(text) }
    }

    private func write(date field: Field, to column: FieldBuffer, exact: FieldBuffer) {
      let date = field.date ?? Timestamp(seconds: 0)
      let microseconds = StoredDate.microseconds(of: date)
      column.timestamptz(microseconds: microseconds)
      if StoredDate.isExact(date, microseconds) {
        exact.null()
      } else {
        exact.text(StoredDate.exactText(date))
      }
    }

    private func write(json text: UnsafeRawBufferPointer, to column: FieldBuffer, exact: FieldBuffer) {
      switch StoredJSON.form(of: text) {
      case .same:
        column.jsonb(text)
        return exact.null()
      case .other: column.jsonb(text)
      case .replaced(let other): other.withUnsafeBytes { column.jsonb($0) }
      case .none: column.null()
      }
      exact.storedText(text)
    }
  }

  extension AttributeKind {
    /// The value of a column.
    ///
    /// - Parameters:
    ///   - column: The column's place in the answer. The second column, if there is one, is after it.
    ///   - memory: Holds the bytes of a value that are not in the answer as they are.
    /// - Returns: Nil if no store wrote this. Its bytes are borrowed from the answer or from `memory`.
    func read(_ answer: borrowing Answer, _ row: Int, _ column: Int, _ memory: DecodedBytes) -> Field? {
      if hasExact, !answer.isNull(row, column + 1) {
        return read(exact: answer.bytes(row, column + 1), memory)
      }
      if answer.isNull(row, column) { return .missing }
      switch self {
      case .boolean: return .boolean(answer.boolean(row, column))
      case .integer: return .integer(answer.int8(row, column))
      case .number: return .number(answer.float8(row, column))
      case .date: return StoredDate.date(microseconds: answer.int8(row, column)).map { .date($0) }
      case .data: return .bytes(answer.bytes(row, column), as: .data)
      case .decimal:
        guard let text = StoredDecimal.text(of: answer.bytes(row, column)),
          text.count <= StoredDecimal.shortText || DecimalNumber(String(decoding: text, as: UTF8.self)) != nil
        else { return nil }
        return .bytes(memory.keep(text), as: .decimal)
      case .string: return text(answer.bytes(row, column), as: .string, memory)
      case .json:
        let bytes = answer.bytes(row, column)
        guard bytes.first == 1 else { return nil }  // the version of jsonb's binary format
        let text = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        return .bytes(memory.keep(StoredJSON.compact(text)), as: .json)
      }
    }

    private func read(exact bytes: UnsafeRawBufferPointer, _ memory: DecodedBytes) -> Field? {
      switch self {
      case .integer: UInt64(String(decoding: bytes, as: UTF8.self)).map { .unsigned($0) }
      case .date: StoredDate.date(exactText: bytes).map { .date($0) }
      case .json: StoredJSON.isJSON(bytes) ? text(bytes, as: .json, memory) : nil
      case .decimal:
        DecimalNumber(String(decoding: bytes, as: UTF8.self)) != nil ? .bytes(bytes, as: .decimal) : nil
      case .boolean, .number, .string, .data: nil
      }
    }

    private func text(
      _ bytes: UnsafeRawBufferPointer, as kind: AttributeKind, _ memory: DecodedBytes
    ) -> Field? {
      guard StoredText.isEncoded(bytes) else { return .bytes(bytes, as: kind) }
      return StoredText.decoded(bytes).map { .bytes(memory.keep($0), as: kind) }
    }
  }

  /// Bytes of the values of a row that an answer does not have as they are.
  final class DecodedBytes {
    private var kept: [UnsafeMutableRawBufferPointer] = []

    deinit { removeAll() }

    /// A copy, valid until the next `removeAll`.
    func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
      memory.copyBytes(from: bytes)
      kept.append(memory)
      return UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
    }

    func removeAll() {
      for memory in kept { memory.deallocate() }
      kept.removeAll(keepingCapacity: true)
    }
  }
#endif
