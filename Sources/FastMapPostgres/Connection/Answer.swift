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
    func float8(_ row: Int, _ column: Int) -> Double {
      Double(bitPattern: bytes(row, column).bigEndian(UInt64.self))
    }

    @inline(__always)
    func boolean(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
  }

  extension UnsafeRawBufferPointer {
    /// A number, most significant byte first; 0 if it is not there.
    @inline(__always)
    func bigEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
      guard offset + MemoryLayout<T>.size <= count else { return 0 }
      return T(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
#endif
