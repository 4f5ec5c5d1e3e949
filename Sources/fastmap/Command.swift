/// What the tool can do.
enum Command: String, CaseIterable {
  case `import`, get, export, stats, check, dump, load, backup, repair, compact

  /// One line, for the list of commands.
  var summary: String {
    switch self {
    case .import: "Take JSON into a store"
    case .get: "Print one object as JSON"
    case .export: "Print objects as JSON, one a line"
    case .stats: "Print what a store holds, and how large it is"
    case .check: "Check every invariant of a store"
    case .dump: "Print a whole store as JSON, without a mapping file"
    case .load: "Fill an empty store with what dump printed"
    case .backup: "Copy a store, also while it is in use"
    case .repair: "Copy what is intact of a damaged store into a new one"
    case .compact: "Make the file of a store as small as it can be"
    }
  }

  /// The argument that is no option.
  var operand: Operand? {
    switch self {
    case .import: Operand(name: "INPUT", isRequired: false)
    case .get: Operand(name: "KEY", isRequired: true)
    case .load: Operand(name: "FILE", isRequired: true)
    case .backup, .repair: Operand(name: "OUT", isRequired: true)
    case .export, .stats, .check, .dump, .compact: nil
    }
  }

  struct Operand {
    let name: String
    let isRequired: Bool
  }

  /// The options, in the order of the help.
  var options: [Option] {
    let store = Option("store", "DIR", isRequired: true, "The directory of the store")
    let shared = [
      store,
      Option("mappings", "FILE", isRequired: true, "The mapping file"),
      Option("as", "MAPPING", isRequired: true, "The mapping of the root objects"),
    ]
    let shape = [
      Option(
        "depth", "N", "Nest N levels of relationships, each way to an object (default: each object once)"),
      Option("max-object-bytes", "N", "End where the text of one object is larger (default: 1073741824)"),
    ]
    switch self {
    case .import:
      return shared + [
        Option("format", "json|ndjson", "What INPUT holds (default: by its ending, else json)"),
        Option(
          "root-path", "PATH",
          "Where the objects stand (default: the mapping's rootPath; of NDJSON, the line)"),
        Option("on-error", "abort|skip", "What a faulty object does (default: abort)"),
        Option("commit-every", "N", "Commit after every N root objects (default: one transaction for all)"),
        Option("dry-run", "Report, change nothing"),
        Option("json", "Print the report as one JSON object"),
        Option("quiet", "No progress bar, and no word of fields that no object has"),
      ]
    case .get: return shared + shape
    case .export:
      return shared + [
        Option("from", "KEY", "The first key, included"),
        Option("to", "KEY", "The last key, included"),
        Option("limit", "N", "At most N objects"),
      ] + shape
    case .stats: return [store, Option("json", "Print one JSON object")]
    case .check, .dump, .load, .repair, .compact: return [store]
    case .backup:
      return [store, Option("compact", "Leave out free pages: a smaller copy, which takes longer")]
    }
  }
}

/// Something that a command can be told.
struct Option {
  let name: String
  /// What its value is called in the help; nil for an option without a value.
  let value: String?
  let isRequired: Bool
  let summary: String

  init(_ name: String, _ value: String, isRequired: Bool = false, _ summary: String) {
    (self.name, self.value, self.isRequired, self.summary) = (name, value, isRequired, summary)
  }

  init(_ name: String, _ summary: String) {
    (self.name, self.value, self.isRequired, self.summary) = (name, nil, false, summary)
  }

  /// `--store DIR`
  var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }
}
