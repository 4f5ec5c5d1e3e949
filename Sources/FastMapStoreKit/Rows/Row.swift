public import CFastMap  // for code that is inlined in other modules; users see no name of it

/// The lent fields of one object: from an import for a store to write, or from a store that is read.
///
///     let length = try reader.withRow(id, of: 0) { row in row[1].bytes?.count }
///     try snapshot.forEachRow(Person.mapping) { row, key in try row["age"].integer != 36 }
///
/// Fields have the numbers of the schema. A row from a ``Snapshot`` also has their names. A store decodes a field
/// only when it is read.
///
/// - Note: Valid only in the call that receives it: the compiler refuses to keep one. Keep values of its fields, or a ``Record``.
public struct Row: ~Escapable {
  /// Decodes one field; missing if there is no value.
  // A C function, because it captures nothing and a row then needs no allocation.
  @usableFromInline package typealias Decoder =
    @convention(c) (_ source: UnsafeRawPointer, _ field: Int) -> fastmap_slot

  @usableFromInline let source: UnsafeRawPointer
  /// Nil if the source is slots.
  @usableFromInline let decode: Decoder?

  /// The number of fields.
  public let count: Int

  /// The names of the fields.
  @usableFromInline var entities: [Schema.Entity]?
  @usableFromInline var entity = 0

  /// - Parameters:
  ///   - source: The source for `decode`. The source outlives the row.
  ///   - count: The number of fields.
  ///   - decode: Receives field numbers below `count`.
  @_lifetime(immortal)
  package init(_ source: UnsafeRawPointer, count: Int, _ decode: @escaping Decoder) {
    self.source = source
    self.count = count
    self.decode = decode
  }

  /// - Parameter slots: They outlive the row.
  @inlinable
  @_lifetime(immortal)
  package init(slots: UnsafePointer<fastmap_slot>, count: Int) {
    source = UnsafeRawPointer(slots)
    self.count = count
    decode = nil
  }

  /// Whether it has slots, and is not decoded field by field.
  @inlinable
  package var isFilled: Bool { decode == nil }

  /// The slots of a filled row. A decoded row has none.
  @inlinable @inline(__always)
  package var slots: UnsafePointer<fastmap_slot> {
    assert(decode == nil, "a row that is decoded has no slots")
    return source.assumingMemoryBound(to: fastmap_slot.self)
  }

  /// A field, by its number in the schema.
  ///
  /// - Precondition: The number is from 0 to ``count`` - 1.
  public subscript(field: Int) -> Field {
    // One comparison, which a negative number fails too.
    precondition(UInt(bitPattern: field) < UInt(bitPattern: count), "a field beyond the row")
    if let decode { return Field(decode(source, field)) }
    return Field(slots[field])
  }

  /// A field, by its name. Numbers are faster, because a name is searched among all names.
  ///
  /// - Throws: ``UnknownNameError`` if the plan has no field of that name, and for a row that does not come from a
  ///   ``Snapshot``.
  /// - Complexity: O(*n*) in the fields.
  public subscript(name: String) -> Field {
    get throws(UnknownNameError) {
      guard let entities else {
        throw UnknownNameError("a row of a store has no names, found \(quoted(name))")
      }
      return self[try Schema(names: entities).field(named: name, of: entity)]
    }
  }

  /// The first of some fields that is a key.
  package func key(in fields: some Sequence<Int>) -> PrimaryKey? {
    for field in fields { if let key = self[field].key { return key } }
    return nil
  }

  /// The same row with names.
  @_lifetime(copy self)
  package func named(by schema: Schema, _ entity: Int) -> Row {
    var row = self
    row.entities = schema.entities
    row.entity = entity
    return row
  }
}

/// Lending, for a store.
extension Row {
  /// Lends an object to `body`, and decodes a field each time it is read.
  ///
  ///     try Row.lend(count: columns.count) { statement.field(columns[$0]) } to: { try body($0) }
  ///
  /// Use it to implement ``StoreReader/withRow(_:of:_:)`` in your own store.
  ///
  /// - Parameters:
  ///   - count: The number of fields of the entity in the schema of the read.
  ///   - decode: Receives the number of a field and returns its value. Borrowed bytes must stay in place until `body`
  ///     returns. The closure cannot throw: record damage, and throw afterwards.
  ///   - body: Receives the object, valid until it returns, on the same thread.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`.
  /// - Complexity: As `body`. Each access calls `decode` once.
  public static func lend<R>(
    count: Int, decoding decode: (_ field: Int) -> Field, to body: (Row) throws -> R
  ) rethrows -> R {
    try withoutActuallyEscaping(decode) { decode in
      try withUnsafePointer(to: Lender(decode: decode)) { lender in
        try body(
          Row(lender, count: count) { source, field in
            source.assumingMemoryBound(to: Lender.self).pointee.decode(field).slot
          })
      }
    }
  }

  private struct Lender {
    let decode: (Int) -> Field
  }
}
