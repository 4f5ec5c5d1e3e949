import FastMapStoreTesting
import TestSupport
import Testing

/// Faults of a FILTER and of the options of a query: the messages and the statuses of `fastmap query` and
/// `fastmap delete --where`.
@Suite struct ToolQueryFaultTests {
  private static let people =
    #"[{"id": 1, "name": "Ada", "price": 2, "phones": [{"number": "11"}]}, {"id": 2}]"#

  private static let call = ["--store", "people.db", "--mappings", "mappings.json", "--as", "Person"]

  private func store() throws -> Workspace {
    let workspace = try Workspace()
    #expect(try workspace.importing(Self.people).status == 0)
    return workspace
  }

  /// Filters, and the line behind `fastmap: FILTER: `.
  static let filters: [(filter: String, message: String)] = [
    ("", "column 1: expected a path from @, a literal or a function, found the end of the text"),
    ("@.name ==", "column 10: expected a path from @, a literal or a function, found the end of the text"),
    ("@.name = 'x'", #"column 8: expected "==", found "=""#),
    (
      "name == 'x'",
      #"column 1: expected a path from @, a literal or a function, found "name"; a field is written @.name"#
    ),
    ("$.name == 'x'", #"column 1: "$" is not supported: a filter is about one object, and that is "@""#),
    ("@.name == $.name", #"column 11: "$" is not supported: a filter is about one object, and that is "@""#),
    ("@..name", #"column 3: ".." is not supported: a path names each of its steps"#),
    ("@.name == 'x", "column 13: expected the quote that ends the string, found the end of the text"),
    (
      "@.price > 2 and @.name",
      #"column 13: expected "&&", "||" or the end of the text, found "and": write &&"#
    ),
    ("@.name 'x'", #"column 8: expected "&&", "||" or the end of the text, found "'""#),
    ("(@.name == 'x'", #"column 15: expected "&&", "||" or ")", found the end of the text"#),
    ("!@.name == 'x'", #"column 2: "!" negates no comparison without parentheses: write !(…)"#),
    ("@.price == 01", "column 13: a number must not begin with 0"),
    (
      "@.phones[",
      #"column 10: expected a name in quotes, "*", an index, a slice or "?" with a filter, found the end of the text"#
    ),
    ("match(@.name)", #"column 13: match takes two arguments: expected one more, found ")""#),
    ("matches(@.name, 'a')", #"column 1: no function named "matches"; did you mean "match"?"#),
    (
      "match(@.name, '(')",
      #"column 15: match(…): column 2 of the pattern: expected ")", found the end of the pattern"#
    ),
    (
      #"match(@.name, "\\d")"#,
      #"column 15: match(…): column 1 of the pattern: "\d" is not in I-Regexp: write [0-9] or \\p{Nd}"#
    ),
    (
      "@.z == 1",
      #"column 1: @.z: Person has no field named "z"; there are "id", "name", "price", "car", "phones" and "boss""#
    ),
    ("match(@.name, @.name)", "column 15: match(…): expected a literal as the pattern, found @.name"),
    ("match(@.price, 'a')", "column 7: match(…): expected a string, found a number: @.price"),
    ("length(@.name)", "column 1: the value of a function is no condition: compare it"),
    ("length(@.price) > 1", "column 8: length(@.price): expected a string or a list, found a number"),
    (
      "count(@.name) > 'x'",
      #"column 1: count(@.name) > "x": expected values of one kind, found an integer and a string"#
    ),
    (
      "@.price == 1 && length(@.name) == 'a'",
      #"column 17: length(@.name) == "a": expected values of one kind, found an integer and a string"#
    ),
    ("@.car == -1e400", "column 1: @.car == -1e400: expected a string, the primary key of Car, found -1e400"),
    ("count(1) == 1", "column 7: count takes a path"),
    ("lower(1) == 'a'", "column 7: lower takes a path"),
    ("lower(@.price) == 'a'", "column 7: lower(@.price): expected a string, found a number"),
    ("@.price < true", "column 1: @.price < true: expected values of one kind, found a number and a boolean"),
    (
      "@.price == '2'", #"column 1: @.price == "2": expected values of one kind, found a number and a string"#
    ),
    ("@.name < 3", "column 1: @.name < 3: expected values of one kind, found a string and an integer"),
    ("@.boss == 'x'", #"column 1: @.boss == "x": expected an integer, the primary key of Person, found "x""#),
    ("@.boss.nme == 'x'", #"column 1: @.boss.nme: Person has no field named "nme"; did you mean "name"?"#),
    ("@.car == 7", "column 1: @.car == 7: expected a string, the primary key of Car, found 7"),
    (
      "@.phones == 1",
      "column 1: @.phones: expected one value, found a path that may lead to several; use [?…] with the comparison inside, count(…) or an index as in [0]"
    ),
    (
      "@.phones[*].number == '11'",
      "column 1: @.phones[*].number: may lead to several values, which cannot be compared; use [?…] to test each, count(…) for their number, or [0] for one"
    ),
    (
      "@.phones[?@.nmber == '1']",
      #"column 11: @.nmber: Phone has no field named "nmber"; did you mean "number"?"#
    ),
    (
      "@.name == @.price",
      "column 1: @.name == @.price: expected values of one kind, found a string and a number"
    ),
    ("@.boss == @.car", "column 1: @.boss == @.car: expected objects of one entity, found Person and Car"),
    ("@.price == 1 || @.nme", #"column 17: @.nme: Person has no field named "nme"; did you mean "name"?"#),
    ("@.name[0] == 'x'", "column 1: @.name: a string has no members"),
    (
      "@.phones.number == '1'",
      "column 1: @.phones.number: expected [*], [?…] or an index after the to-many relationship @.phones"
    ),
    ("true", "column 1: a literal is no condition: compare it with a path"),
    ("1 == 'a'", #"column 1: 1 == "a": expected values of one kind, found an integer and a string"#),
    ("@ == 'x'", #"column 1: @ == "x": expected an integer, the primary key of Person, found "x""#),
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

  @Test func filtersHaveADeepestNesting() throws {
    let workspace = try store()
    let filter = String(repeating: "(", count: 1000) + "@.name" + String(repeating: ")", count: 1000)
    let run = try workspace.run([FastMapTool.path, "query"] + Self.call + [filter])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("fastmap: FILTER: column "), "\(run.errors)")
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
  ]

  @Test func aFaultOfAnOptionNamesIt() throws {
    let workspace = try store()
    for (words, message) in Self.options {
      let run = try workspace.run([FastMapTool.path, "query"] + Self.call + words)
      #expect(run.status == 2, "\(words)")
      #expect(run.output == "", "\(words)")
      #expect(run.errors.hasPrefix("fastmap: \(message)\n"), "\(words): \(run.errors)")
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

  @Test func deleteTakesKeysOrAFilter() throws {
    let workspace = try store()
    for (words, message) in [
      ([], "expected KEY… or --where FILTER"),
      (["1", "--where", "@.id == 1"], "expected KEY… or --where, found both"),
      (["--where"], "--where needs a value: --where FILTER"),
    ] {
      let run = try workspace.run([FastMapTool.path, "delete"] + Self.call + words)
      #expect(run.status == 2, "\(words)")
      #expect(run.errors.hasPrefix("fastmap: \(message)\n"), "\(words): \(run.errors)")
    }
    try #expect(workspace.run([FastMapTool.path, "query"] + Self.call + ["--count"]).output == "2\n")
  }
}
