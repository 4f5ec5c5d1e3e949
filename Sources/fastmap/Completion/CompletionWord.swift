/// The words that may stand for the value of an option, or for an operand.
enum CompletionWord {
  case directory
  case file
  /// One of a few words.
  case words([String])
  /// A name or a value that no shell knows.
  case other

  /// From a name in the table of commands: `DIR`, `FILE`, `json|ndjson`.
  init(_ name: String) {
    switch name {
    case "DIR": self = .directory
    case "FILE", "INPUT", "OUT": self = .file
    default:
      let isList = name.contains("|") && name == name.lowercased()
      self = isList ? .words(name.split(separator: "|").map(String.init)) : .other
    }
  }

  /// The first words of a call that are no commands with options.
  static let others = ["help", "version", "--help", "--version"]
}
