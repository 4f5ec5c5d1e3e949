// The `async` reads of a context of main-actor classes. A thread of its own reads the store, in one snapshot that ends
// there. Then instances are made and set on the main actor, as by a read without `await`. A context of any classes has
// `refreshAll`: it has no mapping that tells them apart.
extension ObjectContext {
  /// The object with a key, read while the main actor is free; nil if there is none.
  ///
  ///     let contact = try await context.object(Contact.mapping, key: 5, including: \.manager)
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  public func object<Object: AnyObject & Sendable>(
    _ mapping: MainActorMapping<Object>, key: some PrimaryKeyConvertible,
    including paths: PartialKeyPath<RelationshipPath<Object>>...
  ) async throws -> Object? {
    let key = key.primaryKey
    let found: [Object] = try await gathered(mapping.plan(), paths.map { $0.steps() }) { reader, entity in
      try reader.find(key, of: entity).map { [$0] } ?? []
    }
    return found.first
  }

  /// The objects of a mapping or a query, read while the main actor is free.
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  public func objects<Object: AnyObject & Sendable>(
    _ query: some QueryConvertible<MainActorMapping<Object>>,
    including paths: PartialKeyPath<RelationshipPath<Object>>...,
    unreadable: UnreadableRule = .fail
  ) async throws -> [Object] {
    try await gathered(query.query, paths.map { $0.steps() }, unreadable)
  }

  /// The first object of a query, read while the main actor is free; nil if there is none.
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  public func first<Object: AnyObject & Sendable>(
    _ query: some QueryConvertible<MainActorMapping<Object>>,
    including paths: PartialKeyPath<RelationshipPath<Object>>...
  ) async throws -> Object? {
    let found: [Object] = try await gathered(query.limit(1), paths.map { $0.steps() })
    return found.first
  }

  /// Loads relationships of several objects while the main actor is free, unless they were loaded before.
  ///
  ///     try await context.load(\.reports, \.reports.manager, of: contacts)
  ///
  /// - Returns: The objects whose relationships cannot be loaded, because they are not stored any more. They stay as they are.
  /// - SeeAlso: The call without `await`.
  @MainActor
  @discardableResult
  public func load<Object: AnyObject & Sendable>(
    _ paths: PartialKeyPath<RelationshipPath<Object>>..., of objects: [Object]
  ) async throws -> [Object] {
    let loader = try await whenFree()
    let members = try objects.map { try member(of: $0, in: loader) }
    guard let entity = members.first?.entity else { return [] }
    let tree = try IncludeTree(paths.map { $0.steps() }, of: entity, in: plan)
    let roots = loader.roots(of: tree, members, entity)
    return try await apart({ _ in roots }) { loader, reader, _ in
      try loader.include(tree, of: members.filter { !$0.isGone }, from: &reader).among(members)
        .compactMap { $0.instance as? Object }
    }
  }

  /// Reads several objects again, with the relationships that are loaded, while the main actor is free.
  ///
  /// - Returns: The objects that are not stored any more. They stay as they are.
  /// - SeeAlso: The call without `await`.
  @MainActor
  @discardableResult
  public func refresh<Object: AnyObject & Sendable>(_ objects: [Object]) async throws -> [Object] {
    let loader = try await whenFree()
    let members = try objects.map { try member(of: $0, in: loader) }
    return try await refresh(members).compactMap { $0.instance as? Object }
  }

  /// Reads all objects of the context again, and waits for the store on a thread of its own.
  ///
  /// Instances are set where the call comes from. A context of any classes has this call, so an `async` function needs `await`
  /// for it, as for `save`.
  ///
  /// - Returns: The objects that are not stored any more. They stay as they are.
  /// - SeeAlso: The call without `await`.
  @discardableResult
  nonisolated(nonsending) public func refreshAll() async throws -> [AnyObject] {
    return try await refresh(whenFree().graph.all.filter { !$0.isGone }).map(\.instance)
  }

