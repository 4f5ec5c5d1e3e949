package import CFastMap

/// Lending, for a store.
extension StoredRow {
  /// Lends an object to `body`. A field is decoded when it is asked for, each time that it is: what a store of your
  /// own makes ``StoreReader/withRow(_:of:_:)`` of.
  ///
  ///     try StoredRow.lend { field in columns[field].map { statement.field($0) } ?? .missing } to: { try body($0) }
  ///
  /// - Parameters:
  ///   - decode: Gets the number of a field in the schema of the read, and returns what it holds. What it lends
  ///     stays where it is until `body` returns. It cannot fail: notice what is damaged, and throw afterwards.
  ///   - body: Gets the object, valid until it returns, on the same thread.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  /// - Complexity: That of `body`; each access calls `decode` once.
  public static func lend<R>(
    decoding decode: (_ field: Int) -> Field, to body: (StoredRow) throws -> R
  ) rethrows -> R {
    try withoutActuallyEscaping(decode) { decode in
      try withUnsafePointer(to: Lender(decode: decode)) {
        try body(StoredRow(UnsafeRawPointer($0), Lender.decode))
      }
    }
  }

  private struct Lender {
    let decode: (Int) -> Field

    static func decode(_ source: UnsafeRawPointer, _ field: Int) -> fastmap_slot {
      source.assumingMemoryBound(to: Lender.self).pointee.decode(field).slot
    }
  }

  /// What one field holds, as a store lends it: bytes are borrowed, and nothing is copied.
  ///
  ///     case SQLITE_INTEGER: return .integer(integer(column))
  ///     case SQLITE_TEXT: return .bytes(bytes(column), as: .string)
  ///
  /// ``RowBuffer/setField(_:at:)`` copies it.
  ///
  /// - Note: Valid as long as the bytes it borrows.
  public struct Field {
    package let slot: fastmap_slot

    private init(_ tag: Int, _ fill: (inout fastmap_slot) -> Void = { _ in }) {
      var slot = fastmap_slot()
      slot.tag = UInt8(tag)
      fill(&slot)
      self.slot = slot
    }

    /// Nothing: absent, null, or a relationship to many, which no row has.
    public static var missing: Field { Field(FASTMAP_MISSING) }

    /// `true` or `false`.
    public static func boolean(_ value: Bool) -> Field {
      Field(FASTMAP_BOOLEAN) { $0.integer = value ? 1 : 0 }
    }

    /// A whole number.
    public static func integer(_ value: Int64) -> Field { Field(FASTMAP_INTEGER) { $0.integer = value } }

    /// An integer above `Int64.max`.
    public static func unsigned(_ value: UInt64) -> Field {
      Field(FASTMAP_UNSIGNED) { $0.integer = Int64(bitPattern: value) }
    }

    /// A number with a fraction, to the last bit.
    public static func number(_ value: Double) -> Field { Field(FASTMAP_NUMBER) { $0.number = value } }

    /// A moment.
    public static func date(_ value: Timestamp) -> Field {
      Field(FASTMAP_DATE) {
        $0.integer = value.seconds
        $0.length = value.nanoseconds
      }
    }

    /// The bytes of a string (UTF-8), of data or of JSON text, borrowed.
    public static func bytes(_ bytes: UnsafeRawBufferPointer, as kind: AttributeKind) -> Field {
      Field(kind.bytesTag) {
        $0.length = UInt32(bytes.count)
        $0.bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      }
    }

    /// The object of a to-one relationship.
    public static func target(_ id: ObjectID) -> Field { Field(FASTMAP_TARGET) { $0.target = id } }
  }
}

extension AttributeKind {
  /// The tag of a slot of this kind; traps for a kind that is no bytes.
  var bytesTag: Int {
    switch self {
    case .string: FASTMAP_STRING
    case .data: FASTMAP_DATA
    case .json: FASTMAP_JSON
    default: preconditionFailure("only strings, data and JSON text are bytes")
    }
  }
}
