import FastMapCore

/// What the tool says about itself.
enum Help {
  static let overview = """
    fastmap takes JSON into a store of uniqued, related objects, and gives it back.

    usage: fastmap COMMAND [options]

    \(textTable(Command.allCases.map { ["  " + $0.rawValue, $0.summary] }, ofWords: true))
    fastmap help COMMAND says more about a command, fastmap --version which version this is.

    Examples:
      fastmap import --store people.db --mappings mappings.json --as Person people.json
      fastmap get    --store people.db --mappings mappings.json --as Person 314
      fastmap export --store people.db --mappings mappings.json --as Person > people.ndjson

    Exit status: 0 done; 1 the data, the mapping file or the store is at fault; 2 the call is at fault.

    """

  static func page(for command: Command) -> String {
    """
    \(command.summary).

    \(usage(of: command))

    \(about(command))

    Options:
    \(textTable(command.options.map { ["  " + $0.usage, $0.summary] }, ofWords: true))
    Examples:
    \(examples(of: command).map { "  " + $0 + "\n" }.joined())
    """
  }

  /// What follows the message about a mistake in a call.
  static func afterMistake(in command: Command?) -> [String] {
    guard let command else { return ["usage: fastmap COMMAND [options]", "fastmap help lists the commands"] }
    return [usage(of: command), "fastmap help \(command.rawValue) says more"]
  }

  private static func usage(of command: Command) -> String {
    var words = ["usage: fastmap", command.rawValue]
    words += command.options.filter(\.isRequired).map(\.usage)
    let others = command.options.filter { !$0.isRequired }
    words += others.count > 4 ? ["[options]"] : others.map { "[\($0.usage)]" }
    if let operand = command.operand { words.append(operand.isRequired ? operand.name : "[\(operand.name)]") }
    return words.joined(separator: " ")
  }

  private static func about(_ command: Command) -> String {
    switch command {
    case .import:
      """
      INPUT is a file; it is standard input where it is - or not given. Objects are found by their primary keys,
      inserted or updated, and related to each other; what equals the stored value is not written. The store is
      made where there is none. A fault ends the import and leaves the store as it was; with --on-error skip the
      faulty objects alone are left out, listed on standard error as they are met and counted, and the exit status
      is 1. The report of --json lists the first 1000 errors; "moreErrors" is the number of the others.
      """
    case .get:
      """
      KEY is the object's primary key. Write -- before a key that begins with -.
      """
    case .export:
      """
      The objects come in the order of their keys, and then those without a key in the order they were made.
      An object that the line has already, or whose entity is on the way down to it from the root, is written as its
      key alone, so that a line is linear in what it reaches. Lines import as they are. Importing an export into an
      empty store gives the same store, but for weak links to objects that are not in it, and for what is written as
      a key in every line: objects that no line reaches but through others of their own entity. What only other
      mappings reach is exported with those. Objects without a key that others own stand inside of their owners; one
      that an object with a key owns has a line of its own too, if it is of the exported entity.
      """
    case .stats:
      """
      For each entity: its objects, those of them that have a key, and their bytes.
      """
    case .check:
      """
      Prints what is wrong, and where, one line a problem, to standard error; the exit status is 1 then.
      """
    case .dump:
      """
      The entities and their fields on the first line, then each object with its values and links; docs/DUMP.md has
      the form. Others may use the store meanwhile. fastmap load makes the same store of it.
      """
    case .load:
      """
      FILE is what fastmap dump printed, - for standard input. The store is made where there is none; one that has
      objects is refused. All is loaded in one transaction, or nothing.
      """
    case .backup:
      """
      OUT is the directory of the copy; it is made, or is empty. The copy is of the newest commit, and checked.
      It waits for a running import to end; with --compact it does not wait, and leaves out free pages.
      """
    case .repair:
      """
      OUT is the directory of the new store; it is made, or is empty. The old store is left as it is; nobody may
      have it open. What is lost is said on standard error, one line each; the exit status is 1 then.
      """
    case .compact:
      """
      Puts a copy without free pages in the store's place. Nobody may have it open; to compact a store that is in
      use, take a backup with --compact.
      """
    }
  }

  private static func examples(of command: Command) -> [String] {
    switch command {
    case .import:
      [
        "fastmap import --store people.db --mappings mappings.json --as Person people.json",
        "fastmap import --store people.db --mappings mappings.json --as Person --dry-run --json people.json",
        "curl -s https://example.com/people | fastmap import --store people.db --mappings mappings.json --as Person",
      ]
    case .get:
      [
        "fastmap get --store people.db --mappings mappings.json --as Person 314",
        "fastmap get --store people.db --mappings mappings.json --as Person -- -1",
      ]
    case .export:
      [
        "fastmap export --store people.db --mappings mappings.json --as Person > people.ndjson",
        "fastmap export --store people.db --mappings mappings.json --as Person --from 100 --to 199 --limit 10",
      ]
    case .stats: ["fastmap stats --store people.db", "fastmap stats --store people.db --json"]
    case .check: ["fastmap check --store people.db"]
    case .dump: ["fastmap dump --store people.db > people.dump"]
    case .load:
      [
        "fastmap load --store copy.db people.dump",
        "gunzip -c people.dump.gz | fastmap load --store copy.db -",
      ]
    case .backup: ["fastmap backup --store people.db backups/people.db"]
    case .repair: ["fastmap repair --store people.db people-repaired.db"]
    case .compact: ["fastmap compact --store people.db"]
    }
  }
}
