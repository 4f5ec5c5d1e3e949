/// A value in a payload that does not match its mapping.
///
///     $[417].price: expected a number, found the string "n/a" (line 2503, column 14)
public struct MappingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the value in the payload. For a missing value, the path where it should be.
  public let path: JSONPath

  /// The line and column of the value, or of the object that lacks it; nil for a tree without text.
  public let location: TextLocation?

  /// What was expected, and what was found.
  public let reason: Reason

  /// The kind of mismatch.
  ///
  ///     if case .missingKey(_, let entity, _) = error.reason { print("no key:", entity) }
  public enum Reason: Equatable, Sendable {
    /// A value with the wrong type, format or range.
    case unexpected(expected: String, found: String)
    /// A missing or null primary key.
    case missingKey(kind: AttributeKind, entity: String, isNull: Bool)
    /// A root path that does not exist.
    case missingRoot(JSONPath)
    /// A value that the store refused, such as a key that it cannot hold.
    case refused(String)
  }

  package init(path: JSONPath, location: TextLocation?, reason: Reason) {
    self.path = path
    self.location = location
    self.reason = reason
  }

  /// What was expected and what was found, without the path.
  public var message: String {
    switch reason {
    case .unexpected(let expected, let found):
      "expected \(expected), found \(found)"
    case .missingKey(let kind, let entity, isNull: true):
      "expected \(kind.noun), the primary key of \(escaped(entity)), found null"
    case .missingKey(let kind, let entity, isNull: false):
      "expected \(kind.noun), the primary key of \(escaped(entity)), found nothing"
    case .missingRoot:
      "expected the objects to map at this root path, found nothing"
    case .refused(let why):
      why
    }
  }

  public var description: String {
    guard let location else { return "\(path): \(message)" }
    return "\(path): \(message) (\(location))"
  }
}

/// A line and a column of a text, counted from 1. Columns count Unicode scalars.
///
///     print(TextLocation(line: 3, column: 17))     // line 3, column 17
public struct TextLocation: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int

  /// Makes a location.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public var description: String { "line \(line), column \(column)" }
}

extension AttributeKind {
  /// The noun with its article, for messages.
  package var noun: String {
    switch self {
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .string: "a string"
    case .date: "a date"
    case .data: "base64 data"
    case .json: "a JSON value"
    }
  }
}

extension AttributeDefinition {
  /// The expectation in a message; nil if nothing was found.
  ///
  /// - Parameter isKey: Whether it is the primary key, a signed 64-bit integer.
  func expectation(for value: JSONValue?, isKey: Bool = false) -> String {
    // An integer that is out of range, so the message states the range.
    let isBeyond = type == .integer && value?.digits != nil
    guard let range = rules.range ?? (isBeyond ? Int64.min...Int64.max : nil) else {
      let isNumber = type == .number && value?.number != nil
      return isNumber ? "a number that a Double can hold" : type.expectation
    }
    if rules.takesUnsigned, !isKey { return "an integer from 0 to \(UInt64.max)" }
    return "an integer from \(range.lowerBound) to \(range.upperBound)"
  }
}

extension AttributeType {
  /// The expectation in a message.
  var expectation: String {
    switch self {
    case .date(let format): "a date (\(list(format.all.map(\.noun), conjunction: "or")))"
    default: kind.noun
    }
  }
}

extension AttributeType.DateFormat {
  fileprivate var noun: String {
    switch self {
    case .iso8601: "ISO 8601"
    case .epoch: "seconds since 1970"
    case .epochMilliseconds: "milliseconds since 1970"
    case .pattern(let pattern): pattern
    case .anyOf: "one of several forms"  // `all` has none
    }
  }
}
