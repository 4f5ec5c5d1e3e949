import FastMapCore
import FastMapLMDB
import Foundation

/// A piece of work on a store whose states before and after are known: one state for each step.
struct Scenario {
  let name: String
  /// The store it begins with, in a directory of its own; nil where there is none.
  let start: String?
  /// How the store is opened, until a step opens it in another way.
  let configuration: LMDBStore.Configuration
  /// What is done, one after the other.
  let steps: [Step]
  /// The store before the first step, and after each; nil where there is no store.
  let states: [Model?]
  /// How its states are read: those behind a change of the keys' type in another way than those before it.
  let readings: [Plan]

  struct Step {
    let work: Work
    let plan: Plan
    /// What the store may be while the step is under way, where it is more than one commit.
    var between: [Model] = []
  }

  static let plan: Result<Plan, any Error> = Result {
    var world = World(hasTextKeys: false)
    return try world.plan(Policies(.assign))
  }

  /// Reads a store that may not be there.
  static func state(of store: String) throws -> Model? { try state(of: store, plan.get()) }

  private func state(of store: String) throws -> Model? {
    // An import that is killed between two of its commits has not deleted what it has let go.
    let mayHaveOrphans = steps.contains { $0.work.hasInterval }
    for plan in readings.dropLast() {
      if let state = try? Self.state(of: store, plan) { return state }
    }
    return try Self.state(of: store, readings.last ?? Self.plan.get(), mayHaveOrphans: mayHaveOrphans)
  }

  private static func state(of store: String, _ plan: Plan, mayHaveOrphans: Bool = false) throws -> Model? {
    guard access(store + "/data.mdb", F_OK) == 0 else { return nil }
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    let opened = try LMDBStore(at: store, configuration: configuration)
    let report = try opened.check()
    guard report.isSound else {
      throw OddStore(description: "check: \(report.problems.prefix(3).map(\.description))")
    }
    return try Model(opened, plan, mayHaveOrphans: mayHaveOrphans)
  }

  /// Does the steps.
  ///
  /// - Parameter first: The step to begin with. The one that was done last may be done again, and changes nothing then;
  ///   an earlier one would bring back what a later one has deleted.
  func play(at store: String, from first: Int = 0, _ committed: (Int) -> Void = { _ in }) throws {
    var player = ScenarioPlayer(store, configuration)
    for step in steps.prefix(first) { player.skip(step) }
    for (index, step) in steps.enumerated().dropFirst(first) {
      try player.play(step)
      committed(index + 1)
    }
  }

  /// Why a store is in none of the states that it may be in; nil where it is in one.
  ///
  /// - Parameter done: How many steps may have been done; one more may be under way.
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

  /// What is in a store's directory that opening it should have swept away.
  private static func litter(in store: String) throws -> String? {
    guard access(store, F_OK) == 0 else { return nil }
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: store))
    let litter = names.subtracting(["data.mdb", "lock.mdb"])
    return litter.isEmpty ? nil : "litter in \(store): \(litter.sorted())"
  }

  // MARK: Copies

  /// Where a backup or a repair makes its store.
  static func copy(of store: String) -> String { store + "-copy" }

  var makesCopy: Bool { steps.contains { $0.work.makesCopy } }

  static func hasCopy(of store: String) -> Bool { access(copy(of: store) + "/data.mdb", F_OK) == 0 }

  /// A copy is whole, or not there.
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
