extension Store {
  /// Reads instances of a main-actor class, in the order of the query.
  ///
  ///     let people = try await store.objects(Person.mapping.sorted(by: \.name).limit(100))
  ///
  /// The store is read on a separate thread. Only creating and setting the instances happens on the main actor.
  ///
  /// - Parameters:
  ///   - query: A mapping of a main-actor class, or a query of one.
  ///   - paths: The paths of relationships to load, as for a ``Snapshot``.
  ///   - depth: The number of levels of all relationships to load, `Int.max` for everything reachable. Circles of such copies are
  ///     yours to break.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError``, ``FilterError``,
  ///   ``MappingDefinitionError``, ``SystemError``, or the store's own error.
  @MainActor
  public func objects<Object: AnyObject & Sendable>(
    _ query: some QueryConvertible<MainActorMapping<Object>>,
    including paths: PartialKeyPath<RelationshipPath<Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) async throws -> [Object] {
    let query = query.query
    let plan = try query.source.plan()
    let tree = try IncludeTree(paths, depth: depth, in: plan)
    let bound = try query.boundToClass(in: plan)
    let (ids, gathered) = try await OwnThread.value {
      try read(plan.schema) { reader in
        let ids = try reader.ids(of: bound)
        let root = GatheredReader.Root(entity: bound.entity, ids: ids, tree: tree)
        return (ids, try GatheredReader([root], plan, from: &reader))
      }
    }
    var reader = gathered
    return try ObjectAssembler(plan).objects(ids, of: bound.entity, from: &reader, tree, unreadable)
      .compactMap { $0 as? Object }
  }
}
