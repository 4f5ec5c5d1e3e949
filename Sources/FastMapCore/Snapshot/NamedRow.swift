/// One stored object whose fields have names, lent by a store.
///
///     try reader.forEachRow("Person") { row, key in
///       if row["age"] == .integer(36) { found.append(key) }
///       return true
///     }
///
/// Its members trap where the plan knows no field of that name.
///
/// - Note: Valid only in the closure that it is lent to. A name is looked for among the fields; where that
///   counts, use ``row`` and numbers.
public struct NamedRow {
  /// The same, with numbers for the fields.
  public let row: StoredRow

  /// What the plan says of it.
  public let entity: Schema.Entity

  /// A copy of an attribute's value; nil where it is absent.
  public subscript(name: String) -> Value? { row.value(at: number(of: name)) }

  /// Lends the bytes of a string (UTF-8), of data or of JSON text, as they are stored; nil for any other value.
  public func withBytes<R>(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R? {
    try row.withBytes(at: number(of: name), body)
  }

  /// The target of a to-one relationship; nil where it has none.
  public func target(_ name: String) -> ObjectID? { row.target(at: number(of: name)) }

  private func number(of name: String) -> Int {
    guard let number = entity.fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      preconditionFailure("\(entity.name) has no field \(quoted(name))")
    }
    return number
  }
}
