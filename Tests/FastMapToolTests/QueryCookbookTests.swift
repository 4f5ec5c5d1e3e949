import FastMapStoreTesting
import TestSupport
import Testing

/// The calls of the page QueryCookbook.md run as they stand, and its mapping files read real payloads.
@Suite struct ToolQueryCookbookTests {
  private static let page = Files.root + "/Sources/FastMapCore/FastMapCore.docc/QueryCookbook.md"
  private static let examples = Files.root + "/Examples/queries"

  /// The lines of the page's blocks of shell.
  private static func lines() throws -> [String] {
    var lines: [String] = []
    var isInside = false
    for line in String(decoding: try Files.bytes(of: page), as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("```") { isInside = line == "```sh" } else if isInside { lines.append(String(line)) }
    }
    return lines
  }

  private func copyExamples(to workspace: Workspace) throws {
    for name in Files.names(in: Self.examples) {
      let text = String(decoding: try Files.bytes(of: Self.examples + "/" + name), as: UTF8.self)
      try workspace.write(text, to: name)
    }
  }

  /// The keys that the page's queries find, in its order, with a space between two.
  static let keys = [
    "10 11", "10 11", "4 3 5", "3 5", "1 5", "10 12", "14", "11 12", "10 12 14",
    #""1652857653" "1652857654" "1652857652""#, #""1652857651" "1652857650""#, "2", "2", #""1652857650""#,
    #""1652857650" "1652857652" "1652857654""#, #""1652857652""#, "1 3", #""1652857650""#, #""1652857654""#,
    "101 102", "101 104", "103", "101", "104",
  ]

  @Test func theCallsOfThePageMatchItsQueries() throws {
    let workspace = try Workspace()
    try copyExamples(to: workspace)
    let lines = try Self.lines()
    let first = try #require(lines.firstIndex { $0.hasPrefix("fastmap query") })
    let setup = lines[..<first]
    let made = try workspace.shell(
      setup.map { $0.hasSuffix(".json") ? $0 + " --quiet" : $0 }.joined(separator: "\n"))
    #expect(made.status == 0 && made.errors == "", "\(made.errors)")
    // Each call has a shell of its own, so it needs the words again.
    let words = setup.filter { !$0.hasPrefix("fastmap") }.joined(separator: "\n") + "\n"
    var found: [String] = []
    for line in lines[first...] where line.hasPrefix("fastmap query") && !line.contains("--explain") {
      let run = try workspace.shell(words + line + " --keys")
      #expect(run.status == 0, "\(line): \(run.errors)")
      found.append(run.output.split(separator: "\n").joined(separator: " "))
      // Without --keys there is an object for each of them.
      guard found.count % TestSize.count(small: 6, whole: 1) == 0 else { continue }
      let objects = try workspace.shell(words + line)
      #expect(objects.output.split(separator: "\n").count == run.output.split(separator: "\n").count)
    }
    #expect(found == Self.keys)
    let others = lines[first...].filter { !$0.hasPrefix("fastmap query") || $0.contains("--explain") }
    try #require(others.count == 2)
    let deleted = try workspace.shell(words + others[0])
    #expect(deleted.output.hasSuffix("1 object deleted; a dry run, nothing was changed\n"), "\(deleted)")
    let explained = try workspace.shell(words + others[1])
    #expect(explained.output == "scan of Event: 5 objects looked at, 3 found\n")
  }

  /// Calls on GitHub's own events and on Twitter's own results, and how many objects an independent count has.
  static let counts: [(mappings: String, words: [String], count: Int)] = [
    ("github", ["Event", "@.type == \"PushEvent\""], 13),
    ("github", ["Event", "count(@.payload.commits[*]) > 1"], 3),
    ("github", ["Event", "@.org"], 6),
    ("github", ["Event", "!(@.type == \"WatchEvent\" || @.type == \"ForkEvent\")"], 21),
    ("github", ["Actor"], 29),
    ("github", ["Actor", "match(@.login, \"j.*\")"], 2),
    ("github", ["Event", "--sort", "-created", "--after", "1652857722"], 29),
    ("tweets", ["Tweet"], 115),
    ("tweets", ["Tweet", "@.original"], 73),
    ("tweets", ["Tweet", "@.hashtags"], 9),
    ("tweets", ["Tweet", "count(@.hashtags[*]) >= 2 && !@.links"], 0),
    ("tweets", ["Tweet", "@.user.followers >= 10000"], 2),
    ("tweets", ["Tweet", "@.replyTo"], 8),
    ("tweets", ["Tweet", "(@.replyTo || @.original) && @.retweets == 0"], 6),
  ]

  @Test(
    .enabled(
      if: Files.corpora.map { Files.names(in: $0 + "/real").contains("github_events.json") } ?? false,
      "no corpora: set FASTMAP_CORPORA to the directory that has real/"))
  func theMappingFilesReadRealPayloads() throws {
    let workspace = try Workspace()
    try copyExamples(to: workspace)
    let real = (Files.corpora ?? "") + "/real"
    for (name, mapping, file) in [
      ("github", "Event", "github_events.json"), ("tweets", "Tweet", "twitter.json"),
    ] {
      let run = try workspace.fastmap(
        "import", "--store", name + ".db", "--mappings", name + "-mappings.json", "--as", mapping, "--quiet",
        real + "/" + file)
      #expect(run.status == 0, "\(run.errors)")
    }
    for (name, words, count) in Self.counts {
      let call = ["query", "--store", name + ".db", "--mappings", name + "-mappings.json", "--count", "--as"]
      let run = try workspace.run([FastMapTool.path] + call + words)
      #expect(run.output == "\(count)\n", "\(words): \(run.errors)")
    }
    let newest = try workspace.fastmap(
      "query", "--store", "github.db", "--mappings", "github-mappings.json", "--as", "Event", "--sort",
      "-created",
      "--limit", "4", "--keys")
    #expect(newest.output == #""1652857722"\#n"1652857714"\#n"1652857715"\#n"1652857721"\#n"#)
  }
}
