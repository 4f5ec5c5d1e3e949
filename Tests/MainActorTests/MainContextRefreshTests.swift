import Dispatch
import FastMapCore
import FastMapStoreTesting
import Observation
import Synchronization
import TestSupport
import Testing

@Observable private final class Step {
  var id = 0
  var title = ""
  var next: Step?
  var parts: [Step] = []

  static let mapping: MainActorMapping<Step> = MainActorMapping(
    Step.self, "Step", primaryKey: "id", make: Step.init
  ) {
    Attribute("id", \.id)
    Attribute("title", \.title)
    ToOne("next", \.next, Step.mapping)
    ToMany("parts", \.parts, Step.mapping)
  }
}

/// A store one of whose reads ends late.
private nonisolated final class HeldStore<Base: Store>: StoreOfBaseReaders, StoreOfBaseWriters {
  private enum State { case open, armed, held }

  let base: Base
  private let state = Mutex(State.open)
  private let gate = DispatchSemaphore(value: 0)

  init(_ base: Base) { self.base = base }

  func read<R>(_ schema: Schema, _ body: (inout Base.Reader) throws -> R) throws -> R {
    let result = try base.read(schema, body)
    let isHeld = state.withLock { state in
      defer { if state == .armed { state = .held } }
      return state == .armed
    }
    if isHeld { gate.wait() }
    return result
  }

  /// Holds the next read when it has read everything.
  func arm() { state.withLock { $0 = .armed } }
  var isHeld: Bool { state.withLock { $0 == .held } }
  func release() { gate.signal() }
}

/// Uses of a context while a read with `await` waits.
@Suite struct MainContextRefreshTests {
  private static let payload = #"""
    [{"id": 1, "title": "a", "parts": [{"id": 2, "title": "b", "parts": [3]}, {"id": 3, "title": "c"}]},
     {"id": 4, "title": "d"}]
    """#
  private static let later = #"""
    [{"id": 1, "title": "A", "next": 3, "parts": [3]}, {"id": 2, "title": "B", "parts": [1, 4]},
     {"id": 4, "title": "D"}]
    """#

  /// A context one of whose refreshes has read, and waits.
  private struct Held {
    let context: ObjectContext
    let all: [Step]
    let refresh: Task<Void, any Error>
    let base: any Store
    let release: () -> Void

    func write() throws { _ = try Mapper(base).importJSON(later, as: Step.mapping) }

    func end() async throws {
      release()
      try await refresh.value
    }
  }

  private static func hold(_ kind: StoreKind) async throws -> Held { try await hold(kind.make()) }

  private static func hold<Base: Store>(_ base: Base) async throws -> Held {
    _ = try await Mapper(base).importJSON(payload, as: Step.mapping)
    let store = HeldStore(base)
    let context = try ObjectContext(store, for: Step.mapping)
    let all = try Self.all(context)
    try Self.load(all[0], context)
    store.arm()
    let refresh = Task { @MainActor in _ = try await context.refreshAll() }
    while !store.isHeld { await Task.yield() }
    return Held(context: context, all: all, refresh: refresh, base: base, release: { store.release() })
  }

  private static func all(_ context: ObjectContext) throws -> [Step] { try context.objects(Step.mapping) }
  private static func load(_ step: Step, _ context: ObjectContext) throws {
    try context.load(\.parts, \.next, of: [step])
  }
  private static func refresh(_ step: Step, _ context: ObjectContext) throws { try context.refresh([step]) }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func aReadBeginsAgainIfTheContextWasUsedMeanwhile(_ kind: StoreKind) async throws {
    let held = try await Self.hold(kind)
    let (context, all) = (held.context, held.all)
    try held.write()
    try Self.refresh(all[0], context)
    // It was not loaded when the other read began.
    try Self.load(all[1], context)
    try await held.end()
    #expect(all.map(\.title) == ["A", "B", "c", "D"])
    #expect((all[0].next?.id, all[0].parts.map(\.id), all[1].parts.map(\.id)) == (3, [3], [1, 4]))
    all[0].title = "mine"
    all[0].parts = []
    all[1].parts = []
    try await context.save()
    #expect(all[0].title == "mine")
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func anAwaitingReadWaitsForTheOneBefore(_ kind: StoreKind) async throws {
    let held = try await Self.hold(kind)
    try held.write()
    let later = Task { @MainActor in _ = try await held.context.refreshAll() }
    for _ in 0..<10 { await Task.yield() }
    #expect(held.all[0].title == "a")
    try await held.end()
    try await later.value
    #expect((held.all.map(\.title), held.all[0].parts.map(\.id)) == (["A", "B", "c", "D"], [3]))
  }
}
