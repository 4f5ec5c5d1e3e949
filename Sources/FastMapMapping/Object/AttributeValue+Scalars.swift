extension Bool: AttributeValue {
  public static var attributeType: AttributeType { .boolean }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
    guard let value = field.boolean else { return nil }
    self = value
  }

  @inlinable
  public func write(to field: inout FieldWriter) { field.set(boolean: self) }
}

extension FixedWidthInteger where Self: AttributeValue {
  public static var attributeType: AttributeType { .integer }

  public static var integerRange: ClosedRange<Int64>? {
    if bitWidth == 64 { return isSigned ? nil : 0...Int64.max }
    return Int64(truncatingIfNeeded: min)...Int64(truncatingIfNeeded: max)
  }

  public static var takesUnsigned: Bool { !isSigned && bitWidth == 64 }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
    if Self.isSigned || Self.bitWidth < 64 {
      guard let value = field.integer else { return nil }
      self.init(exactly: value)
    } else {
      guard let value = field.unsigned else { return nil }
      self.init(exactly: value)
    }
  }

  @inlinable
  public func write(to field: inout FieldWriter) {
    if Self.isSigned {
      field.set(integer: Int64(truncatingIfNeeded: self))
    } else {
      field.set(unsigned: UInt64(truncatingIfNeeded: self))
    }
  }
}

extension Int: AttributeValue {}
extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}
extension UInt: AttributeValue {}
extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt64: AttributeValue {}

extension Double: AttributeValue {
  public static var attributeType: AttributeType { .number }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
    guard let value = field.number else { return nil }
    self = value
  }

  @inlinable
  public func write(to field: inout FieldWriter) { field.set(number: self) }
}

extension Float: AttributeValue {
  public static var attributeType: AttributeType { .number }

  /// Rounds to the nearest. A number beyond the largest one is refused.
  @inlinable @inline(__always)
  public init?(_ field: Field) {
    guard let value = field.number,
      value.magnitude <= Double(Float.greatestFiniteMagnitude) || !value.isFinite
    else { return nil }
    self = Float(value)
  }

  /// Writes the shortest number that reads back as the same `Float`: 11.1 instead of 11.100000381469727.
  public func write(to field: inout FieldWriter) { field.set(number: Double(description) ?? Double(self)) }

  public static var expectation: (@Sendable (JSONValue) -> String?)? {
    { value in
      guard let number = value.number, number.magnitude > Double(Float.greatestFiniteMagnitude) else {
        return nil
      }
      return "a number that a Float can hold"
    }
  }
}

extension String: AttributeValue {
  public static var attributeType: AttributeType { .string }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
    guard let value = field.string else { return nil }
    self = value
  }

  @inlinable
  public func write(to field: inout FieldWriter) { field.set(string: self) }
}

extension Timestamp: AttributeValue {
  public static var attributeType: AttributeType { .date(.iso8601) }

  @inlinable @inline(__always)
  public init?(_ field: Field) {
    guard let value = field.date else { return nil }
    self = value
  }

  @inlinable
  public func write(to field: inout FieldWriter) { field.set(date: self) }
}

extension DecimalNumber: AttributeValue {
  public static var attributeType: AttributeType { .decimal }

  public init?(_ field: Field) {
    guard let decimal = field.decimal else { return nil }
    self = decimal
  }

  public func write(to field: inout FieldWriter) { field.set(decimal: self) }
}
