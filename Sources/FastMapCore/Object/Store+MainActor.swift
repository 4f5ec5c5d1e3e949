extension Store {
  /// Reads instances of a main-actor class, in key order.
  ///
  ///     let people = try await store.objects(Person.mapping, descending: true, limit: 100)
  ///
  /// A store of values is read on a separate thread. Only creating and setting the instances happens on the main
  /// actor. A store that keeps instances returns those.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of a main-actor class.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order.
  ///   - limit: The maximum number of objects.
  ///   - depth: The number of levels of relationships to fill in a copy, 0 for none; nil for everything reachable.
  /// - Throws: ``MappingDefinitionError``, ``SystemError``, or the store's own error.
  @MainActor
  public func objects<Object: AnyObject & Sendable>(
    _ mapping: MainMapping<Object>, keys: (any KeyRangeExpression)? = nil,
    descending: Bool = false,
    limit: Int = .max, depth: Int? = nil
  ) async throws -> [Object] {
    let plan = try mapping.plan()
    let keys = keys?.keyRange
    return try await OwnThread.value {
      try mainInstances(plan, depth: depth) { reader in
        try reader.ids(of: plan.mappings[0].entity, keys: keys, isDescending: descending, limit: limit)
      }
      .compactMap { $0 as? Object }
    }
  }

  /// Instances of main-actor classes, created on the main actor while the calling thread waits.
  ///
  /// - Parameter choose: Selects objects of the plan's first mapping.
  func mainInstances(
    _ plan: Plan, depth: Int?, _ choose: @escaping (inout Reader) throws -> [ObjectID]
  ) throws -> [AnyObject] {
    let entity = plan.mappings[0].entity
    if capabilities.keepsInstances {
      return try OnMainActor.value {
        try read(plan.schema) { reader in
          try choose(&reader).compactMap { reader.instance($0, of: entity) }
        }
      }
    }
    let (ids, gathered) = try read(plan.schema) { reader in
      let ids = try choose(&reader)
      return (ids, try GatheredReader(ids, of: entity, plan.schema, from: &reader, depth: depth))
    }
    return try OnMainActor.value {
      var reader = gathered
      let assembler = try ObjectAssembler(plan.schema)
      return try assembler.objects(ids, of: entity, from: &reader, depth: depth)
    }
  }
}
