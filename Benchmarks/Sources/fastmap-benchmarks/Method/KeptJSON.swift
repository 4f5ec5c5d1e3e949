import Foundation

/// The form of `results.json` and `curves.json`: one line for each subject, so that a change can be reviewed. Figures have
/// four digits.
struct KeptJSON {
  private static let lineLength = 400

  static func write(_ value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = KeptJSON(rest: try encoder.encode(value)[...])
    let lines = text.value().text(indented: 0) + "\n"
    try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
  }

  private indirect enum Node {
    case leaf(String)
    case collection(open: String, close: String, [(name: String, value: Node)])

    var line: String {
      switch self {
      case .leaf(let text): text
      case .collection(let open, let close, let parts):
        open + parts.map { $0.name + $0.value.line }.joined(separator: ", ") + close
      }
    }

    func text(indented depth: Int) -> String {
      guard case .collection(let open, let close, let parts) = self, line.count + depth > lineLength else {
        return line
      }
      let space = String(repeating: " ", count: depth)
      let lines = parts.map { "\(space)  \($0.name)\($0.value.text(indented: depth + 2))" }
      return "\(open)\n\(lines.joined(separator: ",\n"))\n\(space)\(close)"
    }
  }

  /// Compact JSON, as far as it is not read.
  private var rest: Data

  private mutating func value() -> Node {
    switch rest.first {
    case UInt8(ascii: "{"): collection("{", "}")
    case UInt8(ascii: "["): collection("[", "]")
    case UInt8(ascii: "\""): .leaf(string())
    default: .leaf(scalar())
    }
  }

  private mutating func collection(_ open: String, _ close: Character) -> Node {
    var parts: [(String, Node)] = []
    rest.removeFirst()
    while let byte = rest.first, byte != close.asciiValue {
      if byte == UInt8(ascii: ",") { rest.removeFirst() }
      var name = ""
      if open == "{" {
        name = string() + ": "
        rest.removeFirst()
      }
      parts.append((name, value()))
    }
    rest.removeFirst()
    return .collection(open: open, close: String(close), parts)
  }

  private mutating func string() -> String {
    var isEscaped = false
    let end = rest.dropFirst().firstIndex { byte in
      defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
      return byte == UInt8(ascii: "\"") && !isEscaped
    }
    return take(upTo: end.map { $0 + 1 })
  }

  private mutating func scalar() -> String {
    let text = take(
      upTo: rest.firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains($0) })
    guard text.contains(where: { ".e".contains($0) }), let figure = Double(text) else { return text }
    return String(format: "%.4g", figure)
  }

  private mutating func take(upTo end: Data.Index?) -> String {
    let end = end ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }
}
