import Foundation

/// The options of the command line.
struct Options {
  enum Command {
    case run([String])
    case report, list, help
  }

  var command = Command.help
  var seed: UInt64?
  var size = Run.Size(isShort: false, seconds: 600)
  var note: String?
  /// The maximum number of parallel campaigns.
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  var checker: Checker?
  var isQuiet = false
  var keepsResults = true
  var results = Self.package + "/results.json"
  var document = URL(fileURLWithPath: package).deletingLastPathComponent().path + "/docs/RELIABILITY.md"

  static let help = """
    fastmap-torture all [options]          every campaign
    fastmap-torture CAMPAIGN… [options]    these; see list
    fastmap-torture report                 writes the figures into docs/RELIABILITY.md
    fastmap-torture list                   names the campaigns

      --short           seconds each, in place of minutes
      --limit n         at most so many seconds for each campaign (600; 20 with --short)
      --jobs n          so many campaigns at a time (one for each core); one that measures rates runs alone
      --under checker   under address or thread, for which this program must have been built, or under valgrind
      --seed n          the same run again
      --note text       a remark that is kept with the results
      --quiet           says its seed and what it violates, and no more
      --no-results      leaves results.json alone
      --results path    in place of Torture/results.json
      --document path   in place of docs/RELIABILITY.md

    It ends with 1 where something was violated.
    """

  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    var names: [String] = []
    var limit: Int?
    let known = FastMapTorture.campaigns
    while let argument = rest.popFirst() {
      switch argument {
      case "all": names = known.map(\.name)
      case "report": command = .report
      case "list": command = .list
      case "help", "--help", "-h": command = .help
      case "--short": size.isShort = true
      case "--no-results": keepsResults = false
      case "--quiet": isQuiet = true
      case "--jobs": jobs = max(1, try Self.number(argument, rest.popFirst()))
      case "--under": checker = try Self.checker(try Self.value(argument, rest.popFirst()))
      case "--limit": limit = try Self.number(argument, rest.popFirst())
      case "--seed": seed = try Self.number(argument, rest.popFirst())
      case "--note": note = try Self.value(argument, rest.popFirst())
      case "--results": results = try Self.value(argument, rest.popFirst())
      case "--document": document = try Self.value(argument, rest.popFirst())
      default:
        guard known.contains(where: { $0.name == argument }) else {
          throw Misuse(description: "unknown: \(argument); see help")
        }
        names.append(argument)
      }
    }
    if !names.isEmpty { command = .run(names) }
    if checker != nil,
      let name = names.first(where: { name in known.contains { $0.name == name && $0.needsShim } })
    {
      throw Misuse(description: "\(name) does not run under a checker")
    }
    size.seconds = limit ?? (size.isShort ? 20 : size.seconds)
  }

  private static func value(_ option: String, _ text: String?) throws(Misuse) -> String {
    guard let text else { throw Misuse(description: "\(option) needs a value") }
    return text
  }

  private static func checker(_ name: String) throws(Misuse) -> Checker {
    guard let checker = Checker(rawValue: name) else { throw Misuse(description: "--under has no \(name)") }
    guard checker.isHere else { throw Misuse(description: "this program was not built for --under \(name)") }
    return checker
  }

  private static func number<Number: FixedWidthInteger>(
    _ option: String, _ text: String?
  ) throws(Misuse) -> Number {
    guard let number = text.flatMap({ Number($0) }) else {
      throw Misuse(description: "\(option) needs a number")
    }
    return number
  }

  /// The package directory, independent of the working directory.
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
