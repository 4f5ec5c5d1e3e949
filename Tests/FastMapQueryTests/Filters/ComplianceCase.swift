import FastMapCore
import FastMapSystem
import TestSupport

/// A test of RFC 9535's compliance suite whose selector is one filter: `$[?@.a == 1]`.
struct ComplianceCase: Sendable, CustomStringConvertible {
  let name: String
  /// The text between `?` and `]`.
  let filter: String
  /// The elements of the document's array, or the values of its object; nil if the selector is to be refused.
  let elements: [String]?
  /// The values that the filter chooses; for an object, in any of these orders.
  let results: [[String]]

  var description: String { "\(name): \(filter)" }

  init(_ name: String, _ filter: String, _ elements: [String]?, _ results: [[String]] = [[]]) {
    self.name = name
    self.filter = filter
    self.elements = elements
    self.results = results
  }

  /// Why a filter of FastMap cannot say the same; nil if it can. AskingTheStore.md lists the reasons.
  var exclusion: Exclusion? {
    let places = Self.outsideStrings(filter)
    if places.contains(where: { $0.byte == UInt8(ascii: "$") }) { return .root }
    if filter.contains("@..") { return .descendants }
    if elements != nil, Self.anchors.contains(where: filter.contains) { return .anchors }
    if elements != nil, Self.arguments.contains(where: filter.contains) { return .arguments }
    return nil
  }

  private static let anchors = ["'^", "$'"]
  private static let arguments = ["length(1)", "length(true)", "length(false)", "(1, '", "(@.a, 1)"]

  enum Exclusion: String, CaseIterable {
    /// `$` is a fault, as a filter is about one object.
    case root
    /// `..` is a fault, as related objects may form rings.
    case descendants
    /// `^` at the start and `$` at the end of a pattern are faults, as RFC 9485 has no anchors.
    case anchors
    /// A literal argument of the wrong type is a fault, as it can never be right.
    case arguments
  }

  /// The filter with a path in place of the `@` that is not in an inner filter.
  func about(_ path: String) -> String {
    let objects = Set(
      Self.outsideStrings(filter).filter { $0.byte == UInt8(ascii: "@") && $0.depth == 0 }.map(\.place))
    var text: [UInt8] = []
    for (place, byte) in filter.utf8.enumerated() {
      if objects.contains(place) { text += Array(path.utf8) } else { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes outside strings, and how many brackets are open.
  private static func outsideStrings(_ text: String) -> [(place: Int, byte: UInt8, depth: Int)] {
    var found: [(place: Int, byte: UInt8, depth: Int)] = []
    var quote: UInt8?
    var isEscaped = false
    var depth = 0
    for (place, byte) in text.utf8.enumerated() {
      if let open = quote {
        if !isEscaped, byte == open { quote = nil }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { quote = byte }
      if byte == UInt8(ascii: "]") { depth -= 1 }
      found.append((place, byte, depth))
      if byte == UInt8(ascii: "[") { depth += 1 }
    }
    return found
  }

  /// The one filter of a selector; nil if it is another selector, or several.
  private static func filter(of selector: String) -> String? {
    guard selector.hasPrefix("$[") else { return nil }
    let text = selector.dropFirst(2).drop { " \t\n\r".contains($0) }
    guard text.hasPrefix("?") else { return nil }
    let filter = String(text.dropFirst())
    let places = outsideStrings(filter)
    guard let end = places.first(where: { $0.depth < 0 }), end.place == filter.utf8.count - 1 else {
      return nil
    }
    // A comma between selectors, and not between arguments.
    var parentheses = 0
    for each in places where each.depth == 0 {
      if each.byte == UInt8(ascii: "(") { parentheses += 1 }
      if each.byte == UInt8(ascii: ")") { parentheses -= 1 }
      if each.byte == UInt8(ascii: ","), parentheses == 0 { return nil }
    }
    return String(filter.dropLast())
  }
}

extension ComplianceCase {
  /// The suite's file: `FASTMAP_JSONPATH_SUITE`, or `jsonpath-compliance-test-suite/cts.json` in the corpora; nil if there is
  /// none.
  static let path: String? = {
    if let path = getenv("FASTMAP_JSONPATH_SUITE") { return String(cString: path) }
    guard let folder = Files.corpora.map({ $0 + "/jsonpath-compliance-test-suite" }) else { return nil }
    return Files.names(in: folder).contains("cts.json") ? folder + "/cts.json" : nil
  }()

  /// All cases of the suite whose selector is one filter, and the number of the other ones.
  static func suite() throws -> (cases: [ComplianceCase], others: Int) {
    guard let path else { return ([], 0) }
    return try JSONDocument(parsing: Files.bytes(of: path)).withParsedJSON { root in
      let tests = root["tests"]?.elements ?? []
      let cases = tests.compactMap { ComplianceCase($0) }
      return (cases, tests.count - cases.count)
    } ?? ([], 0)
  }

  private init?(_ test: JSONValue) {
    guard let selector = test["selector"]?.string, let filter = Self.filter(of: selector) else { return nil }
    let document = test["document"]
    let elements = document?.elements ?? document?.members?.map(\.value)
    let results = test["results"]?.elements ?? test["result"].map { [$0] } ?? []
    self.init(
      test["name"]?.string ?? "", filter, elements?.map(\.text),
      results.map { ($0.elements ?? []).map(\.text) })
  }
}
