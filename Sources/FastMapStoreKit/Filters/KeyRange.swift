/// A range of keys; nil means no bound.
///
///     let some = try store.read { try $0.objects(Person.mapping.keys(100..<200)) }
///     let rest = try store.read { try $0.objects(Person.mapping.keys(KeyRange(from: first, to: last))) }
///
/// Every call with a key range also accepts Swift's ranges of integers, strings and keys: ``KeyRangeExpression``.
public struct KeyRange: Hashable, Sendable {
  /// The first key; nil if there is no bound.
  public var lower: PrimaryKey?
  /// The upper bound; nil if there is none.
  public var upper: PrimaryKey?
  /// Whether `upper` itself is in the range.
  public var includesUpper = true

  /// Makes a range that includes both bounds, empty if `lower` is above `upper`.
  public init(from lower: PrimaryKey? = nil, to upper: PrimaryKey? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Makes a range from a Swift range.
  package init(_ range: any KeyRangeExpression) { self = range.keyRange }

  /// Whether no key can be in the range.
  public var isEmpty: Bool {
    guard let lower, let upper else { return false }
    return includesUpper ? upper < lower : upper <= lower
  }
}

/// A range of keys: Swift's ranges of integers, strings and keys, and ``KeyRange``.
///
///     try store.delete(Person.mapping.keys(100..<200))
///     try store.delete(Person.mapping.keys("a"..."f"))
///     try store.delete(Person.mapping.keys(last...))
public protocol KeyRangeExpression {
  /// The keys.
  var keyRange: KeyRange { get }
}

extension KeyRange: KeyRangeExpression {
  public var keyRange: KeyRange { self }
}

extension ClosedRange: KeyRangeExpression where Bound: PrimaryKeyConvertible {
  public var keyRange: KeyRange { KeyRange(from: lowerBound.primaryKey, to: upperBound.primaryKey) }
}

extension Range: KeyRangeExpression where Bound: PrimaryKeyConvertible {
  public var keyRange: KeyRange {
    var range = KeyRange(from: lowerBound.primaryKey, to: upperBound.primaryKey)
    range.includesUpper = false
    return range
  }
}

extension PartialRangeFrom: KeyRangeExpression where Bound: PrimaryKeyConvertible {
  public var keyRange: KeyRange { KeyRange(from: lowerBound.primaryKey) }
}

extension PartialRangeThrough: KeyRangeExpression where Bound: PrimaryKeyConvertible {
  public var keyRange: KeyRange { KeyRange(to: upperBound.primaryKey) }
}

extension PartialRangeUpTo: KeyRangeExpression where Bound: PrimaryKeyConvertible {
  public var keyRange: KeyRange {
    var range = KeyRange(to: upperBound.primaryKey)
    range.includesUpper = false
    return range
  }
}
