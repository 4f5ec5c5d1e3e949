/// A value in a payload that does not fit its mapping.
///
///     $[417].price: expected a number, found the string "n/a" (line 2503, column 14)
public struct MappingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the value stands, or should stand, in the payload.
  public let path: JSONPath

  /// The place of the value in the text, or of the object that lacks it; nil for a tree without a text.
  public let location: TextLocation?

  /// What was expected, and what was found.
  public let reason: Reason

  /// What does not fit.
  ///
  ///     if case .missingKey(_, let entity, _) = error.reason { print("no key:", entity) }
  public enum Reason: Equatable, Sendable {
    /// A value that is not what the mapping says.
    case unexpected(expected: String, found: String)
    /// The primary key is missing or null.
    case missingKey(kind: AttributeKind, entity: String, isNull: Bool)
    /// A root path leads nowhere.
    case missingRoot(JSONPath)
    /// A key that the store cannot hold, or another refusal of a store.
    case refused(String)
  }

  package init(path: JSONPath, location: TextLocation?, reason: Reason) {
    self.path = path
    self.location = location
    self.reason = reason
  }

  /// What was expected and what was found, without the place.
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

/// A line and a column of a text, counted from 1; columns count Unicode scalars.
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
  /// With its article, for a message.
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
  /// What a message expects in place of a value; nil where nothing was found.
  ///
  /// - Parameter isKey: Whether it is the primary key, which has 64 bits with a sign.
  func expectation(for value: JSONValue?, isKey: Bool = false) -> String {
    // An integer, and yet not one: the message says which there are.
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
  /// What a message expects.
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
