/// A part of an index: values of its first fields, and bounds of the field after them.
///
///     let range = IndexRange(equal: [.value(.string("open"))])          // of an index on status and number
///     let above = IndexRange(equal: [.value(.string("open"))], lower: .init(.integer(10), isIncluded: false))
///
/// A bound counts by value: `lower` is the least one, also where the field is descending. With a bound, objects without a value of
/// its field are left out.
public struct IndexRange: Hashable, Sendable {
  /// The content of one field of an index.
  ///
  ///     let author = IndexRange.Content.object(id)
  public enum Content: Hashable, Sendable {
    /// No value.
    case none
    /// The value of an attribute, of the kind that the attribute has.
    case value(Value)
    /// The target of a relationship.
    case object(ObjectID)
  }

  /// An end of a range.
  ///
  ///     let adults = IndexRange.Bound(.integer(18), isIncluded: true)
  public struct Bound: Hashable, Sendable {
    /// A value of the kind that the attribute has.
    public let value: Value
    /// Whether the value itself is in the range.
    public let isIncluded: Bool

    /// Makes a bound.
    package init(_ value: Value, isIncluded: Bool) {
      self.value = value
      self.isIncluded = isIncluded
    }
  }

  /// A place in an index: after the object with these values and this key.
  ///
  ///     let behind = IndexRange.Position(contents: [.value(.string("open"))], key: 17)
  public struct Position: Hashable, Sendable {
    /// The content of each field of the index.
    public let contents: [Content]
    /// The key of the object.
    public let key: PrimaryKey

    /// Makes a position.
    package init(contents: [Content], key: PrimaryKey) {
      self.contents = contents
      self.key = key
    }
  }

  /// The content of the index's first fields; at most one for each field.
  public var equal: [Content]
  /// The least value of the field after them; nil if there is no bound.
  public var lower: Bound?
  /// The greatest value of the field after them; nil if there is no bound.
  public var upper: Bound?

  /// Makes a range. Without arguments, it is the whole index.
  package init(equal: [Content] = [], lower: Bound? = nil, upper: Bound? = nil) {
    self.equal = equal
    self.lower = lower
    self.upper = upper
  }
}

extension Schema.Index {
  /// The bytes that the values of an entry have together, if a store shortens long strings.
  package static let mostValueBytes = 352

  /// The longest string or data that every store has in an entry as a whole, where each zero byte counts twice.
  package var wholeBytes: Int { min(64, Self.mostValueBytes / max(1, parts.count) - 11) }

  /// Whether an entry has a value as a whole. Of a long string, an entry has the start.
  package func isWhole(_ content: IndexRange.Content) -> Bool {
    switch content {
    case .value(.string(let text)):
      text.utf8.count * 2 <= wholeBytes || text.utf8.reduce(0) { $0 + ($1 == 0 ? 2 : 1) } <= wholeBytes
    case .value(.data(let bytes)): bytes.reduce(0) { $0 + ($1 == 0 ? 2 : 1) } <= wholeBytes
    case .none, .object, .value: true
    }
  }
}
