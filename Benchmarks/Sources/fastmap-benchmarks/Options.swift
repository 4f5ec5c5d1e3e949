import Foundation

/// The options of the command line.
struct Options {
  enum Command: String {
    case run, report, curves, postgres, list, help
  }

  /// Nil for a run, followed by a report if the run was complete.
  var command: Command?
  var suites = Suite.all
  /// Whether it is the long run.
  var isFull = false
  /// The number of root objects, instead of the suites' own sizes.
  var roots: Int?
  var warmUps = 1
  var subjects: [String]?
  /// The number of objects of the largest growing import; 0 for none.
  var growth = 10_000_000
  /// Whether curves go up to ten million objects.
  var isLarge = false
  /// Whether every subject runs in its smallest size, and nothing is measured.
  var isSmoke = false
  /// Whether this process does nothing else, so that its memory is the subject's.
  var isAlone = false
  var note: String?
  var document = URL(fileURLWithPath: package).deletingLastPathComponent().path + "/docs/BENCHMARKS.md"
  private var chosenRounds: Int?
  private var chosenResults: String?
  private(set) var isPartOnly = false

  var rounds: Int { chosenRounds ?? (isFull ? 15 : 5) }

  /// The file with the figures of PostgreSQL.
  var postgres: String { Self.package + "/postgres.json" }

  /// The file with the figures of curves.
  var curves: String { Self.package + "/curves.json" }

  /// The file to read results from.
  var results: String { chosenResults ?? Self.package + "/results.json" }

  /// The file to write results to; nil for a partial run without an explicit file.
  var resultsToWrite: String? { isPartOnly ? chosenResults : results }

  /// Whether a report follows the run.
  var reportsAfterRun: Bool { command == nil && !isPartOnly }

  /// The number of root objects of a suite; nil if this run skips it.
  func size(of suite: Suite) -> Int? {
    roots ?? (isSmoke ? suite.size.smoke : isFull ? suite.size.full : suite.size.short)
  }

  static let help = """
    fastmap-benchmarks [options]         run, and then report
    fastmap-benchmarks run [options]     measures, prints tables and writes results.json
    fastmap-benchmarks report            writes docs/BENCHMARKS.md and its pictures from results.json
    fastmap-benchmarks curves [--large]  measures what keys and lists cost as they grow, and then reports
    fastmap-benchmarks postgres          measures the store in PostgreSQL, and then reports; scripts/bench --postgres
                                         starts a server for it
    fastmap-benchmarks list              names all workloads and subjects

    A run of a part (the first four options) only prints, unless --results says where to keep it.

      --workloads a,b    only these workloads
      --subjects a,b     only these subjects
      --roots n          root objects, in place of the workloads' own sizes
      --growth n         the largest import of the growth (10000000); 0 for none

      --smoke            every subject twice in its smallest size; measures and writes nothing, and fails if one fails
                         or if two of a workload count different objects. make check runs it
      --full             larger workloads, 15 rounds, instructions under valgrind
      --rounds n         measured rounds (5, or 15 of a full run)
      --warm-ups n       rounds before them (1)
      --alone            measures the memory of this process, and makes no others: what a run asks of those it makes
      --note text        a remark that is kept with the results
      --results path     in place of Benchmarks/results.json
      --document path    in place of docs/BENCHMARKS.md
      --large            curves up to ten million objects: minutes, and some GB of disk

    FASTMAP_CORPORA names a directory with public JSON texts (Benchmarks/README.md); without them the workloads made
    from them are skipped.
    """

  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if let command = Command(rawValue: argument) {
        self.command = command
      } else if argument == "--help" || argument == "-h" {
        command = .help
      } else if argument == "--large" {
        isLarge = true
      } else if argument == "--full" {
        isFull = true
      } else if argument == "--alone" {
        isAlone = true
      } else if argument == "--smoke" {
        (isSmoke, isAlone, chosenRounds) = (true, true, 1)
      } else {
        guard argument.hasPrefix("--") else {
          throw Misuse(description: "unknown command \(argument); see help")
        }
        guard let value = rest.popFirst() else { throw Misuse(description: "\(argument) needs a value") }
        try take(argument, value)
      }
    }
    if command == .postgres, !isPartOnly { suites = Suite.postgres }
    let known = Set((Suite.all + Suite.postgres).flatMap { $0.subjects.map(\.name) })
    for name in subjects ?? [] where !known.contains(name) {
      throw Misuse(description: "no subject \(name); see list")
    }
  }

  private mutating func take(_ option: String, _ value: String) throws(Misuse) {
    switch option {
    case "--workloads": suites = try Self.suites(named: Self.names(value))
    case "--subjects": subjects = Self.names(value)
    case "--roots": roots = try Self.number(option, value, atLeast: 1)
    case "--growth": growth = try Self.number(option, value, atLeast: 0)
    case "--rounds": chosenRounds = try Self.number(option, value, atLeast: 1)
    case "--warm-ups": warmUps = try Self.number(option, value, atLeast: 0)
    case "--note": note = value
    case "--results": chosenResults = value
    case "--document": document = value
    default: throw Misuse(description: "unknown option \(option); see help")
    }
    if ["--workloads", "--subjects", "--roots", "--growth"].contains(option) { isPartOnly = true }
    if ["--workloads", "--subjects"].contains(option) { growth = 0 }
  }

  /// The package directory, independent of the working directory.
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static func names(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }

  private static func suites(named names: [String]) throws(Misuse) -> [Suite] {
    var found: [Suite] = []
    for name in names where name != "none" {
      guard let suite = (Suite.all + Suite.postgres).first(where: { $0.name == name }) else {
        throw Misuse(description: "no workload \(name); see list")
      }
      found.append(suite)
    }
    return found
  }

  private static func number(_ option: String, _ text: String, atLeast least: Int) throws(Misuse) -> Int {
    guard let number = Int(text), number >= least else {
      throw Misuse(description: "\(option) needs a number of at least \(least)")
    }
    return number
  }
}
