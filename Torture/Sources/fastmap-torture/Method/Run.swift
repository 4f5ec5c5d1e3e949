import Foundation

/// One of the tests of FastMap.
struct Campaign: Sendable {
  /// Its name on the command line.
  let name: String
  /// A short description.
  let title: String
  /// The figure in the report.
  let cases: Cases
  /// The condition that must hold, in a few words.
  let rule: String
  /// Whether it counts, fails or records system calls.
  var needsShim = false
  /// Whether it measures rates, which parallel campaigns would change.
  var runsAlone = false
  let body: @Sendable (Run) throws -> Void

  enum Cases: Sendable {
    /// The count of this name, shown under a shorter name if there is one.
    case count(String, as: String? = nil)
    /// The sum of all counts, except results, whose names begin with an arrow.
    case all(String)
  }
}

/// A running campaign: its seed, its size, its counts and its violations.
final class Run {
  let campaign: Campaign
  let seed: UInt64
  let size: Size
  private(set) var counts: [Results.Count] = []
  private(set) var violations: [String] = []
  private(set) var violationCount = 0
  /// Whether it ended early because time was up.
  private(set) var isCutShort = false
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastProgress: ContinuousClock.Instant

  /// The amount of work.
  struct Size {
    var isShort: Bool
    /// The time limit of a campaign, in seconds. It stops then, and its counts show how far it came.
    var seconds: Int
  }

  init(_ campaign: Campaign, seed: UInt64, size: Size) {
    self.campaign = campaign
    self.seed = seed
    self.size = size
    start = clock.now
    lastProgress = start
  }

  var seconds: Double { start.duration(to: clock.now) / .seconds(1) }

  /// A number for the short form, and one for the long form.
  func count(short: Int, long: Int) -> Int { size.isShort ? short : long }

  /// Whether there is time for more. Also shows the progress.
  func goesOn(_ done: Int, of total: Int, _ what: String) -> Bool {
    let now = clock.now
    if lastProgress.duration(to: now) > .milliseconds(200) {
      lastProgress = now
      Console.progress("\(campaign.name): \(done) of \(total) \(what), \(violationCount) violations")
    }
    if start.duration(to: now) < .seconds(size.seconds) { return true }
    isCutShort = isCutShort || done < total
    return false
  }

  func add(_ count: Int = 1, to what: String) {
    if let index = counts.firstIndex(where: { $0.what == what }) {
      counts[index].count += count
    } else {
      counts.append(.init(what: what, count: count))
    }
  }

  /// Reports a violation.
  func violation(_ text: @autoclosure () -> String) {
    violationCount += 1
    guard violations.count < 20 else { return }
    violations.append(text())
    Console.endProgress()
    Console.note("\(campaign.name): VIOLATION: \(violations.last ?? "")")
  }

  var result: Results.Outcome {
    Results.Outcome(
      name: campaign.name, seed: seed, commit: nil, isShort: size.isShort,
      isCutShort: isCutShort, seconds: (seconds * 10).rounded() / 10,
      counts: counts.filter { !$0.what.hasPrefix("→") } + counts.filter { $0.what.hasPrefix("→") },
      violationCount: violationCount, violations: violations)
  }
}
