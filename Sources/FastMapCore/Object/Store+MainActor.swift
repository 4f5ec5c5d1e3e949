extension Store {
  /// Reads instances of a main-actor class, in key order.
  ///
  ///     let people = try await store.objects(Person.mapping, descending: true, limit: 100)
  ///
  /// The store is read on a separate thread. Only creating and setting the instances happens on the main actor.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of a main-actor class.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order.
  ///   - limit: The maximum number of objects.
  ///   - paths: The paths of relationships to load, as for a ``Snapshot``.
  ///   - depth: The number of levels of all relationships to load, `Int.max` for everything reachable. Circles of such copies are
  ///     yours to break.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError``, ``MappingDefinitionError``,
  ///   ``SystemError``, or the store's own error.
  @MainActor
  public func objects<Object: AnyObject & Sendable>(
    _ mapping: MainMapping<Object>, keys: (any KeyRangeExpression)? = nil,
    descending: Bool = false,
    limit: Int = .max, including paths: PartialKeyPath<RelationshipPath<Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) async throws -> [Object] {
    let plan = try mapping.plan()
    let keys = keys?.keyRange
    let reach = try IncludeDepth(paths, depth: depth, in: plan, unreadable: unreadable)
    return try await OwnThread.value {
      try mainInstances(plan, reach) { reader in
        try reader.ids(of: plan.mappings[0].entity, keys: keys, isDescending: descending, limit: limit)
      }
      .compactMap { $0 as? Object }
    }
  }

  /// Instances of main-actor classes, created on the main actor while the calling thread waits.
  ///
  /// - Parameter choose: Selects objects of the plan's first mapping.
  func mainInstances(
    _ plan: Plan, _ reach: IncludeDepth, _ choose: @escaping (inout Reader) throws -> [ObjectID]
  ) throws -> [AnyObject] {
    let entity = plan.mappings[0].entity
    let (ids, gathered) = try read(plan.schema) { reader in
      let ids = try choose(&reader)
      return (ids, try GatheredReader(ids, of: entity, plan.schema, from: &reader, reach))
    }
    return try OnMainActor.value {
      var reader = gathered
      let assembler = try ObjectAssembler(plan.schema)
      return try assembler.objects(ids, of: entity, from: &reader, reach)
    }
  }
}
