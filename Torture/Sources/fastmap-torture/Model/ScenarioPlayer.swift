import FastMapCore
import FastMapLMDB
import Foundation

extension Scenario {
  /// The action of one step.
  enum Work {
    /// Closes the store, and opens it with another configuration.
    case open(LMDBStore.Configuration)
    case importJSON([UInt8], ImportOptions)
    /// The last object is faulty, so everything after the last commit is undone.
    case importUntilFault([UInt8], ImportOptions)
    case importFile(String)
    /// Each on its own thread, all at once.
    case importTogether([[UInt8]])
    case delete(String, Choice)
    /// Reads the whole store, which must equal this model.
    case read(Model)
    /// The next three do not change the store.
    case compact
    case backup(isCompact: Bool)
    case repair

    var hasInterval: Bool {
      switch self {
      case .importJSON(_, let options), .importUntilFault(_, let options): options.commitInterval != nil
      default: false
      }
    }

    var makesCopy: Bool {
      switch self {
      case .backup, .repair: true
      default: false
      }
    }
  }

  /// The objects to delete.
  enum Choice {
    case key(PrimaryKey)
    case keys([PrimaryKey])
    case range(ClosedRange<PrimaryKey>)
    case all
  }
}

/// Runs steps in order. The first one that needs the store opens it.
struct ScenarioPlayer {
  private let path: String
  private var configuration: LMDBStore.Configuration
  private var opened: LMDBStore?

  init(_ path: String, _ configuration: LMDBStore.Configuration) {
    self.path = path
    self.configuration = configuration
  }

  /// Skips a step that was completed.
  mutating func skip(_ step: Scenario.Step) {
    if case .open(let configuration) = step.work { self.configuration = configuration }
  }

  mutating func play(_ step: Scenario.Step) throws {
    switch step.work {
    case .open(let configuration):
      opened = nil
      self.configuration = configuration
      _ = try store()
    case .importJSON(let text, let options):
      _ = try Mapper(store()).importJSON(text, as: step.plan, options: options)
    case .importUntilFault(let text, let options):
      do {
        _ = try Mapper(store()).importJSON(text, as: step.plan, options: options)
        throw OddStore(description: "a faulty object was taken")
      } catch is MappingError {}
    case .importFile(let file):
      _ = try Mapper(store()).importJSON(.file(file), as: step.plan)
    case .importTogether(let texts):
      try importTogether(texts, step.plan)
    case .delete(let entity, let choice):
      try delete(entity, choice, step.plan)
    case .read(let model):
      let difference = try Model(store(), step.plan).difference(from: model)
      if let difference { throw OddStore(description: "read: \(difference)") }
    case .compact:
      opened = nil
      try LMDBStore.compact(at: path)
    case .backup(let isCompact):
      try store().backup(to: Scenario.copy(of: path), compacting: isCompact)
    case .repair:
      opened = nil
      let report = try LMDBStore.repair(from: path, to: Scenario.copy(of: path))
      guard report.isComplete else { throw OddStore(description: "repair: \(report.problems)") }
    }
  }

  private mutating func store() throws -> LMDBStore {
    if let opened { return opened }
    let store = try LMDBStore(at: path, configuration: configuration)
    opened = store
    return store
  }

  private mutating func delete(_ entity: String, _ choice: Scenario.Choice, _ plan: Plan) throws {
    let store = try store()
    switch choice {
    case .key(let key): try store.delete(plan.query(of: entity).keys([key]))
    case .keys(let keys): try store.delete(plan.query(of: entity).keys(keys))
    case .range(let range): try store.delete(plan.query(of: entity).keys(range))
    case .all: try store.delete(plan.query(of: entity))
    }
  }

  private mutating func importTogether(_ texts: [[UInt8]], _ plan: Plan) throws {
    let store = try store()
    let threads = texts.map { text in
      let outcome = Outcome()
      Thread.detachNewThread {
        outcome.result = Result { _ = try Mapper(store).importJSON(text, as: plan) }
        outcome.done.signal()
      }
      return outcome
    }
    for thread in threads { thread.done.wait() }
    for thread in threads { try thread.result.get() }
  }

  // @unchecked: it is read after the signal that follows the write.
  private final class Outcome: @unchecked Sendable {
    let done = DispatchSemaphore(value: 0)
    var result: Result<Void, any Error> = .success(())
  }
}
