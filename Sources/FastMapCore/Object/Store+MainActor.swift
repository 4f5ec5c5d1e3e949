extension Store {
  /// Reads the objects whose keys are in a range, or all of them, as instances of a main-actor class.
  ///
  ///     let people = try await store.objects(Person.mapping, descending: true, limit: 100)
  ///
  /// A store of values is read on a thread of its own; only the instances are made and set on the main actor. A store that
  /// keeps instances answers with them.
  ///
  /// - Parameters:
  ///   - mapping: Of instances of a main-actor class.
  ///   - keys: Only objects with these keys; all, with a key or without, where none are given.
  ///   - descending: Whether they come in the reverse of the order of their keys.
  ///   - limit: At most so many, the first ones of the order.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
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

  /// Instances of main-actor classes, made on the main actor, for which the calling thread waits.
  ///
  /// - Parameter choose: The objects of the plan's first mapping.
  func mainInstances(
    _ plan: Plan, depth: Int?, _ choose: @escaping (inout Reader) throws -> [ObjectID]
  ) throws -> [AnyObject] {
    let entity = plan.mappings[0].entity
    if keepsInstances {
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
      var assembler = try ObjectAssembler(plan.schema)
      return try ids.compactMap { try assembler.object($0, of: entity, from: &reader, depth: depth) }
    }
  }
}