  nonisolated(nonsending) private func refresh(_ members: [ContextMember]) async throws -> [ContextMember] {
    let roots = try open().graph.roots(of: members)
    return try await apart({ _ in roots }) { loader, reader, _ in
      try loader.refresh(members.filter { !$0.isGone }, from: &reader)
    }
  }

  @MainActor
  private func gathered<Object: AnyObject>(
    _ query: Query<MainActorMapping<Object>>, _ paths: [[AnyKeyPath]], _ rule: UnreadableRule = .fail
  ) async throws -> [Object] {
    let queried = try query.source.plan()
    let bound = try query.boundToClass(in: queried)
    let schema = plan.schema
    return try await gathered(queried, paths, rule) { reader, _ in try reader.ids(of: bound, in: schema) }
  }

  @MainActor
  private func gathered<Object: AnyObject>(
    _ source: Plan, _ paths: [[AnyKeyPath]], _ rule: UnreadableRule = .fail,
    _ choose: @escaping @Sendable (inout any StoreReader, Int) throws -> [ObjectID]
  ) async throws -> [Object] {
    let entity = try entity(of: source, Object.self)
    let tree = try IncludeTree(paths, of: entity, in: plan)
    return try await apart({ reader in
      [GatheredReader.Root(entity: entity, ids: try choose(&reader, entity), tree: tree)]
    }) { loader, reader, roots in
      try loader.members(roots[0].ids, of: entity, tree, rule, from: &reader)
        .compactMap { $0.instance as? Object }
    }
  }
}

// MARK: - The thread of the read, and after it

extension ObjectContext {
  /// Objects to read, and then the use of their rows.
  typealias Choice = @Sendable (inout any StoreReader) throws -> [GatheredReader.Root]
  typealias Use<R> = (ContextLoader, inout any StoreReader, [GatheredReader.Root]) throws -> R

  /// Reads on a thread of its own, one call after the other, and then uses the result where the call comes from.
  nonisolated(nonsending) private func apart<R>(
    _ choose: @escaping Choice, _ use: Use<R>
  ) async throws -> R {
    let loader = try await whenFree()
    loader.isReading = true
    defer { loader.isReading = false }
    return try await readApart(loader, choose, use)
  }

  /// Reads again where the call comes from if the context was used meanwhile, or if properties lead to other objects now.
  nonisolated(nonsending) func readApart<R>(
    _ loader: ContextLoader, _ choose: @escaping Choice, _ use: Use<R>
  ) async throws -> R {
    let (uses, isImport) = (loader.uses, loader.isSaving)
    let (roots, gathered) = try await OwnThread.value { [store, plan] in
      try store.withReader(plan.schema) { reader in
        let roots = try choose(&reader)
        return (roots, try GatheredReader(roots, plan, from: &reader))
      }
    }
    while loader.isSaving, !isImport { await loader.wait() }
    guard isOpen else { throw ContextError.hasEnded }
    if loader.uses == uses {
      var reader: any StoreReader = gathered
      do { return try loader.reading { try use(loader, &reader, roots) } } catch is NotGatheredError {}
    }
    return try store.withReader(plan.schema) { reader in
      let roots = try choose(&reader)
      return try loader.reading { try use(loader, &reader, roots) }
    }
  }
}

extension ContextLoader {
  /// The objects that a load must read: the owners, and the objects on its paths that were loaded before.
  fileprivate func roots(
    of tree: IncludeTree, _ owners: [ContextMember], _ entity: Int
  ) -> [GatheredReader.Root] {
    var roots = [GatheredReader.Root(entity: entity, ids: owners.map(\.id), tree: tree)]
    for branch in tree.branches where !branch.tree.branches.isEmpty {
      let targets = reached(from: owners, branch.position)
      if let first = targets.first { roots += self.roots(of: branch.tree, targets, first.entity) }
    }
    return roots
  }
}
