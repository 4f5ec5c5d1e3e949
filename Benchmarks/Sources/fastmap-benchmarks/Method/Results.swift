import Foundation

/// The stored results of a run, in `results.json`. README.md describes it.
struct Results: Codable {
  var schema = 3
  var machine: Machine
  var versions: Versions
  var isFull: Bool
  var note: String?
  /// The settings of the server; only with PostgreSQL.
  var settings: String?
  var budgets: [Budget] = []
  var workloads: [Workload] = []
  var skipped: [Left] = []
  var growth: Growth?
  var instructions: [Instructions] = []

  struct Workload: Codable {
    var name: String
    var title: String
    var rootCount: Int
    var objectCount: Int
    var byteCount: Int
    var rounds: Int
    var base: String
    var subjects: [Measured]

    subscript(subject: String) -> Measured? { subjects.first { $0.name == subject } }
  }

  struct Measured: Codable {
    var name: String
    var title: String
    var seconds: Spread
    var processorSeconds: Spread
    /// The first time, in a separate process, when nothing was warm.
    var firstSeconds: Double?
    /// The ratio of speeds to the base, round by round.
    var speedToBase: Spread?
    /// The peak memory of that process.
    var peakBytes: Int?
    var allocations: Int?
    var fileBytes: Int?
    /// Round by round; only a process of its own writes them down, for the run that started it.
    var samples: [Sample]?
  }

  /// A workload that could not be created.
  struct Left: Codable {
    var name: String
    var reason: String
  }

  init(machine: Machine, versions: Versions, isFull: Bool, note: String?) {
    self.machine = machine
    self.versions = versions
    self.isFull = isFull
    self.note = note
  }

  subscript(workload: String) -> Workload? { workloads.first { $0.name == workload } }
}

// MARK: - Making

extension Results.Workload {
  init(_ suite: Suite, _ prepared: PreparedSuite, _ samples: [[Sample]], first: [Sample?]) {
    name = suite.name
    title = suite.title
    rootCount = prepared.rootCount
    objectCount = prepared.objectCount
    byteCount = prepared.byteCount
    rounds = samples.first?.count ?? 0
    base = suite.base
    let baseSamples = prepared.subjects.firstIndex { $0.name == suite.base }.map { samples[$0] }
    subjects = prepared.subjects.indices.compactMap { index in
      let own = samples[index]
      let name = prepared.subjects[index].name
      let first = first.indices.contains(index) ? first[index] : nil
      guard let seconds = Spread(own.map(\.seconds)),
        let processorSeconds = Spread(own.map(\.processorSeconds))
      else { return nil }
      return Results.Measured(
        name: name, title: suite.subjects.first { $0.name == name }?.title ?? name, seconds: seconds,
        processorSeconds: processorSeconds, firstSeconds: first?.seconds,
        speedToBase: baseSamples.flatMap { Spread(zip(own, $0).map { $1.seconds / $0.seconds }) },
        peakBytes: first?.peakBytes, allocations: Self.median(own.map(\.allocations)),
        fileBytes: Self.median(own.map(\.fileBytes)), samples: own)
    }
  }

  private static func median(_ figures: [Int?]) -> Int? {
    Spread(figures.compactMap { $0.map(Double.init) }).map { Int($0.median) }
  }
}

// MARK: - Keeping

extension Results {
  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  mutating func dropSamples() {
    for workload in workloads.indices {
      for subject in workloads[workload].subjects.indices {
        workloads[workload].subjects[subject].samples = nil
      }
    }
  }

  func write(to path: String) throws {
    try KeptJSON.write(self, to: path)
  }
}
