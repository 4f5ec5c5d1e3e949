/// A place in the results of a query: behind one object, also after that object has changed or gone.
///
///     let page = try store.read { try $0.page(newest.limit(20)) }
///     let next = try store.read { try $0.page(newest.after(page.position).limit(20)) }
///
/// It has the values that the query sorts by, and the key. So it holds after its object has changed or is deleted: no object
/// whose values stay the same is skipped, or comes twice. It fits queries with the same mapping, filter and order.
///
/// Written as text, it may travel through a web page or a command line. The text has a checksum, so that it is never taken for
/// a key.
public struct Position: Hashable, Sendable {
  /// A hash of the mapping, the filter and the order.
  let query: UInt64
  /// The values of the sort terms; `null` for no value.
  let values: [Value]
  let key: PrimaryKey
}

extension Position: LosslessStringConvertible {
  /// Reads a position from its text. Any other text gives nil.
  public init?(_ description: String) {
    guard let position = PositionReader.position(description) else { return nil }
    self = position
  }

  /// The position as text: letters, digits, `-` and `_`.
  public var description: String { PositionWriter.text(of: self) }
}
