/// Reads instances of your classes, one for each object, with the relationships that you ask for, and saves your
/// changes. Objects of an entity without a class are ``EditableRecord`` objects.
///
///     let context = try ObjectContext(store, for: Book.mapping)
///     defer { context.end() }
///     let book = try context.object(Book.mapping, key: 5, including: \.author, \.author.books)
///     book?.author?.books.count
///
/// A read loads the attributes of an object, and those relationships that `including:` names. Any other relationship looks
/// empty and is not: `isLoaded(_:of:)` tells, and `load(_:of:)` loads it later.
///
/// An object has one instance in a context, however it is reached and however often it is read. The instance keeps the values
/// that it was first read with; `refresh(_:)` reads it again.
///
/// Each read sees one snapshot of the store, and two reads may see different commits.
///
/// A context ends with ``end()``, or with its last reference. Its instances keep their attributes, and their relationships
/// become empty. So instances that it has read or saved are released, also if they refer to each other.
///
/// Swift may release a context right after its last use, before you have read the relationships of its instances. End it yourself
/// with `defer { context.end() }`, or use ``StoreAccess/withContext(for:_:use:)``.
///
/// An instance that you have made keeps its relationships if the context has never saved it, or has deleted it since. If such
/// instances refer to each other in a ring, take it apart yourself.
///
/// An instance that a context has read or saved belongs to it. Do not give it to another context before this one has ended: the
/// other one would take it for a new object.
///
/// - Note: Thread rule: not `Sendable`. Use a context where it was made. A context of main-actor classes belongs to the main
///   actor. Observers of properties must not use the context that sets them.
public final class ObjectContext {
  let store: any Store
  let plan: Plan
  /// Nil once the context has ended.
  private var loader: ContextLoader?

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - store: The store to read from.
  ///   - first: A mapping or a plan. The context knows it, and all mappings that it reaches through relationships.
  ///   - others: Further ones that `first` does not reach.
  /// - Throws: ``MappingDefinitionError``, and ``MainActorError`` for main-actor classes off the main actor.
  public convenience init(_ store: any Store, for first: any PlanSource, _ others: any PlanSource...) throws {
    try self.init(store, Plan.joining([first.plan()] + others.map { try $0.plan() }))
  }

  init(_ store: any Store, _ plan: Plan) throws(MainActorError) {
    try MainIsolation.check(plan.mainEntity)
    self.store = store
    self.plan = plan
    loader = ContextLoader(ContextGraph(plan))
  }

  deinit {
    guard let loader else { return }
    if plan.mainEntity == nil || MainIsolation.isCurrent { return loader.graph.clearRelationships() }
    let left = LeftGraph(loader.graph)
    Task { @MainActor in left.graph.clearRelationships() }
  }

  /// Whether it has not ended.
  var isOpen: Bool { loader != nil }

  /// Its objects; nil once it has ended.
  var graph: ContextGraph? { loader?.graph }

  /// Waits for the turn of an awaiting read.
  ///
  /// - Throws: As ``open()``.
  nonisolated(nonsending) func whenFree() async throws -> ContextLoader {
    while let loader, loader.isSaving || loader.isReading { await loader.wait() }
    return try open()
  }

  /// Runs a save or an import with `await`, after all earlier calls.
  nonisolated(nonsending) func inTurn<R>(
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    guard let loader else { throw ContextError.hasEnded }
    if !loader.turns.take() { await withCheckedContinuation { loader.turns.append($0) } }
    defer { loader.turns.pass() }
    return try await body()
  }

  /// Ends the context. Its instances keep their attributes, and their relationships become empty.
  ///
  /// An instance that you have made stays as it is if this context has never saved it, or has deleted it since. Another context
  /// may have it.
  ///
  /// Further uses throw ``ContextError``. Ending it again does nothing.
  ///
  /// - Complexity: O(*n*) in its instances and their relationships.
  public func end() {
    guard let loader else { return }
    self.loader = nil
    // A save that waits for its transaction takes it apart afterwards.
    if !loader.isSaving { loader.graph.clearRelationships() }
  }

  /// The instances of all objects that are stored, read before or met through relationships.
  package var instances: [AnyObject] { loader?.graph.all.filter { !$0.isGone }.map(\.instance) ?? [] }

  /// - Throws: ``ContextError``, and ``MainActorError`` for main-actor classes off the main actor.
  func open() throws -> ContextLoader {
    try MainIsolation.check(plan.mainEntity)
    guard let loader else { throw ContextError.hasEnded }
    if loader.isSaving {
      guard let save = loader.running, plan.mainEntity == nil else { throw ContextError.isSaving }
      try save.waitBlocking()
      // Its error is thrown by the save.
      _ = try? save.finish(self, loader)
    }
    loader.uses += 1
    return loader
  }
}

/// The graph of a context that was released off the main actor.
// @unchecked: the context is gone, so nothing but the main actor has its graph.
private final class LeftGraph: @unchecked Sendable {
  let graph: ContextGraph

  init(_ graph: ContextGraph) { self.graph = graph }
}

extension Plan {
  /// The plan of several plans' mappings; a single one is the plan itself.
  fileprivate static func joining(_ plans: [Plan]) throws(MappingDefinitionError) -> Plan {
    var joined: [Plan] = []
    for plan in plans where !joined.contains(where: { $0.has(plan) }) {
      joined.removeAll { plan.has($0) }
      joined.append(plan)
    }
    if joined.count == 1 { return joined[0] }
    return try Plan(joining: joined.map { $0.mappings.map(\.source) })
  }

  /// Whether this plan has all mappings of another plan.
  private func has(_ other: Plan) -> Bool {
    let own = Set(mappings.map { ObjectIdentifier($0.source) })
    return other.mappings.allSatisfy { own.contains(ObjectIdentifier($0.source)) }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Lends a context to `body`, and ends it. In a transaction, its saves are parts of the transaction.
  ///
  ///     let titles = try store.withContext(for: Author.mapping) { context in
  ///       try context.object(Author.mapping, key: 7, including: \.books)?.books.map(\.title)
  ///     }
  ///
  /// - Parameters:
  ///   - first: A mapping or a plan. The context knows it, and all mappings that it reaches through relationships.
  ///   - others: Further ones that `first` does not reach.
  ///   - body: Uses the context.
  /// - Returns: The result of `body`. Instances that it returns keep their attributes only.
  /// - Throws: Errors of `body`, or as ``ObjectContext/init(_:for:_:)``.
  public func withContext<R>(
    for first: any PlanSource, _ others: any PlanSource..., use body: (ObjectContext) throws -> R
  ) throws -> R {
    let context = try ObjectContext(store, Plan.joining([first.plan()] + others.map { try $0.plan() }))
    defer { context.end() }
    return try body(context)
  }
}
