/// The commands of the tool.
enum Command: String, CaseIterable {
  case infer, `import`, get, export, query, set, delete, mappings, stats, check, dump, load, backup, repair,
    compact
  case prepare, swift, describe, completion, man
  case dropIndex = "drop-index"

  /// Whether it never writes to a store.
  var onlyReads: Bool {
    switch self {
    case .get, .export, .query, .stats, .check, .dump, .describe, .infer, .swift, .completion, .man: true
    case .import, .set, .delete, .mappings, .load, .backup, .repair, .compact, .prepare, .dropIndex: false
    }
  }

  /// One line, for the list of commands.
  var summary: String {
    switch self {
    case .infer: "Print a mapping file for JSON"
    case .import: "Import JSON into a store"
    case .get: "Print one object as JSON"
    case .export: "Print objects as JSON, one per line"
    case .query: "Print the objects that a filter describes"
    case .set: "Change fields of one object"
    case .delete: "Delete objects by key or by a filter"
    case .mappings: "Print the mapping file that a store keeps, or put another in its place"
    case .stats: "Print the entities, counts and sizes of a store"
    case .check: "Check every invariant of a store"
    case .dump: "Print a whole store as JSON, without a mapping file"
    case .load: "Fill an empty store from a dump"
    case .backup: "Copy a store, even while it is in use"
    case .repair: "Copy the intact records of a damaged store into a new one"
    case .compact: "Make the file of a store as small as possible"
    case .dropIndex: "Remove an index from a store"
    case .prepare: "Make the tables of a PostgreSQL store, or print their SQL"
    case .swift: "Print Swift classes for a mapping file"
    case .completion: "Print a script that completes the commands and options in a shell"
    case .man: "Print the manual page"
    case .describe: "Describe a store or a mapping file, as text or as a page with a picture"
    }
  }

  /// The options whose values may stand as the first arguments, without their names.
  var words: [String] {
    (has("store") && self != .infer ? ["store"] : [])
      + (has("as") && self != .import && self != .prepare ? ["as"] : [])
  }

  func has(_ option: String) -> Bool { options.contains { $0.name == option } }

  /// The argument after the store and the mapping.
  var operand: Operand? {
    switch self {
    case .infer: Operand(name: "FILE", isRequired: true, isRepeated: true)
    case .import: Operand(name: "INPUT", isRequired: false, isRepeated: true)
    case .get: Operand(name: "KEY", isRequired: true)
    case .query: Operand(name: "FILTER", isRequired: false)
    case .set: Operand(name: "KEY FIELD=VALUE", isRequired: true, isRepeated: true)
    case .delete: Operand(name: "KEY", isRequired: false, isRepeated: true)
    case .mappings: Operand(name: "FILE", isRequired: false)
    case .load: Operand(name: "FILE", isRequired: true)
    case .backup, .repair: Operand(name: "OUT", isRequired: true)
    case .dropIndex: Operand(name: "INDEX", isRequired: true)
    case .completion: Operand(name: "bash|zsh|fish", isRequired: true)
    case .export, .stats, .check, .dump, .compact, .prepare, .swift, .describe, .man: nil
    }
  }

  struct Operand {
    let name: String
    let isRequired: Bool
    var isRepeated = false

    var most: Int { isRepeated ? .max : 1 }

    /// As the usage line shows it.
    var usage: String { name + (isRepeated ? "…" : "") }
  }

  /// The options, in the order of the help page.
  var options: [Option] {
    let directory = Option("store", "DIR", isRequired: true, "The directory of the store")
    let store = Option("store", "DIR", isRequired: true, Self.storeSummary)
    let mappings = Option("mappings", "FILE", "The mapping file (default: the one that the store keeps)")
    let root = Option("as", "MAPPING", isRequired: true, "The mapping of the root objects")
    let shared = [store, mappings, root]
    let columns = [
      Option(
        "format", "ndjson|json|csv|table",
        "The form of the output (default: ndjson; of query on a terminal, table)"
      ),
      Option("fields", "FIELD[,FIELD…]", "These fields only: paths as author.name, and count(LIST)"),
    ]
    let once = Option("once", "Write an object that is met again in one line as its key")
    let shape = [
      Option(
        "depth", "N",
        "Nest N levels of relationships, on every path to an object (default: each object once in full)"
      ),
      Option("nulls", "Write null for fields without a value"),
      Option("max-object-bytes", "N", "Fail if the text of one object is larger (default: 1073741824)"),
    ]
    return ownOptions(shared, shape, columns, once, store, directory, mappings)
      + (hasServer ? Self.serverOptions(of: self) : [])
  }

  private var hasServer: Bool {
    switch self {
    case .import, .get, .export, .query, .set, .delete, .mappings, .stats, .check, .dump, .load, .prepare,
      .dropIndex, .describe:
      true
    case .backup, .repair, .compact, .infer, .swift, .completion, .man: false
    }
  }

