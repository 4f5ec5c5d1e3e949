import Foundation

/// What the command line asks for.
struct Options {
  enum Command: String {
    case run, report, curves, list, help
  }

  /// Nil is a run and then, where all of it was run, a report.
  var command: Command?
  var suites = Suite.all
  var parents = defaultParents
  var rounds = 15
  var warmUps = 1
  var subjects: [String]?
  var note: String?
  private var chosenResults: String?
  var document = URL(fileURLWithPath: package).deletingLastPathComponent().path + "/docs/BENCHMARKS.md"
  private var isPartOnly = false

  /// Whether curves go up to ten million objects.
  var isLarge = false

  /// Where the figures of curves are kept.
  var curves: String { Self.package + "/curves.json" }

  /// Where results are read from.
  var results: String { chosenResults ?? Self.package + "/results.json" }

  /// Where a run puts its results; nil where only a part is run and nobody said where to keep it.
  var resultsToWrite: String? { isPartOnly ? chosenResults : results }

  /// Whether a run is followed by a report.
  var reportsAfterRun: Bool { command == nil && !isPartOnly }

  private static let defaultParents = 10_000

  static let help = """
    fastmap-benchmarks [options]         run, and then report
    fastmap-benchmarks run [options]     measures, prints tables and writes results.json
    fastmap-benchmarks report            writes docs/BENCHMARKS.md from results.json
    fastmap-benchmarks curves [--large]  measures what keys and lists cost as they grow, and then reports
    fastmap-benchmarks list              names all workloads and subjects

    A run of a part (the first three options) only prints, unless --results says where to keep it.

      --workloads a,b    only these workloads
      --subjects a,b     only these subjects
      --parents n        root objects of a workload (\(defaultParents))

      --rounds n         measured rounds (15)
      --warm-ups n       rounds before them that do not count (1)
      --note text        a remark that is kept with the results
      --results path     in place of Benchmarks/results.json
      --document path    in place of docs/BENCHMARKS.md
      --large            curves up to ten million objects: minutes, and some GB of disk
    """

  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if let command = Command(rawValue: argument) {
        self.command = command
        continue
      }
      if argument == "--help" || argument == "-h" {
        command = .help
        continue
      }
      if argument == "--large" {
        isLarge = true
        continue
      }
      guard argument.hasPrefix("--") else {
        throw Misuse(description: "unknown command \(argument); see help")
      }
      guard let value = rest.popFirst() else { throw Misuse(description: "\(argument) needs a value") }
      switch argument {
      case "--workloads": suites = try Self.suites(named: Self.names(value))
      case "--subjects": subjects = Self.names(value)
      case "--parents": parents = try Self.number(argument, value, atLeast: 1)
      case "--rounds": rounds = try Self.number(argument, value, atLeast: 1)
      case "--warm-ups": warmUps = try Self.number(argument, value, atLeast: 0)
      case "--note": note = value
      case "--results": chosenResults = value
      case "--document": document = value
      default: throw Misuse(description: "unknown option \(argument); see help")
      }
    }
    isPartOnly = suites.count < Suite.all.count || subjects != nil || parents != Self.defaultParents
    let known = Set(Suite.all.flatMap { $0.subjects.map(\.name) })
    for name in subjects ?? [] where !known.contains(name) {
      throw Misuse(description: "no subject \(name); see list")
    }
  }

  /// The directory of the package, wherever the command is run.
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static func names(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }

  private static func suites(named names: [String]) throws(Misuse) -> [Suite] {
    var found: [Suite] = []
    for name in names {
      guard let suite = Suite.all.first(where: { $0.name == name }) else {
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
