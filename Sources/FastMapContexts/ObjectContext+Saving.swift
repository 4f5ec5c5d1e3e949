extension ObjectContext {
  /// Adds a new object for the next save to insert.
  ///
  /// An instance that a relationship of this context refers to need not be inserted: the save finds it.
  ///
  /// - Parameters:
  ///   - object: An instance that this context does not have. For one that it has, it only takes back a `delete`.
  ///   - mapping: A mapping of its class that the context knows.
  /// - Throws: ``ContextError``, ``UnknownNameError``, ``MappingDefinitionError``.
  public func insert<Source: ClassMapping>(_ object: Source.Object, as mapping: Source) throws {
    let loader = try open()
    let entity = try entity(of: mapping.plan(), Source.Object.self)
    let known = loader.graph.member(of: object)
    if let other = known ?? loader.graph.inserted.member(of: object), other.entity != entity {
      throw loader.graph.otherEntity(entity, found: other)
    }
    if let known {
      known.standing = .present
      return
    }
    if loader.graph.inserted.member(of: object) != nil { return }
    try loader.graph.check(object, of: entity)
    loader.graph.forgotten[ObjectIdentifier(object)] = nil
    if loader.graph.goneMember(of: object) != nil { loader.graph.clearInverses(of: object, entity) }
    loader.graph.inserted.append(loader.graph.newMember(object, of: entity))
  }

  /// Marks an object for the next save to delete, with the objects that it owns.
  ///
  /// The save removes it from all relationships, and deletes targets that only its `replace` relationships had. An
  /// object that was inserted into this context and not saved is forgotten, and removed as well.
  ///
  /// A save refuses links that you have set to the object, and properties that you set in it afterwards.
  ///
  /// - Parameter object: An instance of this context.
  /// - Throws: ``ContextError``.
  public func delete<Object: AnyObject>(_ object: Object) throws {
    let loader = try open()
    if let forgotten = loader.graph.inserted.remove(object) {
      loader.graph.forgotten[ObjectIdentifier(object)] = forgotten
      return
    }
    if loader.graph.forgotten[ObjectIdentifier(object)] != nil { return }
    let member = try member(of: object, in: loader)
    if !member.isDeleted { member.standing = .deleted(try InstanceState(member, in: loader.graph)) }
  }

  /// Whether a save would write anything.
  ///
  /// The answer compares every instance of the context with the values that the context has read. Do not ask in a loop.
  ///
  /// - Throws: ``ContextError``, as `save(onConflict:retries:)`.
  /// - Complexity: O(*n*) in the instances of the context.
  public func hasChanges() throws -> Bool { try !ContextChanges(open().graph).isEmpty }

  /// Writes all changes since the objects were read, in one transaction.
  ///
  ///     book.title = "Dune Messiah"
  ///     book.author?.books.count
  ///     let report = try context.save()
  ///
  /// - Only fields that differ are written. A property that is nil clears its value, and an empty list its relationship. A
  ///   relationship that was not loaded stays as it is.
  /// - New objects are inserted: objects given to ``insert(_:as:)``, and new targets of saved relationships.
  /// - Objects marked with ``delete(_:)`` are deleted. A target that leaves a relationship is deleted if the
  ///   relationship owns it or has the policy `replace`, unless something else refers to it. With
  ///   ``RelationshipPolicy/replace(deletesShared:)`` it is deleted even then, unless another relationship that the
  ///   save writes has it.
  /// - A field that you and another writer have changed since it was read is a conflict. A field that only they have
  ///   changed keeps their value, and the instance shows it afterwards.
  ///
  /// Afterwards the context takes the saved values as read. Loaded inverses show the stored relationships.
  ///
  /// - Parameters:
  ///   - rule: Decides about conflicts.
  ///   - retries: How often the transaction is tried if the store reports a conflict of transactions.
  /// - Returns: The report, with the conflicts that the rule has settled, and the edits that it has dropped.
  /// - Throws: ``UnreadableValueError`` with the report of the stored save, if an object cannot show another writer's
  ///   value. ``SaveConflictError``, ``ContextError``, ``UniquenessError``, ``UnknownNameError`` for a field of `rule`,
  ///   or the store's own error. Nothing is saved then, and the context is as before. ``UnknownOutcomeError`` if the
  ///   store cannot tell.
  /// - Complexity: O(*n*) in the instances of the context, plus the import of the changes.
  @discardableResult
  public func save(
    onConflict rule: ConflictRule = .fail, retries: RetryPolicy = RetryPolicy()
  ) throws -> ImportReport {
    let start = ContinuousClock.now
    let (loader, save) = try makeSave(rule)
    if !save.changes.isEmpty {
      do { try store.write(save, retries) } catch {
        save.forgetNumbers()
        throw error
      }
    }
    return try showSaved(save, loader, since: start)
  }

  func makeSave(_ rule: ConflictRule) throws -> (loader: ContextLoader, save: ContextSave) {
    let loader = try open()
    try rule.check(plan.schema)
    return (loader, try ContextSave(ContextChanges(loader.graph), rule))
  }

  /// - Returns: The report.
  func showSaved(
    _ save: ContextSave, _ loader: ContextLoader, since start: ContinuousClock.Instant
  ) throws -> ImportReport {
    let report = save.report(since: start)
    if save.changes.isEmpty {
      try loader.removeForgotten()
      return report
    }
    if !isOpen {
      // They are taken apart with the others.
      for edit in save.new { loader.graph.add(edit.member, to: loader.graph[edit.member.entity]) }
      return report
    }
    loader.unreadable = UnreadableMembers()
    let stale = try loader.showSaved(save)
    if !stale.isEmpty {
      // The save is stored: the next refresh shows values that cannot be shown now.
      try? store.withReader(plan.schema) { reader in try loader.refresh(stale, from: &reader) }
    }
    try loader.throwUnreadable(report)
    return report
  }

  /// Puts all instances back as they were read, or last saved.
  ///
  /// Objects that were inserted are forgotten, and none is deleted any more.
  ///
  /// - Throws: ``ContextError``, or the store's own error.
  public func rollBack() throws {
    try open().rollBack()
  }

  /// Puts one instance back as it was read, or last saved, and not deleted any more.
  ///
  ///     try context.rollBack(book)
  ///
  /// If its object is not stored any more, it leaves the context, and all relationships of other instances. A new
  /// instance that was inserted is forgotten, as by ``delete(_:)``.
  ///
  /// - Parameter object: An instance or a record of this context, also after it has left.
  /// - Throws: ``ContextError``, or the store's own error. The instance stays as it is then.
  public func rollBack<Object: AnyObject>(_ object: Object) throws {
    let loader = try open()
    let graph = loader.graph
    if graph.inserted.contains(object) || graph.forgotten[ObjectIdentifier(object)] != nil {
      return try delete(object)
    }
    if let gone = graph.goneMember(of: object) { return try loader.leave(gone) }
    let member = try member(of: object, in: loader)
    var isStored = false
    try store.withReader(plan.schema) { reader in
      try reader.read([member.id], of: member.entity) { _, row in
        isStored = !graph[member.entity].isOtherKind(row, than: member.instance)
      }
    }
    try loader.rollBack([member])
    if !isStored { try loader.leave(member) }
  }
}

extension ContextSave {
  func report(since start: ContinuousClock.Instant) -> ImportReport {
    var report = ImportReport(
      mapping: plan.root.name, isDryRun: false, bytes: 0,
      rootObjects: changes.edits.count + changes.new.count + changes.deleted.count,
      duration: .now - start, entities: attempt.tally.rows(of: plan.schema), errors: [], unseen: [])
    report.attempts = max(1, attempt.number)
    report.conflicts = attempt.conflicts
    report.isOfSave = true
    return report
  }
}

extension Store {
  func write(_ save: ContextSave, _ retries: RetryPolicy) throws {
    try save.plan.checkUniqueIndexes(capabilities)
    try leaveRests(to: save.plan)
    _ = try prepare(save.schema)
    try transact(save.schema, retries: retries) { writer in try save.run(on: &writer) }
  }
}
