import Foundation

/// Formats results as text.
enum Report {
  private static let start = "<!-- torture: written by `fastmap-torture report`; do not edit -->"
  private static let end = "<!-- end of torture -->"

  struct NoPlace: Error, CustomStringConvertible {
    let description: String
  }

  /// Inserts the figures between their marks in a document.
  static func write(_ results: Results, into path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let first = text.range(of: start),
      let last = text.range(of: end, range: first.upperBound..<text.endIndex)
    else { throw NoPlace(description: "\(path) has not the lines \(start) and \(end)") }
    let new = text[..<first.upperBound] + "\n\n" + markdown(of: results) + "\n\n" + text[last.lowerBound...]
    try Data(new.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    Console.note("written: \(path)")
  }

  private static func markdown(of results: Results) -> String {
    let machine = results.machine
    let cutShort = results.campaigns.count(where: \.isCutShort)
    var lines = [
      "- Run: \(machine.date), with \(machine.processor), \(machine.cores) cores, \(machine.kernel)",
      "- Load average: \(machine.loadAtStart) at the start, \(machine.loadAtEnd) at the end",
    ]
    if let versions = results.versions { lines.append("- Versions: FastMap at \(versions.words)") }
    if let note = results.note { lines.append("- Note: \(note)") }
    lines += [
      "- Time: \(cutShort) of \(results.campaigns.count) campaigns stopped at their time limit",
      "", "| campaign | what happens | cases | minutes | violations |", "|---|---|--:|--:|--:|",
    ]
    for outcome in results.campaigns {
      let minutes = (outcome.seconds / 6).rounded() / 10
      lines.append(
        "| `\(outcome.name)` | \(outcome.campaign?.title ?? "") | \(outcome.cases) | \(minutes) "
          + "| \(outcome.violationCount) |")
    }
    lines += others(in: results)
    for outcome in results.campaigns where outcome.violationCount > 0 {
      let rule = outcome.campaign.map { "; what must hold: \($0.rule)" } ?? ""
      lines += ["", "The first violations of `\(outcome.name)` (seed \(outcome.seed)\(rule)):", ""]
      lines += outcome.violations.prefix(5).map { "- \($0.prefix(300))" }
    }
    return lines.joined(separator: "\n")
  }

  /// Campaigns that ran separately, at another commit or in another form than the newest run.
  private static func others(in results: Results) -> [String] {
    let short = results.campaigns.filter(\.isShort).map { "- `\($0.name)`: the short form" }
    let older = results.campaigns.filter { $0.commit != results.versions?.commit }.map {
      "- `\($0.name)`: at \($0.commit.map { "commit \($0)" } ?? "a commit that was not kept")"
    }
    return short.isEmpty && older.isEmpty ? [] : ["", "Exceptions:", ""] + short + older
  }

  /// `12 345`
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
      text.append(digit)
    }
    return text
  }
}

extension Results.Outcome {
  /// The campaign of an outcome, with or without a checker.
  var campaign: Campaign? {
    let name = name.prefix { $0 != "-" }
    return FastMapTorture.campaigns.first { $0.name == name }
  }

  /// `12 345 imports`
  var cases: String {
    switch campaign?.cases {
    case .count(let what, let shorter):
      "\(Report.grouped(counts.first { $0.what == what }?.count ?? 0)) \(shorter ?? what)"
    case .all(let what):
      "\(Report.grouped(counts.filter { !$0.what.hasPrefix("→") }.reduce(0) { $0 + $1.count })) \(what)"
    case nil: ""
    }
  }

  /// For the terminal.
  var words: String {
    let list = counts.map { "\(Report.grouped($0.count)) \($0.what)" }.joined(separator: ", ")
    return "\(seconds) s\(isCutShort ? " (time was up)" : ""): \(list); \(violationCount) violations"
  }
}
