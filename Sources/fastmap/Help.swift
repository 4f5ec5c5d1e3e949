import FastMapCore

/// The help pages.
enum Help {
  static let overview = """
    fastmap imports JSON into a store of related objects, one for each primary key, and exports it again.

    usage: fastmap COMMAND [options]

    \(textTable(Command.allCases.map { ["  " + $0.rawValue, $0.summary] }, ofWords: true))
    fastmap help COMMAND describes a command. fastmap version prints the version.

    Examples:
      fastmap import people.db people.json
      fastmap query  people.db Person '@.age >= 18'
      fastmap get    people.db Person 314
      fastmap export people.db Person > people.ndjson

    The first arguments are the store and the mapping, where --store and --as do not name them. A store keeps the mapping
    file that it was imported with: fastmap mappings people.db prints it.

    Exit status: 0 done; 1 the data, the mapping file or the store is at fault; 2 the call is at fault; 3 other writes
    were in the way, or the outcome of the commit is unknown. An import or a deletion that is stored and cannot write its
    report has the status that it would have, and says so on standard error.

    """

  /// The commands of a first hour.
  static let firstSteps = [
    "fastmap import people.db people.json           makes a store, and a mapping for your JSON",
    "fastmap query people.db Person '@.age >= 18'",
  ]

  static func page(for command: Command) -> String {
    """
    \(command.summary).

    \(usage(of: command))

    \(about(command))

    \(options(of: command))Examples:
    \(examples(of: command).map { "  " + $0 + "\n" }.joined())
    """
  }

  /// The options; empty without any.
  private static func options(of command: Command) -> String {
    if command.options.isEmpty { return "" }
    return "Options:\n" + textTable(command.options.map { ["  " + $0.usage, $0.summary] }, ofWords: true)
      + "\n"
  }

  /// The lines after the message about a wrong call.
  static func afterMistake(in command: Command?) -> [String] {
    guard let command else { return ["usage: fastmap COMMAND [options]", "fastmap help lists the commands"] }
    return [usage(of: command), "fastmap help \(command.rawValue) describes it"]
  }

  static func usage(of command: Command) -> String {
    var words = ["usage: fastmap", command.rawValue]
    let named = command.options.filter { !command.words.contains($0.name) }
    words += command.words.map { $0 == "as" ? "MAPPING" : command == .describe ? "[STORE]" : "STORE" }
    words += named.filter(\.isRequired).map(\.usage)
    let others = named.filter { !$0.isRequired }
    words += others.count > 4 ? ["[options]"] : others.map { "[\($0.usage)]" }
    if let operand = command.operand {
      words.append(operand.isRequired ? operand.usage : "[\(operand.usage)]")
    }
    return words.joined(separator: " ")
  }

