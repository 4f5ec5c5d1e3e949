/// A type that a mapped property can have.
///
///     struct Isbn { var digits: String }
///
///     extension Isbn: AttributeValue {
///       static var attributeType: AttributeType { .string }
///       init?(_ field: Field) {
///         guard let digits = field.string else { return nil }
///         self.digits = digits
///       }
///       func write(to field: inout FieldWriter) { field.set(string: digits) }
///     }
///
/// `Bool`, the integers, `Float`, `Double`, `String`, `[UInt8]`, enums with raw values, arrays, sets and
/// optionals of these and ``Timestamp`` conform. `Date`, `URL`, `UUID`, `Decimal` and `Data` do where the module
/// `FastMapFoundation` is imported.
///
/// - Note: Thread rule: an import of a long text asks ``expectation`` and ``reading``, reads and writes values on any
///   thread, several at once and in no order. They must be pure, and not write to the store that is imported into.
public protocol AttributeValue: SendableMetatype {
  /// The type without its optionality.
  associatedtype Unwrapped: AttributeValue = Self

  /// How it stands in JSON where an attribute does not say otherwise, and what a store keeps of it.
  static var attributeType: AttributeType { get }

  /// Reads a value.
  ///
  /// - Parameter field: Of the kind of ``attributeType``, or null.
  /// - Returns: Nil where the property is to be left alone, as for null in a type that cannot say it.
  init?(_ field: Field)

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

  /// Reads a JSON value in place of ``attributeType``, for a type that takes several kinds of value or has
  /// several spellings of one: writes what ``init(_:)`` reads, in one spelling, or returns what was expected.
  ///
  ///     static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
  ///       { value, field in
  ///         guard let text = value.string ?? value.integer.map({ "\($0)" }) else { return "an ISBN" }
  ///         field.set(string: text.filter { $0 != "-" })
  ///         return nil
  ///       }
  ///     }
  ///
  /// Null does not come here. ``expectation`` is asked afterwards. Nil for a type that is read as its
  /// ``attributeType`` says.
  static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? { get }
}

extension AttributeValue {
  @inlinable public static var isOptional: Bool { false }
  @inlinable public static var integerRange: ClosedRange<Int64>? { nil }
  @inlinable public static var takesUnsigned: Bool { false }
  @inlinable public static var expectation: (@Sendable (JSONValue) -> String?)? { nil }
  @inlinable public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? { nil }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public typealias Unwrapped = Wrapped.Unwrapped

  public static var attributeType: AttributeType { Wrapped.attributeType }
  public static var isOptional: Bool { true }
  public static var integerRange: ClosedRange<Int64>? { Wrapped.integerRange }
  public static var takesUnsigned: Bool { Wrapped.takesUnsigned }
  public static var expectation: (@Sendable (JSONValue) -> String?)? { Wrapped.expectation }
  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? { Wrapped.reading }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
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
