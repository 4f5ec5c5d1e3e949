/// A type that a mapped property can have.
///
///     struct Isbn { var digits: String }
///
///     extension Isbn: AttributeValue {
///       static var attributeType: AttributeType { .string }
///       init?(_ field: FieldValue) {
///         guard let digits = field.string else { return nil }
///         self.digits = digits
///       }
///       func write(to field: inout FieldWriter) { field.set(string: digits) }
///     }
///
/// `Bool`, the integers, `Float`, `Double`, `String`, `[UInt8]`, enums with raw values, arrays, sets and
/// optionals of these and ``Instant`` conform. Foundation's types do not: a module above this one is the
/// place for them.
public protocol AttributeValue: SendableMetatype {
  /// The type without its optionality.
  associatedtype Unwrapped: AttributeValue = Self

  /// How it stands in JSON where an attribute does not say otherwise, and what a store keeps of it.
  static var attributeType: AttributeType { get }

  /// Reads a value.
  ///
  /// - Parameter field: Of the kind of ``attributeType``, or null.
  /// - Returns: Nil where the property is to be left alone, as for null in a type that cannot say it.
  init?(_ field: FieldValue)

  /// Writes the value.
  func write(to field: inout FieldWriter)

  /// Whether null is a value of the type.
  static var isOptional: Bool { get }

  /// The integers it can hold; nil for all of 64 bits, and for what is no integer.
  static var integerRange: ClosedRange<Int64>? { get }

  /// Whether it holds integers above `Int64.max`.
  static var takesUnsigned: Bool { get }

  /// Looks at a JSON value that has the right kind: nil where it fits, else what was expected. Nil for a type
  /// to which everything of its kind fits.
  static var expectation: (@Sendable (JSONValue) -> String?)? { get }
}

extension AttributeValue {
  @inlinable public static var isOptional: Bool { false }
  @inlinable public static var integerRange: ClosedRange<Int64>? { nil }
  @inlinable public static var takesUnsigned: Bool { false }
  @inlinable public static var expectation: (@Sendable (JSONValue) -> String?)? { nil }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public typealias Unwrapped = Wrapped.Unwrapped

  public static var attributeType: AttributeType { Wrapped.attributeType }
  public static var isOptional: Bool { true }
  public static var integerRange: ClosedRange<Int64>? { Wrapped.integerRange }
  public static var takesUnsigned: Bool { Wrapped.takesUnsigned }
  public static var expectation: (@Sendable (JSONValue) -> String?)? { Wrapped.expectation }

  @inlinable @inline(__always)
  public init?(_ field: FieldValue) {
    if field.isNull {
      self = .none
    } else if let value = Wrapped(field) {
      self = .some(value)
    } else {
      return nil
    }
  }

  @inlinable
  public func write(to field: inout FieldWriter) {
    if let self { self.write(to: &field) } else { field.setNull() }
  }
}
