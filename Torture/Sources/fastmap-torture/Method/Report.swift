import Foundation

/// Results in words.
enum Report {
  private static let start = "<!-- torture: written by `fastmap-torture report`; do not edit -->"
  private static let end = "<!-- end of torture -->"

  struct NoPlace: Error, CustomStringConvertible {
    let description: String
  }

  /// Puts the figures between their marks in a document.
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
    var lines = [
      "\(machine.date), \(machine.processor), \(machine.cores) cores, \(machine.kernel); load average "
        + "\(machine.loadAtStart) at the start, \(machine.loadAtEnd) at the end."
    ]
    if let versions = results.versions { lines[0] += " FastMap at \(versions.words)." }
    if let note = results.note { lines[0] += " " + note }
    lines += [
      "", "| campaign | must hold | form | seconds | counted | violations |", "|---|---|---|--:|---|--:|",
    ]
    for campaign in results.campaigns {
      let form =
        (campaign.isShort ? "short" : "long") + (campaign.isCutShort ? ", until time was up" : "")
        + other(campaign.commit, than: results.versions)
      let counts = campaign.counts.map { "\(grouped($0.count)) \($0.what)" }.joined(separator: ", ")
      lines.append(
        "| \(campaign.title) | \(campaign.rule) | \(form) | \(Int(campaign.seconds.rounded(.up))) | \(counts) "
          + "| \(campaign.violationCount) |")
    }
    let found = results.campaigns.filter { $0.violationCount > 0 }
    for campaign in found {
      lines += ["", "Violations of `\(campaign.name)` (seed \(campaign.seed)), the first of them:", ""]
      lines += campaign.violations.prefix(5).map { "- \($0.prefix(300))" }
    }
    return lines.joined(separator: "\n")
  }

  /// The commit of a campaign that ran by itself, at another one than the newest run.
  private static func other(_ commit: String?, than versions: Versions?) -> String {
    guard let versions, commit != versions.commit else { return "" }
    return commit.map { ", at commit \($0)" } ?? ", at a commit that was not kept"
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
  /// For the terminal.
  var words: String {
    let list = counts.map { "\(Report.grouped($0.count)) \($0.what)" }.joined(separator: ", ")
    return "\(seconds) s\(isCutShort ? " (time was up)" : ""): \(list); \(violationCount) violations"
  }
}
