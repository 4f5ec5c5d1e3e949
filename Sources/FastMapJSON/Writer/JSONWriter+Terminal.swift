/// Strings without characters that could disturb a terminal: these are escaped.
extension JSONWriter {
  package mutating func name(forTerminal text: String) {
    var literal = jsonString(text) + ":"
    literal.withUTF8 { name(literal: $0) }
  }

  package mutating func string(forTerminal text: String) {
    var literal = jsonString(text)
    literal.withUTF8 { raw($0) }
  }
}
