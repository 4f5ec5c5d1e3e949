/// The words that may stand for the value of an option, or for an operand.
enum CompletionWord {
  case directory
  case file
  /// One of a few words.
  case words([String])
  /// The name of a mapping, and fields of one: ``NameCompletion`` knows them.
  case mapping, field
  /// A name or a value that no shell knows.
  case other

  init(_ option: Option) { self.init(option.value ?? "") }

  /// From a name in the table of commands: `DIR`, `FILE`, `json|ndjson`.
  init(_ name: String) {
    switch name {
    case "DIR": self = .directory
    case "FILE", "INPUT", "OUT": self = .file
    case "MAPPING": self = .mapping
    case _ where name.hasPrefix("FIELD"): self = .field
    default:
      let isList = name.contains("|") && name == name.lowercased()
      self = isList ? .words(name.split(separator: "|").map(String.init)) : .other
    }
  }

  /// The first words of a call that are no commands with options.
  static let others = ["help", "version", "--help", "--version"]
}
