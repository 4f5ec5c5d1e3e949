import FastMapCore
import FastMapLMDB
import Foundation

/// Work on a store, with the expected state before it and after each step.
struct Scenario {
  let name: String
  /// The initial store, in a directory of its own; nil if there is none.
  let start: String?
  /// How the store is opened, unless a step opens it in another way.
  let configuration: LMDBStore.Configuration
  /// The steps, in order.
  let steps: [Step]
  /// The store before the first step and after each; nil if there is no store.
  let states: [Model?]
  /// How each state is read, the last one first, because steps may change names and types.
  let readings: [Reading]

  /// A plan, and the stored names of renamed attributes and relationships.
  typealias Reading = (plan: Plan, names: [String: String])

  struct Step {
    let work: Work
    let plan: Plan
    /// The possible states during a step with more than one commit.
    var between: [Model] = []
  }

  static let plan: Result<Plan, any Error> = Result {
    var world = World(hasTextKeys: false)
    return try world.plan(Policies(.assign))
  }

  /// Reads a store that may not be there.
  static func state(of store: String) throws -> Model? { try state(of: store, (plan.get(), [:])) }

  private func state(of store: String) throws -> Model? {
    // If an import is killed between two of its commits, unlinked objects are not deleted yet.
    let mayHaveOrphans = steps.contains { $0.work.hasInterval }
    for reading in readings.dropLast() {
      if let state = try? Self.state(of: store, reading) { return state }
    }
    return try Self.state(of: store, readings.last ?? (Self.plan.get(), [:]), mayHaveOrphans: mayHaveOrphans)
  }

  private static func state(
    of store: String, _ reading: Reading, mayHaveOrphans: Bool = false
  ) throws -> Model? {
    guard access(store + "/data.mdb", F_OK) == 0 else { return nil }
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    let opened = try LMDBStore(at: store, configuration: configuration)
    let report = try opened.check()
    guard report.isSound else {
      throw OddStore(description: "check: \(report.problems.prefix(3).map(\.description))")
    }
    return try Model(opened, reading.plan, names: reading.names, mayHaveOrphans: mayHaveOrphans)
  }

  /// Runs the steps.
  ///
  /// - Parameter first: The step to begin with. The last completed step may run again and changes nothing. An earlier
  ///   one would restore objects that later ones deleted.
  func play(at store: String, from first: Int = 0, _ committed: (Int) -> Void = { _ in }) throws {
    var player = ScenarioPlayer(store, configuration)
    for step in steps.prefix(first) { player.skip(step) }
    for (index, step) in steps.enumerated().dropFirst(first) {
      try player.play(step)
      committed(index + 1)
    }
  }

  /// The reason why a store is in none of its allowed states; nil if it is in one.
  ///
  /// - Parameter done: The possible numbers of completed steps. One more may be in progress.
  func fault(of store: String, done: ClosedRange<Int>) throws -> String? {
    let state = try state(of: store)
    let done = done.clamped(to: 0...steps.count)
    let between = steps[done.lowerBound..<done.upperBound].flatMap(\.between)
    guard states[done].contains(where: { $0 == state }) || between.contains(where: { $0 == state }) else {
      let near = states[done.upperBound]
      return "another state: \(near.flatMap { state?.difference(from: $0) } ?? "no store")"
    }
    return try Self.litter(in: store) ?? faultOfCopy(of: store, done: done)
  }

  /// Leftovers in a store's directory that opening should have removed.
  private static func litter(in store: String) throws -> String? {
    guard access(store, F_OK) == 0 else { return nil }
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: store))
    let litter = names.subtracting(["data.mdb", "lock.mdb", "data.schema.json", ".data.schema.json"])
    return litter.isEmpty ? nil : "litter in \(store): \(litter.sorted())"
  }

  // MARK: Copies

  /// The path of the new store of a backup or a repair.
  static func copy(of store: String) -> String { store + "-copy" }

  var makesCopy: Bool { steps.contains { $0.work.makesCopy } }

  static func hasCopy(of store: String) -> Bool { access(copy(of: store) + "/data.mdb", F_OK) == 0 }

  /// A copy is complete or does not exist.
  private func faultOfCopy(of store: String, done: ClosedRange<Int>) throws -> String? {
    guard let index = steps.firstIndex(where: { $0.work.makesCopy }), index < done.upperBound else {
      return nil
    }
    guard let copy = try state(of: Self.copy(of: store)) else {
      return index < done.lowerBound ? "the copy is not there" : nil
    }
    if let difference = states[index].flatMap({ copy.difference(from: $0) }) {
      return "the copy is another: \(difference)"
    }
    return try Self.litter(in: Self.copy(of: store))
  }
}