  static func about(_ command: Command) -> String {
    switch command {
    case .infer:
      """
      FILE is a payload of any size, JSON or NDJSON, also as gzip, or a folder of such files; - is standard input. infer reads
      all of it, files and objects in any order with the same result, and prints a mapping file: entities, keys, kinds,
      references and types. Members keep the order in which objects have them. On standard error stands a line for each decision that could have gone the other
      way, with its counts. What cannot be mapped safely is json.
      The file of --overrides has the form of a mapping file. Its members replace inferred ones, null removes a member,
      and a new "entity" renames an entity. "kinds": null keeps the objects of an entity together, and
      "kinds": {"keyPath": "type"} divides them by a member. Keep your changes there, and they survive the next run.
      A line on standard error names each override that is neither inferred nor in the payload.
      With --store, the mapping file that a store keeps is the beginning: its keys, names and types stay, as far as the payload
      allows, and so does all that a person wrote. New fields, mappings and kinds are added. A type that cannot hold the
      payload widens: integer to number or decimal, one value to a list, else to json. A line on standard error names each difference.
      With --check, a line on standard error names each place of the payload that the mapping does not read, and the exit
      status is 1 if there is one.
      """
    case .import:
      """
      INPUT is a file, or a folder: its files that end in .json, .ndjson or .jsonl, or so with .gz, by their names. - is
      standard input, which --store DIR without INPUT reads, too. Several inputs are one payload: one transaction, one report,
      and --replace-all counts over all of them. Data that begins as gzip is read through the program gzip. INPUT is ndjson
      if its first line is a whole value and another one follows. An input that lacks the root path adds nothing, and a
      line on standard error names it. Objects are found by their primary
      keys, inserted or updated, and linked to each other. Values equal to the stored ones are not written. The store
      is created if it does not exist. A fault ends the import and leaves the store unchanged, except for the commits
      of --commit-every before it. With --on-error skip, only the faulty objects are left out, and of ndjson the lines
      that are not JSON. They are listed on standard error and counted, and the exit status is 1. The errors of a file
      begin with its name, and have it as "file" in the report of --json.
      The store keeps the file of --mappings; fastmap help mappings says how. Without it, an import uses the kept file, and without --as
      the only mapping that was imported before. A payload of another kind is refused then: its first 100 objects have fewer than
      half of the mapping's fields, and the mapping knows fewer than half of their members. Into a store with nothing kept and no objects, it infers the mapping,
      keeps it, and explains its decisions. Inputs with different root paths, or with objects that share less than half of their
      members, are refused with a command for each kind.
      With --replace-all, INPUT is all there is: objects of the root entity that it does not have are deleted, unless
      an object that stays refers to them. --replace-where does so with the objects that its filter described before
      the import; fastmap help query explains FILTER. A line on standard error says how many of how many are deleted, and
      how many objects are left that only deleted ones referred to; query --orphans finds these. If the key of a root
      object cannot be read, or if an input or a line lacks the root path, nothing is deleted.
      --set match=7 gives a value to the fields with "context": "match" in the mapping file.
      Members that no field reads are counted, and so are fields to which INPUT gives different values for one object: a
      line on standard error, and "unread" and "contradictions" in the report. "ignores": ["meta.etag"] of a mapping names
      members that do not count, true stands for all. With --strict, such a member is a fault of its object.
      --changes prints a line for each object that a transaction has changed, after its commit, ascending by entity and key:
      {"change": "updated", "entity": "Person", "key": 7, "fields": {"age": [30, 31]}}, the values before and after. change
      is inserted, updated or deleted. An object without a key is in the field of its owner. Entities to which the mapping
      does not lead have no lines. With --dry-run the lines are the changes that the import would make. The report goes to
      standard error. Lines that cannot be written: status 1.
      The report of --json lists the first 1000 errors; "moreErrors" is the number of the others. It is also printed if
      an error ends the import: with that error, and the counts of the commits before it.
      """
    case .get:
      """
      KEY is the object's primary key. Write -- before a key that begins with -. An object that is met again is written with
      its attributes and the keys of its relationships to one, without its lists, until these repeats reach 1 MiB, and with
      --once as its key alone. An object whose entity is on the path from the root to it is always its key alone.
      """
    case .export:
      """
      Objects with a key come first, in key order. Objects without a key follow in the order of their creation.
      An object that the line already contains, or whose entity is on the path from the root to it, is written as
      its key alone, unlike in the lines of query: a program such as jq has to remember the objects of a line by their keys.
      So the size of a line is linear in the objects that it reaches. The output can be imported as it
      is. Importing an export into an empty store gives the same store, with two exceptions: weak links to objects
      that are not in the export, and objects that every line writes as a key alone, because only objects of their
      own entity lead to them. Objects that only other mappings reach are exported with those mappings. Objects
      without a key are written inside their owners. If the owner has a key and the object is of the exported entity,
      it has a line of its own, too.
      """
    case .query:
      """
      FILTER is a condition about an object, written @, and its attributes and relationships: a filter expression of
      RFC 9535. Write it in single quotes. Without FILTER, query prints all objects. A FIELD of --sort may be a path
      through relationships to one, as in author.name. Objects without a value come first, and last if descending.
      Equal objects ascend by key. lower(FIELD) sorts by the text in lower case. A backslash before -, a comma or a dot
      makes it a part of a name. --after continues behind an object in the order asked for, for paging. The object of
      a KEY has to exist. A POSITION holds after its object has changed or is deleted: --positions prints
      {"position": "…"} behind the objects. It belongs to the same mapping, FILTER and --sort.
      An object that is met again in one line is written with its attributes and the keys of its relationships to one,
      without its lists, until these repeats reach 1 MiB. With --once it is written as its key alone.
      A FIELD of --fields is an attribute, a relationship to one, which shows its key, a path as author.name or into json,
      or count(LIST). In CSV no value is nothing, and the empty string is "".
      With --group, query prints the values of its fields and the numbers of --count, --sum, --avg, --min and --max: columns
      that are named as asked, as in sum(total). --sort then names columns, and --limit counts groups. No value is a group of
      its own, and sums and averages leave it out. Sums of integers and decimals are exact, and others are rounded once.
      Without --group there is one line. A list is sorted by its length with --sort 'count(LIST)'.

        @.age >= 18 && @.author.name == "Ada"      compare values; author is a relationship to one
        @.born < "2000-01-01"                      dates are ISO 8601 strings
        @.email, !@.email                          has a value, has none
        @.author == 7                              the key of the related object
        @.tags[?@.name == "swift"]                 one of several related objects
        @.words[?@ == "swift"]                     one of the values of a list
        count(@.tags[*]) > 2, length(@.name) < 9   numbers of objects and of characters
        lower(@.name) == "ada"                     the text in lower case, as Unicode maps it by default
        match(@.name, "A.*"), search(@.name, "b")  patterns (I-Regexp, RFC 9485): the whole string, a part
        @.extra.address.city == "Bern"             inside an attribute of the type json
      """
    case .set:
      """
      VALUE is JSON, or for a field of the type string the text as it is; null clears the field. The value of a relationship
      is the key of its target. The other fields stay. An object without KEY is an error, and nothing is changed. Write --
      before a key that begins with -.
      """
    case .delete:
      """
      Deletes the objects with these keys, or those that --where describes; fastmap help query explains FILTER. Links to
      them are deleted too. So are the objects that they own, and targets of their `replace` relationships that nothing else
      refers to. With --orphans, objects of --where stay that any relationship has. If a key has no object, nothing is
      deleted. Write -- before a key that begins with -.
      """
    case .mappings:
      """
      Prints the kept file, byte for byte as the last import has given it. An import adds the mappings of another file to it,
      and they replace namesakes. FILE takes its place, and stored values take its types and names: an integer becomes a number
      or a decimal, a number a decimal, a scalar a list of it, anything json; "was" is an earlier name. New fields get the
      values that a rest holds for them.
      """
    case .stats:
      """
      Prints, for each entity, the number of its objects, how many of them have a key, and their size. In a directory,
      the size is the sum of records, keys, links and indexes, and all sizes add up to the file's. Then come the
      indexes, with the number of their entries.
      """
    case .check:
      """
      Prints each problem and its place on a line of standard error. The exit status is 1 if there is a problem.
      """
    case .dump:
      """
      The first line has the entities and their fields. Each further line has an object with its values and links.
      docs/DUMP.md describes the format. Others may use the store meanwhile. fastmap load makes the same store from it, in a
      directory or on a PostgreSQL server. There is no dump after an import in several commits that was interrupted: import again first.
      """
    case .load:
      """
      FILE is the output of fastmap dump, or - for standard input. The store is created if it does not exist. A store
      with objects is refused. The whole dump is checked first, and one transaction loads everything or nothing. The dump may be
      of a store in a directory and the new store on a server, or the other way round.
      """
    case .backup:
      """
      OUT is the directory of the copy. It must be empty or not exist yet. The copy has the newest commit and is checked.
      A backup waits until a running import ends. With --compact it does not wait, and leaves out free pages.
      """
    case .repair:
      """
      OUT is the directory of the new store. It must be empty or not exist yet. The old store is not changed. No program
      may have it open. If data.mdb was copied here, copy data.schema.json too: it describes the schema. Each loss is
      listed on a line of standard error, and the exit status is then 1.
      """
    case .prepare:
      """
      Makes the tables, columns and indexes that an import with MAPPING needs, as the import itself would. Without --as
      it makes those of all mappings of FILE. So the role that imports needs no right to make them. With --print it
      prints their SQL, and needs no right but to read.
      """
    case .dropIndex:
      """
      INDEX is the name of the index, as stats prints it: its fields, with commas between them and a - before each that
      is descending. Write -- before a name that begins with -. The objects stay. The next import with a mapping that
      declares the index builds it again.
      """
    case .compact:
      """
      Replaces the store with a copy without free pages. No program may have it open. For a store in use, take a
      backup with --compact.
      """
    case .swift:
      """
      Prints a class for each entity, with a static property for each of its mappings. They import a payload as the mapping
      file does, into the same store. allMappings.plan(for: "Person") also knows the other mappings, which matters for stubs
      in reports, and for objects whose keys have other objects as a part. Names follow the guidelines of Swift: user_name is userName. The names in the store
      stay as they are. Properties are optional, as any member may be missing or null; a primary key is not. Objects that
      refer to each other keep each other alive: make one property weak where that matters. The mapping of
      each kind has a subclass. Lists are arrays. An attribute of the type rest is a property with the JSON of all members
      that no field reads.
      """
    case .completion:
      """
      Prints the script for bash, zsh or fish, which completes the names of mappings and fields, too. Evaluate it in the shell's
      start-up file, or put it where the shell looks for
      completions: for zsh as _fastmap in a directory of fpath, for fish as ~/.config/fish/completions/fastmap.fish.
      """
    case .man:
      """
      Prints the manual page in roff. Put it into a directory man1 of MANPATH as fastmap.1, or read it with man.
      """
    case .describe:
      """
      Prints the entities of a store or of a mapping file, with their keys, attributes, relationships and indexes. A store
      adds the numbers and sizes of its objects. A mapping file beside a store adds inverses and the names of the mappings.
      Without --mappings, that is the file that the store keeps; a store on a server needs one of them. The page of --html is one file without scripts, which needs no network. It
      has a picture of the entities, and some objects of each.
      """
    }
  }

