package import CFastMap

/// The fields of one object, lent: what an import writes, or what a store reads.
///
///     let length = try reader.withRow(id, of: 0) { row in row[1].bytes?.count }
///     let age = try snapshot.withRow("Person", key: 314) { row in try row["age"].integer }
///
/// Fields have the numbers of the schema, and names where a ``Snapshot`` lends the row. A store decodes a field when it is
/// asked for, and no other.
///
/// - Note: Valid only in the call that it is lent to. Not `Sendable`: what it points to belongs to one import or one read.
public struct Row {
  /// Decodes one field; missing where there is none.
  // A C function: it captures nothing, and a row costs no allocation.
  package typealias Decoder = @convention(c) (_ source: UnsafeRawPointer, _ field: Int) -> fastmap_slot

  private let source: UnsafeRawPointer
  /// Nil where the source is slots.
  private let decode: Decoder?

  /// The number of fields.
  public let count: Int

  /// What gives the fields their names.
  private var schema: Schema?
  private var entity = 0

  /// - Parameters:
  ///   - source: What `decode` reads from; outlives the row.
  ///   - count: The number of fields.
  ///   - decode: Gets numbers of fields below `count`.
  package init(_ source: UnsafeRawPointer, count: Int, _ decode: @escaping Decoder) {
    self.source = source
    self.count = count
    self.decode = decode
  }

  package init(slots: UnsafePointer<fastmap_slot>, count: Int) {
    source = UnsafeRawPointer(slots)
    self.count = count
    decode = nil
  }

  /// The fields of a row that was filled; one that is decoded has none.
  @inline(__always)
  package var slots: UnsafePointer<fastmap_slot> {
    assert(decode == nil, "a row that is decoded has no slots")
    return source.assumingMemoryBound(to: fastmap_slot.self)
  }

  /// A field by its number in the schema.
  ///
  /// - Precondition: The number is below ``count``.
  public subscript(field: Int) -> Field {
    precondition(field < count, "a field beyond the row")
    if let decode { return Field(decode(source, field)) }
    return Field(slots[field])
  }

  /// A field by its name. Where speed counts, use numbers: a name is looked for among all names.
  ///
  /// - Throws: ``UnknownNameError`` where the plan knows no field of that name, and for a row that no ``Snapshot`` lends.
  /// - Complexity: O(*n*) in the fields.
  public subscript(name: String) -> Field {
    get throws(UnknownNameError) {
      guard let schema else { throw UnknownNameError("a row of a store has no names, found \(quoted(name))") }
      return self[try schema.field(named: name, of: entity)]
    }
  }

  /// The same with names.
  func named(by schema: Schema, _ entity: Int) -> Row {
    var row = self
    row.schema = schema
    row.entity = entity
    return row
  }
}

/// Lending, for a store.
extension Row {
  /// Lends an object to `body`. A field is decoded when it is asked for, each time that it is: what a store of your
  /// own makes ``StoreReader/withRow(_:of:_:)`` of.
  ///
  ///     try Row.lend(count: columns.count) { statement.field(columns[$0]) } to: { try body($0) }
  ///
  /// - Parameters:
  ///   - count: The number of fields that the entity has in the schema of the read.
  ///   - decode: Gets the number of a field, and returns what it holds. What it lends stays where it is until `body`
  ///     returns. It cannot fail: notice what is damaged, and throw afterwards.
  ///   - body: Gets the object, valid until it returns, on the same thread.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  /// - Complexity: That of `body`; each access calls `decode` once.
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
