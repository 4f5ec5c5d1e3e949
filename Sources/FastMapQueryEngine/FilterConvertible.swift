/// A type that stands for a condition: a ``Filter``, or the value of a Boolean property, meaning that it is true.
///
///     Person.mapping.where { $0.isActive && !$0.isHidden && $0.age >= 18 }
///
/// The module `FastMapQueries` has `&&`, `||` and `!`.
public protocol FilterConvertible {
  /// The condition.
  var filter: Filter { get }
}

extension Filter: FilterConvertible {
  public var filter: Filter { self }
}

extension FilterValue: FilterConvertible where Value.Unwrapped == Bool {
  /// True if the property is true, and false if there is no value.
  public var filter: Filter { comparing(.equal, .boolean(true)) }
}
