import Foundation

/// The stored results of a run, in `results.json`. README.md describes it.
struct Results: Codable {
  var schema = 1
  var machine: Machine
  /// Missing in old results.
  var versions: Versions?
  var note: String?
  var campaigns: [Outcome]

  struct Outcome: Codable {
    var name: String
    var seed: UInt64
    /// The commit of the run. A campaign may be older than the newest run.
    var commit: String?
    var isShort: Bool
    var isCutShort: Bool
    var seconds: Double
    var counts: [Count]
    var violationCount: Int
    var violations: [String]
  }

  struct Count: Codable {
    var what: String
    var count: Int
  }

  /// Replaces the results of the same campaigns, and keeps the others.
  mutating func replace(with other: Results) {
    machine = other.machine
    versions = other.versions
    note = other.note ?? note
    for outcome in other.campaigns {
      if let index = campaigns.firstIndex(where: { $0.name == outcome.name }) {
        campaigns[index] = outcome
      } else {
        campaigns.append(outcome)
      }
    }
  }

  init(machine: Machine, versions: Versions?, note: String?, campaigns: [Outcome]) {
    self.machine = machine
    self.versions = versions
    self.note = note
    self.campaigns = campaigns
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}

/// Where and when it ran.
struct Machine: Codable {
  /// ISO 8601, UTC.
  var date: String
  var processor: String
  var cores: Int
  var kernel: String
  /// The number of runnable processes, averaged over the minute before.
  var loadAtStart: Double
  var loadAtEnd: Double

  static func current() -> Machine {
    Machine(
      date: Date().formatted(.iso8601), processor: processor(),
      cores: ProcessInfo.processInfo.activeProcessorCount, kernel: kernel(), loadAtStart: load(),
      loadAtEnd: load())
  }

  static func load() -> Double {
    var loads = [Double](repeating: 0, count: 3)
    return getloadavg(&loads, 3) > 0 ? (loads[0] * 10).rounded() / 10 : 0
  }

  private static func processor() -> String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
  }

  private static func kernel() -> String {
    let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "unknown"
    return "Linux " + release.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
