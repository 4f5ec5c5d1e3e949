import FastMapCore
import FastMapInference

/// Literals of Swift.
enum SwiftLiteral {
  /// A string literal of one line, whatever the text.
  static func string(_ text: String) -> String {
    let isPlain = !text.unicodeScalars.contains { needsEscape($0) }
    let hasMarks = text.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }
    if isPlain, hasMarks, text.firstRange(of: "\\#") == nil, text.firstRange(of: "\"#") == nil {
      return "#\"\(text)\"#"
    }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where needsEscape(scalar): result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Controls, and characters that are invisible or change the direction of a line.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    case .spaceSeparator: scalar != " "
    default: false
    }
  }

  /// A key path: `.wholeValue`, or its text.
  static func keyPath(_ path: JSONKeyPath) -> String {
    if path.isWhole { return ".wholeValue" }
    if path.origin == .context, case .member(let name)? = path.steps.first {
      return ".context(\(string(name)))"
    }
    if path.origin != .object { return string(path.description) }
    var text = ""
    for (index, step) in path.steps.enumerated() {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .each: text += "[]"
      case .member(let name):
        if index > 0 { text += "." }
        for scalar in name.unicodeScalars {
          if [".", "\\", "[", "]"].contains(scalar) { text += "\\" }
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return string(text)
  }

  /// The type of an attribute in JSON, if it is not the type of the property.
  static func type(_ type: AttributeType) -> String? {
    if case .list(let element) = type { return ".list(\(Self.type(element) ?? plain(element)))" }
    guard case .date(let format) = type, format != .iso8601 else { return nil }
    return ".date(\(dateFormat(format)))"
  }

  private static func plain(_ type: AttributeType) -> String {
    if case .date = type { ".date(.iso8601)" } else { ".\(type.kind.rawValue)" }
  }

  private static func dateFormat(_ format: AttributeType.DateFormat) -> String {
    switch format {
    case .iso8601: ".iso8601"
    case .epoch: ".epoch"
    case .epochMilliseconds: ".epochMilliseconds"
    case .pattern(let pattern): ".pattern(\(string(pattern)))"
    case .anyOf(let formats): "[" + formats.map(dateFormat).joined(separator: ", ") + "]"
    }
  }

  static func typeName(_ kind: AttributeKind) -> String {
    switch kind {
    case .boolean: "Bool"
    case .integer: "Int"
    case .number: "Double"
    case .decimal: "DecimalNumber"
    case .string: "String"
    case .date: "Timestamp"
    case .data: "[UInt8]"
    case .json: "JSONText"
    }
  }

  /// The value of a property. Nil for a value that its type does not have.
  ///
  /// - Parameter isTyped: Whether the place gives the type of the value.
  static func value(_ value: Value, _ type: GeneratedClass.PropertyType, isTyped: Bool) -> String? {
    switch (type, value) {
    case (.value(let kind, _), _): return Self.value(value, kind, isTyped: isTyped)
    case (.list(let list), .json(let text)):
      guard let elements = elements(text) else { return nil }
      let literal = "[" + elements.joined(separator: ", ") + "]"
      return isTyped ? literal : "\(literal) as [\(typeName(list.element))\(list.hasGaps ? "?" : "")]"
    default: return nil
    }
  }

  /// The elements of a JSON array of booleans, integers or strings.
  private static func elements(_ text: String) -> [String]? {
    let tree = try? Array(text.utf8).withUnsafeBytes { try JSONTree(parsing: $0) }
    guard case .list(let elements)? = tree else { return nil }
    return elements.map { element in
      switch element {
      case .boolean(let value): "\(value)"
      case .number(let digits): digits
      case .string(let text): string(text)
      case .null, .list, .object: "nil"
      }
    }
  }

  /// The value of a property of an attribute's type. Nil for a value that the type does not have.
  ///
  /// - Parameter isTyped: Whether the place gives the type of the value.
  static func value(_ value: Value, _ kind: AttributeKind, isTyped: Bool) -> String? {
    switch (value, kind) {
    case (.boolean(let value), .boolean): return "\(value)"
    case (.integer(let value), .integer): return "\(value)"
    case (.integer(let value), .number): return number(Double(value))
    case (.unsigned(let value), .number): return number(Double(value))
    case (.number(let value), .number): return number(value)
    case (.decimal(let value), .decimal):
      return isTyped ? string(value.text) : "DecimalNumber(\(string(value.text)))"
    case (.string(let text), .string): return string(text)
    case (.date(let date), .date):
      let rest = date.nanoseconds == 0 ? "" : ", nanoseconds: \(date.nanoseconds)"
      return "Timestamp(seconds: \(date.seconds)\(rest))"
    case (.data(let bytes), .data):
      let list = "[\(bytes.map { "\($0)" }.joined(separator: ", "))]"
      return isTyped ? list : list + " as [UInt8]"
    case (.json(let text), .json): return "JSONText(\(string(text)))"
    default: return nil
    }
  }

  private static func number(_ value: Double) -> String? { value.isFinite ? "\(value)" : nil }
}
