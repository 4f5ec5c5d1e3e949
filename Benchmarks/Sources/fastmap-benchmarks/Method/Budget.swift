/// A performance goal, and the figure of a run.
struct Budget: Codable {
  var what: String
  var comparison: String
  var promised: Double
  /// Whether the goal is a maximum. Otherwise it is a minimum.
  var isMost: Bool
  var unit: String
  /// Nil if it was not measured.
  var found: Spread?
  /// The same ratio of processor times; nil if the goal is not a ratio of times.
  var foundOfProcessor: Spread?
  /// The reason why it was not measured, if known.
  var reason: String?

  enum Verdict: String {
    case met, missed
    /// The goal is within the spread.
    case narrowlyMet = "met, within the spread"
    case narrowlyMissed = "missed, within the spread"
    case notMeasured = "not measured"
  }

  var verdict: Verdict {
    guard let found else { return .notMeasured }
    let (worse, better) = isMost ? (found.p75, found.p25) : (found.p25, found.p75)
    func isMet(_ figure: Double) -> Bool { isMost ? figure <= promised : figure >= promised }
    if isMet(worse) { return .met }
    if !isMet(better) { return .missed }
    return isMet(found.median) ? .narrowlyMet : .narrowlyMissed
  }

  /// A minimum speed of a subject compared with others, in one workload.
  struct Speed {
    var what: String
    var workload: String
    var subject: String
    /// The sum of their times is used.
    var others: [String]
    /// The least speed, or the most time.
    var limit: Double
    var comparison: String
    /// Whether the goal is a maximum of the time, and not a minimum of the speed.
    var isTime = false
  }

  private static let speeds = [
    Speed(
      what: "bytes → one tree", workload: "families", subject: "fastmap-tree", others: ["jansson"],
      limit: 8,
      comparison: "speed to `json_loadb` and freeing"),
    Speed(
      what: "bytes → trees, parent by parent", workload: "families", subject: "fastmap-elements",
      others: ["jansson-elements"], limit: 8,
      comparison: "speed to `json_loadb` and freeing, parent by parent"),
    Speed(
      what: "bytes → one tree", workload: "families", subject: "fastmap-tree", others: ["simdjson"],
      limit: 0.5,
      comparison: "speed to simdjson's tree"),
    Speed(
      what: "bytes → trees, parent by parent", workload: "families", subject: "fastmap-elements",
      others: ["simdjson"], limit: 0.5, comparison: "speed to simdjson's one tree"),
    reader("twitter", limit: 5), reader("citm-catalog", limit: 5),
    reader("bestbuy-categories", limit: 5), reader("github-events", limit: 5),
    reader("canada", limit: 3),
    Speed(
      what: "bytes → classes, uniqued", workload: "families", subject: "fastmap-objects",
      others: ["jsondecoder"],
      limit: 5, comparison: "speed to `JSONDecoder` → structs"),
    Speed(
      what: "bytes → classes, uniqued", workload: "families", subject: "fastmap-objects",
      others: ["jsonserialization"], limit: 8, comparison: "speed to `JSONSerialization` alone"),
    Speed(
      what: "bytes → LMDB, uniqued, related, durable", workload: "families", subject: "fastmap-lmdb",
      others: ["jsondecoder-sqlite"], limit: 8, comparison: "speed to `JSONDecoder` + SQLite upserts"),
    Speed(
      what: "bytes → LMDB, uniqued, related, durable", workload: "families", subject: "fastmap-lmdb",
      others: ["simdjson-sqlite"], limit: 1, comparison: "speed to C++ by hand: simdjson + SQLite upserts"),
    Speed(
      what: "bytes → LMDB, uniqued, related, durable", workload: "families", subject: "fastmap-lmdb",
      others: ["lmdb-puts", "fastmap-elements"], limit: 1 / 1.5,
      comparison: "speed to LMDB puts of the records + trees, parent by parent"),
    Speed(
      what: "the same payload again", workload: "again", subject: "fastmap-lmdb", others: ["fastmap-new"],
      limit: 1, comparison: "speed to the first import (no commit: checked in each round)"),
    Speed(
      what: "an object by key", workload: "get", subject: "fastmap-gets", others: ["lmdb-gets"],
      limit: 1 / 1.3,
      comparison: "speed to a bare `mdb_get`"),
    Speed(
      what: "an object by key, files not in memory", workload: "get-cold", subject: "fastmap-gets",
      others: ["sqlite-gets"], limit: 1, comparison: "speed to SQLite, opening included"),
    Speed(
      what: "an instance of a class by key", workload: "get", subject: "fastmap-objects",
      others: ["lmdb-gets"],
      limit: 1.0 / 3, comparison: "speed to a bare `mdb_get`"),
    Speed(
      what: "export", workload: "export", subject: "fastmap-export", others: ["fastmap-lmdb"], limit: 0.5,
      comparison: "speed to the import of the same"),
    Speed(
      what: "bytes → structs, twitter", workload: "decode-twitter", subject: "fastmap-decoder",
      others: ["jsondecoder"], limit: 3, comparison: "speed to `JSONDecoder`"),
    Speed(
      what: "bytes → structs, citm-catalog", workload: "decode-citm-catalog", subject: "fastmap-decoder",
      others: ["jsondecoder"], limit: 3, comparison: "speed to `JSONDecoder`"),
    Speed(
      what: "LMDB → structs", workload: "values", subject: "fastmap-values", others: ["sqlite-values"],
      limit: 3, comparison: "speed to SQLite rows decoded by `Codable`"),
    Speed(
      what: "instances → LMDB", workload: "inserts", subject: "fastmap-inserts",
      others: ["fastmap-lmdb-one-core"], limit: 2, comparison: "time to the import of the same", isTime: true
    ),
    Speed(
      what: "an attribute of a class", workload: "attributes", subject: "fastmap-attributes",
      others: ["closures-by-hand"], limit: 0.5, comparison: "speed to a closure written by hand"),
  ]

