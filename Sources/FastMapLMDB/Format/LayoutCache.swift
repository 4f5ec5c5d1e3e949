internal import FastMapStoreKit

/// The layouts of the newest commit that was read, and the bindings of schemas to them. Reading and comparing them
/// takes thirty times as long as finding an object.
///
/// Thread rule: any thread may use it.
final class LayoutCache: Sendable {
  /// The number of schemas that are kept for one commit. Others are bound again at each use.
  private static let capacity = 8

  private struct State {
    var commit = -1
    var layout = StoreLayout()
    var bindings: [Binding] = []
  }
  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var state = State()

  private func withState<R>(_ body: (inout State) -> R) -> R {
    monitor.lock()
    defer { monitor.unlock() }
    return body(&state)
  }

  func layout(_ view: TransactionView, _ tables: Tables) throws -> StoreLayout {
    let commit = view.id
    if let known = withState({ $0.commit == commit ? $0.layout : nil }) { return known }
    let layout = try StoreLayout(view, tables)
    withState { state in
      if state.commit < commit { state = State(commit: commit, layout: layout) }
    }
    return layout
  }

  /// The binding of a schema to the layouts of a commit.
  ///
  /// - Throws: ``SchemaMismatchError``
  func binding(_ schema: Schema, in layout: StoreLayout, of commit: Int) throws -> Binding {
    let known = withState { state in
      state.commit == commit ? state.bindings.first { $0.schema.isIdentical(to: schema) } : nil
    }
    if let known { return known }
    let binding = try layout.bind(schema)
    withState { state in
      guard state.commit == commit else { return }
      if state.bindings.count == Self.capacity { state.bindings.removeFirst() }
      state.bindings.append(binding)
    }
    return binding
  }
}
