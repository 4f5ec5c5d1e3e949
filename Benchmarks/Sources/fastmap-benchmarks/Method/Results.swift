import Foundation

/// What is kept of a run, as `results.json`. README.md describes it.
struct Results: Codable {
  var schema = 1
  var machine: Machine
  var versions: Versions
  var note: String?
  var workloads: [Workload]

  struct Workload: Codable {
    var name: String
    var title: String
    var rootCount: Int
    var objectCount: Int
    var byteCount: Int
    var rounds: Int
    var base: String
    var subjects: [Measured]
    var budgets: [Budget]
  }

  struct Measured: Codable {
    var name: String
    var title: String
    var seconds: Spread
    var processorSeconds: Spread
    /// How many times as fast as the base, round by round.
    var speedToBase: Spread?
    var peakBytes: Int?
    var allocations: Int?
    var fileBytes: Int?
    var samples: [Sample]
  }

  struct Budget: Codable {
    var what: String
    var subject: String
    var other: String
    var promised: Double
    var found: Spread
  }
}

// MARK: - Making

extension Results.Workload {
  init(_ suite: Suite, _ prepared: PreparedSuite, _ samples: [[Sample]]) {
    let byName = Dictionary(uniqueKeysWithValues: zip(prepared.subjects.map(\.name), samples))
    func speed(of name: String, to other: String) -> Spread? {
      guard let own = byName[name], let others = byName[other] else { return nil }
      return Spread(zip(own, others).map { $1.seconds / $0.seconds })
    }
    func median(_ figures: [Int?]) -> Int? {
      Spread(figures.compactMap { $0.map(Double.init) }).map { Int($0.median) }
    }

    name = suite.name
    title = suite.title
    rootCount = prepared.rootCount
    objectCount = prepared.objectCount
    byteCount = prepared.byteCount
    rounds = samples.first?.count ?? 0
    base = suite.base
    subjects = suite.subjects.compactMap { subject in
      guard let samples = byName[subject.name], let seconds = Spread(samples.map(\.seconds)),
        let processorSeconds = Spread(samples.map(\.processorSeconds))
      else { return nil }
      return Results.Measured(
        name: subject.name, title: subject.title, seconds: seconds, processorSeconds: processorSeconds,
        speedToBase: speed(of: subject.name, to: suite.base), peakBytes: median(samples.map(\.peakBytes)),
        allocations: median(samples.map(\.allocations)), fileBytes: median(samples.map(\.fileBytes)),
        samples: samples)
    }
    budgets = suite.budgets.compactMap { budget in
      speed(of: budget.subject, to: budget.other).map {
        Results.Budget(
          what: budget.what, subject: budget.subject, other: budget.other, promised: budget.ratio, found: $0)
      }
    }
  }
}

// MARK: - Keeping

extension Results {
  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}
