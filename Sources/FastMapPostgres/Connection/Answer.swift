#if Postgres
  internal import CFastMapPostgres
  internal import FastMapSystem

  /// The rows that a statement has returned, in binary format, which it owns.
  final class Answer {
    private let result: OpaquePointer
    let rowCount: Int

    init(adopting result: OpaquePointer) {
      self.result = result
      rowCount = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    var columnCount: Int { Int(PQnfields(result)) }

    /// The number of rows that the statement has inserted, updated, deleted or returned.
    var affectedCount: Int {
      guard let text = PQcmdTuples(result) else { return 0 }
      return Int(String(cString: text)) ?? 0
    }

    /// The command that the server has completed: `COMMIT`, `UPDATE 3`.
    var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    @inline(__always)
    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// The bytes of a value, lent as long as the answer lives; empty for null.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      let length = Int(PQgetlength(result, Int32(row), Int32(column)))
      return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length)
    }

    /// Which type the server has sent.
    func type(of column: Int) -> TypeOID { TypeOID(rawValue: PQftype(result, Int32(column))) }
  }

  /// The values by their types. Null reads as zero, false or empty; ask `isNull` first.
  extension Answer {
    @inline(__always)
    func int8(_ row: Int, _ column: Int) -> Int64 { bytes(row, column).bigEndian(Int64.self) }

    @inline(__always)
    func int4(_ row: Int, _ column: Int) -> Int32 { bytes(row, column).bigEndian(Int32.self) }

    @inline(__always)
    func int2(_ row: Int, _ column: Int) -> Int16 { bytes(row, column).bigEndian(Int16.self) }

    @inline(__always)
    func float8(_ row: Int, _ column: Int) -> Double {
      Double(bitPattern: bytes(row, column).bigEndian(UInt64.self))
    }

    @inline(__always)
    func boolean(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func numeric(_ row: Int, _ column: Int) -> WholeNumber? { WholeNumber(numeric: bytes(row, column)) }

    /// The elements of an array of one dimension, in order; nil is null.
    func forEachElement(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> Void) rethrows
    {
      try bytes(row, column).forEachElement(body)
    }

    /// The elements of a `bigint[]` without nulls.
    func int8Array(_ row: Int, _ column: Int) -> [Int64] {
      var values: [Int64] = []
      forEachElement(row, column) { values.append($0?.bigEndian(Int64.self) ?? 0) }
      return values
    }
  }

  /// A whole number of any sign that fits in 64 bits.
  struct WholeNumber: Equatable {
    let magnitude: UInt64
    let isNegative: Bool

    init(magnitude: UInt64, isNegative: Bool) {
      self.magnitude = magnitude
      self.isNegative = isNegative
    }

    /// Reads a `numeric`; nil if it is no whole number, or too large.
    init?(numeric bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= 8 else { return nil }
      let count = Int(bytes.bigEndian(Int16.self))
      let weight = Int(bytes.bigEndian(Int16.self, at: 2))
      let sign = bytes.bigEndian(UInt16.self, at: 4)
      guard sign == 0 || sign == 0x4000, bytes.count == 8 + 2 * count, count <= weight + 1, weight < 5 else {
        return nil
      }
      var value: UInt64 = 0
      for index in 0..<(count == 0 ? 0 : weight + 1) {
        let digit = index < count ? UInt64(bytes.bigEndian(UInt16.self, at: 8 + 2 * index)) : 0
        let (scaled, overflows) = value.multipliedReportingOverflow(by: 10_000)
        let (sum, carries) = scaled.addingReportingOverflow(digit)
        guard !overflows, !carries else { return nil }
        value = sum
      }
      self.init(magnitude: value, isNegative: sign != 0)
    }
  }

  extension UnsafeRawBufferPointer {
    /// A number, most significant byte first; 0 if it is not there.
    @inline(__always)
    func bigEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
      guard offset + MemoryLayout<T>.size <= count else { return 0 }
      return T(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The elements of an array of one dimension, in order; nil is null.
    func forEachElement(_ body: (UnsafeRawBufferPointer?) throws -> Void) rethrows {
      guard bigEndian(Int32.self) == 1 else { return }
      var offset = 20
      for _ in 0..<Swift.max(0, bigEndian(Int32.self, at: 12)) {
        let length = Int(bigEndian(Int32.self, at: offset))
        offset += 4
        guard length >= 0 else {
          try body(nil)
          continue
        }
        guard offset + length <= count else { return }
        try body(UnsafeRawBufferPointer(rebasing: self[offset..<offset + length]))
        offset += length
      }
    }
  }
#endif
