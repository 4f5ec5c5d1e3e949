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
///       func write(to field: inout FieldWriter) { digits.write(to: &field) }
///     }
///
/// These types conform: `Bool`, the integers, `Float`, `Double`, `String`, `[UInt8]` and ``Timestamp``, and enums
/// with raw values that declare it. So do arrays, sets and optionals of them. The module `FastMapFoundation` adds
/// `Date`, `URL`, `UUID`, `Decimal` and `Data`.
///
/// - Note: Thread rule: an import of a long text may call these requirements on any thread, concurrently and in any
///   order. They must be pure, and must not write to the store of the import.
public protocol AttributeValue: SendableMetatype {
  /// The type without its optionality.
  associatedtype Unwrapped: AttributeValue = Self

  /// The default type in JSON, and the kind of the stored value.
  static var attributeType: AttributeType { get }

  /// Reads a value.
  ///
  /// - Parameter field: A value of the kind of ``attributeType``, or null.
  /// - Returns: Nil for null in a type without null, which leaves the property alone, and for a value that the type cannot hold.
  ///   Reading an object with such a value throws an ``UnreadableValueError``.
  init?(_ field: Field)

  /// Writes the value: as another value writes itself, or as JSON text.
  func write(to field: inout FieldWriter)

  /// Whether null is a value of the type.
  static var isOptional: Bool { get }

  /// The range of integers; nil for all of 64 bits, and for types that are not integers.
  static var integerRange: ClosedRange<Int64>? { get }

  /// Whether it holds integers above `Int64.max`.
  static var takesUnsigned: Bool { get }

  /// Checks a JSON value of the right kind. Returns nil if it fits, else the expectation in words. Nil for a type that
  /// accepts every value of its kind.
  static var expectation: (@Sendable (JSONValue) -> String?)? { get }

  /// Reads a JSON value instead of ``attributeType``, for a type with several kinds or spellings of JSON values.
  ///
  ///     static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
  ///       { value, field in
  ///         guard let text = value.string ?? value.integer.map({ "\($0)" }) else { return "an ISBN" }
  ///         text.filter { $0 != "-" }.write(to: &field)
  ///         return nil
  ///       }
  ///     }
  ///
  /// Writes a normalised value that `init(_:)` can read, or returns the expectation in words. Not called for
  /// null. ``expectation`` is called afterwards. Nil for a type that is read according to its ``attributeType``.
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