  private func ownOptions(
    _ shared: [Option], _ shape: [Option], _ columns: [Option], _ once: Option, _ store: Option,
    _ directory: Option, _ mappings: Option
  ) -> [Option] {
    switch self {
    case .infer:
      return [
        Option("name", "NAME", "The name of the root entity (default: from the root path or the file)"),
        Option("overrides", "FILE", "Your changes, which every run applies to the inferred mapping"),
        Option(
          "store", "STORE", "Keep the decisions of the mapping file in this store, and list the differences"),
        Option("check", "List the values that the mapping does not read"),
        Option("quiet", "Do not explain the decisions"),
      ]
    case .import:
      return [
        store, mappings,
        Option(
          "as", "MAPPING", "The mapping of the root objects (default: the only one that was imported before)"),
        Option(
          "format", "json|ndjson",
          "The format of INPUT (default: from its extension, else from its first two lines)"),
        Option(
          "root-path", "PATH",
          "The path of the objects, of ndjson in each line (default: the mapping's rootPath; for ndjson, the line)"
        ),
        Option("on-error", "abort|skip", "How to treat a faulty object (default: abort)"),
        Option("commit-every", "N", "Commit after every N root objects (default: one transaction for all)"),
        Option(
          "set", "NAME=VALUE", isRepeated: true, "The value of a field with a context; may be repeated"),
        Option("replace-all", "Delete the stored objects that INPUT does not have"),
        Option(
          "replace-where", "FILTER",
          "Delete the objects that match the filter before the import and that INPUT does not have"),
        Option("strict", "A member that no field reads is a fault of its object"),
        Option("changes", "Print a line for each changed object, and the report on standard error"),
        Option("dry-run", "Report, change nothing"),
        Option("json", "Print the report as one JSON object"),
        Option(
          "quiet",
          "No progress bar, and no note about fields that no object has or members that no field reads"),
      ]
    case .get: return shared + [once] + shape
    case .set: return shared
    case .export:
      return shared + [
        Option("from", "KEY", "The first key, included"),
        Option("to", "KEY", "The last key, included"),
        Option("limit", "N", "At most N objects"),
      ] + columns + shape
    case .query:
      return shared + [
        Option("sort", "FIELD[,-FIELD…]", "Sort by these fields, - for descending (default: by key)"),
        Option("limit", "N", "At most N objects"),
        Option(
          "after", "KEY|POSITION", "Only the objects after this key or position"),
        Option("positions", "Print the position after the last object as a last line"),
        Option("count", "Print the number of objects, in all or of each group"),
        Option("group", "FIELD[,FIELD…]", "Print one line for each group of objects with equal fields"),
        Option("sum", "FIELD[,FIELD…]", "Print the sum of each group, or of all objects"),
        Option("avg", "FIELD[,FIELD…]", "Print the average"),
        Option("min", "FIELD[,FIELD…]", "Print the least value"),
        Option("max", "FIELD[,FIELD…]", "Print the greatest value"),
        Option("keys", "Print a key per line, as JSON"),
        Option("stubs", "Only stubs, which have a key alone"),
        Option("orphans", "Only objects to which nothing refers"),
        Option("explain", "Print the indexes and objects that the query reads"),
      ] + columns + [once] + shape
    case .delete:
      return shared + [
        Option("where", "FILTER", "Delete the objects that the filter describes"),
        Option("orphans", "Of these, delete only objects to which nothing refers"),
        Option("dry-run", "Report, change nothing"),
      ]
    case .prepare:
      return [
        store, mappings,
        Option("as", "MAPPING", "The mapping of the root objects (default: all mappings of the file)"),
        Option("print", "Print the SQL, and change nothing"),
      ]
    case .stats: return [store, Option("json", "Print one JSON object")]
    case .check, .dump, .load, .mappings: return [store]
    case .repair, .compact: return [directory]
    case .dropIndex: return [store, Option("entity", "NAME", isRequired: true, "The entity of the index")]
    case .swift:
      return [
        Option("mappings", "FILE", isRequired: true, "The mapping file"),
        Option("namespace", "NAME", "Put the classes into an enum of this name"),
      ]
    case .completion, .man: return []
    case .describe:
      return [
        Option("store", "DIR", Self.storeSummary), Option("mappings", "FILE", "The mapping file"),
        Option("json", "Print one JSON object"), Option("mermaid", "Print a diagram for Mermaid"),
        Option("html", "OUT", "Write a page with a picture into this file"),
      ]
    case .backup:
      return [directory, Option("compact", "Leave out free pages: a smaller copy that takes longer")]
    }
  }
}

extension Command {
  // The tool's text stays as it is in a build without PostgreSQL.
  #if Postgres
    private static let storeSummary =
      "The directory of the store, or postgres://user@host:port/database?schema=name"

    private static func serverOptions(of command: Command) -> [Option] {
      let retries = [
        Option(
          "attempts", "N",
          "Try a commit that conflicts with others N times at most (default: for 60 seconds)"),
        Option("retry-for", "SECONDS", "Try a commit that conflicts with others for this time at most"),
      ]
      let times = [
        Option("statement-timeout", "SECONDS", "End a statement after this time (default: 300)"),
        Option("lock-timeout", "SECONDS", "End a wait for a lock after this time (default: none)"),
        Option(
          "wait-for-server", "SECONDS", "Wait for a server that takes no connections (default: 0)"),
      ]
      return [.import, .set].contains(command) ? retries + times : times
    }
  #else
    private static let storeSummary = "The directory of the store"

    private static func serverOptions(of command: Command) -> [Option] { [] }
  #endif
}

/// An option of a command.
struct Option {
  let name: String
  /// The name of its value in the help; nil for an option without a value.
  let value: String?
  let isRequired: Bool
  var isRepeated = false
  let summary: String

  init(
    _ name: String, _ value: String, isRequired: Bool = false, isRepeated: Bool = false, _ summary: String
  ) {
    (self.name, self.value, self.isRequired, self.summary) = (name, value, isRequired, summary)
    self.isRepeated = isRepeated
  }

  init(_ name: String, _ summary: String) {
    (self.name, self.value, self.isRequired, self.summary) = (name, nil, false, summary)
  }

  /// `--store DIR`
  var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }
}
