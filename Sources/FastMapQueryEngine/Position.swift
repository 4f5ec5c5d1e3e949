/// A place in the results of a query: after one object, also after that object has changed or gone.
///
///     let page = try store.read { try $0.page(newest.limit(20)) }
///     let next = try store.read { try $0.page(newest.after(page.position).limit(20)) }
///
/// A position has the values that the query sorts by, and the key. So it holds after its object has changed or is
/// deleted: no object whose values stay the same is skipped, or comes twice. The position fits queries with the same
/// mapping, filter and order.
///
/// Written as text, it may travel through a web page or a command line. The text has a checksum, so that it is never taken for
/// a key, and a broken one is an error, not the first page.
public struct Position: Hashable, Sendable, CustomStringConvertible {
  /// A hash of the mapping, the filter and the order.
  let query: UInt64
  /// The values of the sort terms; `null` for no value.
  package let values: [Value]
  package let key: PrimaryKey
}

extension Position {
  /// Reads a position from its text.
  ///
  ///     let next = try store.read { try $0.page(newest.after(Position(text)).limit(20)) }
  ///
  /// - Throws: ``FilterError`` for any other text.
  public init(_ text: String) throws(FilterError) {
    guard let position = PositionReader.position(text) else {
      throw FilterError(
        .init(.unknown, "expected the text of a position, found \(quoted(beginning(of: text, most: 100)))"))
    }
    self = position
  }

  /// The position as text: letters, digits, `-` and `_`.
  public var description: String { PositionWriter.text(of: self) }
}