  static func examples(of command: Command) -> [String] {
    switch command {
    case .infer:
      [
        "fastmap infer --name Person people.json > mappings.json",
        "fastmap infer --overrides changes.json --check pages/*.json > mappings.json",
      ]
    case .import:
      [
        "fastmap import people.db people.json",
        "fastmap import people.db people.json --mappings mappings.json --as Person --dry-run --json",
        "fastmap import people.db pages/ --as Person --replace-all",
        "curl -s https://example.com/people | fastmap import people.db -",
      ]
    case .get:
      [
        "fastmap get people.db Person 314",
        "fastmap get people.db Person -- -1",
      ]
    case .export:
      [
        "fastmap export people.db Person > people.ndjson",
        "fastmap export people.db Person --from 100 --to 199 --limit 10",
      ]
    case .query:
      [
        "fastmap query people.db Person '@.age >= 18' --sort name --limit 20",
        "fastmap query people.db Person --group city,boss.name --count --avg age --sort -count",
        "fastmap query people.db Person '@.boss == 314' --format csv --fields id,name,boss.name",
      ]
    case .set:
      ["fastmap set people.db Person 314 name=Ada 'tags=[\"math\"]' boss=null"]
    case .delete:
      [
        "fastmap delete people.db Person 314 315",
        "fastmap delete people.db Person --where '!@.name' --dry-run",
      ]
    case .mappings:
      ["fastmap mappings people.db > mappings.json", "fastmap mappings people.db mappings.json"]
    case .stats: ["fastmap stats --store people.db", "fastmap stats --store people.db --json"]
    case .check: ["fastmap check --store people.db"]
    case .dump: ["fastmap dump --store people.db > people.dump"]
    case .load:
      [
        "fastmap load --store copy.db people.dump",
        "fastmap dump --store people.db | fastmap load --store postgres://localhost/people -",
      ]
    case .backup: ["fastmap backup --store people.db backups/people.db"]
    case .repair: ["fastmap repair --store people.db people-repaired.db"]
    case .compact: ["fastmap compact --store people.db"]
    case .completion:
      [
        "eval \"$(fastmap completion bash)\"",
        "fastmap completion zsh > /usr/local/share/zsh/site-functions/_fastmap",
        "fastmap completion fish > ~/.config/fish/completions/fastmap.fish",
      ]
    case .man: ["fastmap man > fastmap.1 && man ./fastmap.1"]
    case .describe:
      [
        "fastmap describe --store people.db",
        "fastmap describe --store people.db --mappings mappings.json --html people.html",
        "fastmap describe --mappings mappings.json --mermaid",
      ]
    case .swift:
      [
        "fastmap swift --mappings mappings.json > Models.swift",
        "fastmap swift --mappings mappings.json --namespace Shop > Shop.swift",
      ]
    case .prepare:
      [
        "fastmap prepare --store postgres://owner@db/shop --mappings mappings.json",
        "fastmap prepare --store postgres://db/shop --mappings mappings.json --as Order --print > tables.sql",
      ]
    case .dropIndex:
      [
        "fastmap drop-index --store shop.db --entity Order status,-created_at",
        "fastmap drop-index --store shop.db --entity Order -- -created_at",
      ]
    }
  }
}
