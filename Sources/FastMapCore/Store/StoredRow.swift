package import CFastMap

/// One stored object, lent by a store: its attributes and the targets of its to-one relationships. A field is
/// decoded when it is asked for, and no other.
///
///     let length = try reader.withRow(id, of: 0) { row in row.withBytes(at: 1) { $0.count } }
///
/// A store lends one with ``lend(decoding:to:)``.
///
/// - Note: Valid only in the closure that it is lent to.
public struct StoredRow {
  /// Decodes one field; missing where there is none.
  package typealias Decoder = (_ source: UnsafeRawPointer, _ field: Int) -> fastmap_slot

  private let source: UnsafeRawPointer
  private let decode: Decoder

  /// - Parameters:
  ///   - source: What `decode` reads from; outlives the row.
  ///   - decode: Captures nothing, so that a row costs no allocation.
  package init(_ source: UnsafeRawPointer, _ decode: @escaping Decoder) {
    self.source = source
    self.decode = decode
  }

  /// Lends a row that has been read as a whole.
  init(_ row: Row) {
    self.init(UnsafeRawPointer(row.slots)) { $0.assumingMemoryBound(to: fastmap_slot.self)[$1] }
  }

  /// A copy of an attribute's value; nil where it is absent.
  public func value(at field: Int) -> Value? { decode(source, field).value }

  /// A copy of an attribute that is a primary key; nil where it is absent.
  func key(at field: Int) -> PrimaryKey? { PrimaryKey(slot: decode(source, field)) }

  /// Lends the bytes of a string (UTF-8), of data or of JSON text, as they are stored; nil for any other value.
  public func withBytes<R>(at field: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R? {
    let slot = decode(source, field)
    switch Int(slot.tag) {
    case FASTMAP_STRING, FASTMAP_DATA, FASTMAP_JSON: return try body(UnsafeRawBufferPointer(slot.span))
    default: return nil
    }
  }

  /// The target of a to-one relationship; nil where it has none.
  public func target(at field: Int) -> ObjectID? {
    let slot = decode(source, field)
    return slot.tag == FASTMAP_TARGET ? slot.target : nil
  }
}
