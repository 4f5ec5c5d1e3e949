import FastMapStoreTesting
import TestSupport
import Testing

/// Faults of a FILTER and of the options of a query: the messages and the statuses of `fastmap query` and
/// `fastmap delete --where`.
@Suite struct ToolQueryFaultTests {
  private static let people =
    #"[{"id": 1, "name": "Ada", "price": 2, "phones": [{"number": "11"}]}, {"id": 2}]"#

  private static let call = ["--store", "people.db", "--mappings", "mappings.json", "--as", "Person"]

  private func store() throws -> Workspace { try Workspace(holding: Self.people) }

  /// Filters, and the line behind `fastmap: FILTER: `. FastMapQueryTests has the other messages.
  static let filters: [(filter: String, message: String)] = [
    ("", "column 1: expected a path from @, a literal or a function, found the end of the text"),
    ("@.name ==", "column 10: expected a path from @, a literal or a function, found the end of the text"),
    ("@.name = 'x'", #"column 8: expected "==", found "=""#),
    ("@.car == 7", "column 1: @.car == 7: expected a string, the primary key of Car, found 7"),
    (
      "match(@.name, '(')",
      #"column 15: match(…): column 2 of the pattern: expected ")", found the end of the pattern"#
    ),
    ("@.price == 1 || @.nme", #"column 17: @.nme: Person has no field named "nme"; did you mean "name"?"#),
    ("@.boss == 'x'", #"column 1: @.boss == "x": expected an integer, the primary key of Person, found "x""#),
    (
      "@.phones[?@.nmber == '1']",
      #"column 11: @.nmber: Phone has no field named "nmber"; did you mean "number"?"#
    ),
  ]

  @Test func aFaultOfAFilterHasItsPlaceAndChangesNothing() throws {
    let workspace = try store()
    for (number, (filter, message)) in Self.filters.enumerated() {
      let calls = [
        (["query"] + Self.call + ["--", filter], "FILTER"),
        (["query"] + Self.call + ["--explain", filter], "FILTER"),
        (["delete"] + Self.call + ["--where", filter], "--where"),
        (["delete"] + Self.call + ["--dry-run", "--where", filter], "--where"),
      ]
      // If small, one of them for each filter, by turns.
      for (words, option) in TestSize.count(small: 1, whole: 4) == 4 ? calls : [calls[number % 4]] {
        let run = try workspace.run([FastMapTool.path] + words)
        #expect(run.status == 2, "\(words)")
        #expect(run.output == "", "\(words)")
        #expect(run.errors.hasPrefix("fastmap: \(option): \(message)\n"), "\(words): \(run.errors)")
        #expect(run.errors.hasSuffix("fastmap help \(words[0]) describes it\n"), "\(run.errors)")
        // The filter with a mark under the place, if it has one.
        if message.hasPrefix("column ") {
          let column = message.dropFirst(7).prefix { $0 != ":" }
          let mark = String(repeating: " ", count: (Int(column) ?? 0) + 1) + "^\n"
          #expect(run.errors.contains("\n  \(filter)\n\(mark)"), "\(run.errors)")
        }
      }
    }
    try #expect(workspace.run([FastMapTool.path, "query"] + Self.call + ["--count"]).output == "2\n")
  }

  @Test func allFaultsOfTheMappingComeAtOnce() throws {
    let workspace = try store()
    for words in [["query"] + Self.call, ["delete"] + Self.call + ["--where"]] {
      let run = try workspace.run(
        [FastMapTool.path] + words + ["@.nme == 1 && @.prce == 2 && @.price == 'x'"])
      #expect(run.status == 2)
      for fault in [
        #"column 1: @.nme: Person has no field named "nme"; did you mean "name"?"#,
        #"column 15: @.prce: Person has no field named "prce"; did you mean "price"?"#,
        #"column 30: @.price == "x": expected values of one kind, found a number and a string"#,
      ] {
        #expect(run.errors.contains(fault), "\(run.errors)")
      }
    }
  }

  /// Options, and the line behind `fastmap: `.
  static let options: [(words: [String], message: String)] = [
    (["--sort"], "--sort needs a value: --sort FIELD[,-FIELD…]"),
    (["--sort", ""], #"--sort: expected FIELD[,-FIELD…], found """#),
    (["--sort", "name,,id"], #"--sort: expected FIELD[,-FIELD…], found "name,,id""#),
    (["--sort", "-"], #"--sort: expected FIELD[,-FIELD…], found "-""#),
    (["--sort", "boss.nme"], #"--sort: @.boss.nme: Person has no field named "nme"; did you mean "name"?"#),
    (
      ["--sort", "phones.number"],
      "--sort: @.phones.number: expected one value to sort by, found the to-many relationship @.phones"
    ),
    (["--sort", "name.x"], "--sort: @.name: a string has no members"),
    (["--limit", "x"], #"--limit: expected a whole number from 0 on, found "x""#),
    (["--limit", "-1"], #"--limit: expected a whole number from 0 on, found "-1""#),
    (
      ["--limit", "9223372036854775808"],
      #"--limit: expected at most 9223372036854775807, found "9223372036854775808""#
    ),
    (["--limit", "1.5"], #"--limit: expected a whole number from 0 on, found "1.5""#),
    (["--after", ""], #"--after: expected an integer, the primary key of Person, found """#),
    (["--explain", "--count"], "expected one of --count or --explain"),
    (["--explain", "--keys"], "expected one of --keys or --explain"),
    (
      ["--explain", "--sort", "nme"], #"--sort: @.nme: Person has no field named "nme"; did you mean "name"?"#
    ),
    (["--depth", "x"], #"--depth: expected a whole number from 0 on, found "x""#),
    (["--boxes"], "no option named \"--boxes\""),
    (["--srot", "name"], "no option named \"--srot\"; did you mean \"--sort\"?"),
    (["@.name", "@.id"], "unexpected argument \"@.id\""),
  ]

  @Test func aFaultOfAnOptionNamesIt() throws {
    let workspace = try store()
    for (words, message) in Self.options {
      let run = try workspace.run([FastMapTool.path, "query"] + Self.call + words)
      #expect(run.status == 2, "\(words)")
      #expect(run.output == "", "\(words)")
      #expect(run.errors.hasPrefix("fastmap: \(message)\n"), "\(words): \(run.errors)")
      #expect(run.errors.hasSuffix("fastmap help query describes it\n"))
    }
  }

  /// Nothing would be printed, as if there were no objects.
  @Test func keysOfAMappingWithoutAPrimaryKeyAreRefused() throws {
    let workspace = try store()
    let call = ["query", "--store", "people.db", "--mappings", "mappings.json", "--as", "Phone"]
    for words in [["--keys"], ["--keys", "@.number == '11'"], ["--keys", "--limit", "0"]] {
      let run = try workspace.run([FastMapTool.path] + call + words)
      #expect(run.status == 2, "\(words)")
      #expect(run.output == "")
      #expect(
        run.errors.hasPrefix("fastmap: --keys: the mapping \"Phone\" has no primary key\n"), "\(run.errors)")
    }
    try #expect(workspace.run([FastMapTool.path] + call + ["--count"]).output == "1\n")
  }

  /// The mapping that was named has fewer fields than others of its entity.
  @Test func anUnknownFieldNamesTheMapping() throws {
    let workspace = try store()
    let call = ["query", "--store", "people.db", "--mappings", "mappings.json", "--as", "PersonRef"]
    let run = try workspace.run([FastMapTool.path] + call + ["@.name"])
    #expect(run.status == 2)
    #expect(
      run.errors.hasPrefix(
        #"fastmap: FILTER: column 1: @.name: the mapping "PersonRef" has no field named "name"; there is "id""#
      ),
      "\(run.errors)")
  }

  /// A sign that is a part of the name takes a backslash.
  @Test func aSignOfANameIsNoOrder() throws {
    let workspace = try Workspace()
    try workspace.write(
      #"{"fastmap": 1, "mappings": {"Shift": {"primaryKey": "id", "attributes": {"id": "integer", "-x": "integer"}}}}"#,
      to: "mappings.json")
    try workspace.importing(#"[{"id": 1, "-x": 2}, {"id": 2, "-x": 1}]"#, as: "Shift")
    let call = ["query", "--store", "people.db", "--mappings", "mappings.json", "--as", "Shift", "--keys"]
    let run = try workspace.run([FastMapTool.path] + call + ["--sort", "-x"])
    #expect(run.status == 2)
    #expect(
      run.errors.hasPrefix(
        #"fastmap: --sort: "-x" descends by the unknown field "x"; write \-x for the field "-x""#),
      "\(run.errors)")
    for (order, keys) in [(#"\-x"#, "2\n1\n"), (#"-\-x"#, "1\n2\n"), ("--x", "1\n2\n")] {
      let run = try workspace.run([FastMapTool.path] + call + ["--sort=" + order])
      #expect(run.output == keys, "\(order): \(run.errors)")
    }
  }
}