  private static func reader(_ text: String, limit: Double) -> Speed {
    Speed(
      what: "bytes → one tree, \(text)", workload: "read-\(text)", subject: "fastmap-tree",
      others: ["jansson"],
      limit: limit, comparison: "speed to `json_loadb` and freeing")
  }

  /// All budgets, measured or not; none if nothing was measured.
  static func all(of results: Results) -> [Budget] {
    let all =
      speeds.map { budget($0, results) } + Self.queries.map { budget($0, results) }
      + Self.indexes.map { budget($0, results) } + Growth.budgets(of: results.growth)
    return all.contains { $0.found != nil } ? all : []
  }

  static func budget(_ speed: Speed, _ results: Results) -> Budget {
    let found = ratio(speed, results, \.seconds)
    return Budget(
      what: speed.what, comparison: speed.comparison, promised: speed.limit, isMost: speed.isTime, unit: "×",
      found: found, foundOfProcessor: ratio(speed, results, \.processorSeconds),
      reason: found == nil ? reason(speed, results) : nil)
  }

  private static func reason(_ speed: Speed, _ results: Results) -> String? {
    if results.skipped.contains(where: { $0.name == speed.workload }) { return "without the corpora" }
    let isWithoutSimdjson = results.versions.simdjson == nil
    return isWithoutSimdjson && speed.others.contains { $0.hasPrefix("simdjson") } ? "without simdjson" : nil
  }

  private static func ratio(_ speed: Speed, _ results: Results, _ time: (Sample) -> Double) -> Spread? {
    guard let workload = results[speed.workload], let own = workload[speed.subject]?.samples else {
      return nil
    }
    let others = speed.others.compactMap { workload[$0]?.samples }
    guard others.count == speed.others.count else { return nil }
    return Spread(
      own.indices.map { round in
        let ratio = others.reduce(0) { $0 + time($1[round]) } / time(own[round])
        return speed.isTime ? 1 / ratio : ratio
      })
  }
}
