// A type with raw values only has to declare its conformance: `enum Sex: String, AttributeValue { case female = "f",
// male = "m" }`.
extension RawRepresentable where Self: AttributeValue, RawValue: AttributeValue {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public static var integerRange: ClosedRange<Int64>? { RawValue.integerRange }
  public static var takesUnsigned: Bool { RawValue.takesUnsigned }
  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? { RawValue.reading }

  /// Every value must have a case.
  public static var expectation: (@Sendable (JSONValue) -> String?)? { rawExpectation() }

  @inlinable
  public init?(_ field: Field) {
    guard let raw = RawValue(field) else { return nil }
    self.init(rawValue: raw)
  }

  @inlinable
  public func write(to field: inout FieldWriter) { rawValue.write(to: &field) }

  fileprivate static func rawExpectation() -> @Sendable (JSONValue) -> String? {
    { value in
      if let deeper = RawValue.expectation?(value) { return deeper }
      let isCase = value.withField(of: RawValue.self) {
        RawValue($0).flatMap { Self(rawValue: $0) } != nil
      }
      return isCase ? nil : "a value of \(Self.self)"
    }
  }
}

/// An enum with a case for unknown raw values.
///
///     enum Status: String, AttributeValueWithFallback {
///       case open, closed, other
///       static let fallback = Status.other
///     }
public protocol AttributeValueWithFallback: AttributeValue, RawRepresentable where RawValue: AttributeValue {
  /// The case for every raw value without a case of its own.
  static var fallback: Self { get }
}

extension AttributeValueWithFallback {
  public static var expectation: (@Sendable (JSONValue) -> String?)? { RawValue.expectation }

  @inlinable
  public init?(_ field: Field) {
    guard let raw = RawValue(field) else { return nil }
    self = Self(rawValue: raw) ?? Self.fallback
  }
}
