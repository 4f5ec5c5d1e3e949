// Imports whose root objects are of an entity without a class. The calls are those for instances, with names in place of key
// paths.
extension ObjectContext {
  /// Imports JSON into the store, and returns the records of the root objects in this context.
  ///
  ///     let books = try context.records(from: body, as: plan, including: ["author"])
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: A mapping or a plan whose first entity has no class, and is known to the context.
  ///   - paths: The paths of relationships to load: `author.books`. A dot of a name is written `\.`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The records, in payload order.
  /// - Throws: As `importJSON(_:as:transforms:options:)`, and ``UnknownNameError`` for a name that the context does
  ///   not know.
  public func records<Source: PlanSource>(
    from json: some JSONSource & ~Escapable, as mapping: Source, including paths: [String] = [],
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> [EditableRecord] {
    let imported = try mapping.plan(transforms: transforms)
    let loader = try open()
    let entity = try entity(ofRecords: imported)
    let tree = try loader.graph.tree(of: paths, from: entity)
    return try run(json, imported, options, returning: (entity, tree)).members.compactMap(\.record)
  }

  /// Imports one JSON object into a record of this context, also into a new one.
  ///
  ///     let draft = try context.insert("Book", ["title": "Emma"])
  ///     try context.fill(draft, from: answer, as: plan)     // the answer has the key
  ///
  /// Your edits stay. A new record shows all that the payload has. Its other values are edits if you have set
  /// them.
  ///
  /// - Parameters:
  ///   - record: A record of this context, read or made with ``insert(_:_:)``, which becomes the object of the payload.
  ///   - json: The text, borrowed for the call, with the key of the object.
  ///   - mapping: A mapping or a plan whose first entity is the record's.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: ``ContextError`` for the payload of another object,
  ///   ``ContextError`` if the context has another record for it, or as
  ///   `records(from:as:including:transforms:options:)`. Nothing is stored then.
  @discardableResult
  public func fill<Source: PlanSource>(
    _ record: EditableRecord, from json: some JSONSource & ~Escapable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    let forgotten = try checkFilled(record, imported)
    defer { forget(forgotten) }
    return try run(json, imported, options, filling: record).report
  }

  // MARK: With await

  /// Imports JSON into the store on a thread of its own, and returns the records of the root objects in this context.
  ///
  ///     let books = try await context.records(from: body, as: plan, including: ["author"])
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - mapping: A mapping or a plan whose first entity has no class, and is known to the context.
  ///   - paths: The paths of relationships to load: `author.books`. A dot of a name is written `\.`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The records, in payload order.
  /// - Throws: As `importJSON` with `await`. If the context has ended meanwhile, ``ContextError``: the import is stored.
  /// - SeeAlso: The call without `await`.
  nonisolated(nonsending) public func records<Source: PlanSource>(
    from json: some JSONSource & Sendable, as mapping: Source, including paths: [String] = [],
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) async throws -> [EditableRecord] {
    let imported = try mapping.plan(transforms: transforms)
    return try await inTurn {
      let loader = try open()
      let entity = try entity(ofRecords: imported)
      let tree = try loader.graph.tree(of: paths, from: entity)
      return try await runApart(json, imported, options, returning: (entity, tree)).members
        .compactMap(\.record)
    }
  }

  /// Imports one JSON object on a thread of its own, into a record of this context or into a new one.
  ///
  ///     try await context.fill(draft, from: answer, as: plan)     // the answer has the key
  ///
  /// Values that you set in the record meanwhile stay for the next save.
  ///
  /// - Parameters:
  ///   - record: A record of this context, read or made with ``insert(_:_:)``, which becomes the object of the payload.
  ///   - json: The text, with the key of the object.
  ///   - mapping: A mapping or a plan whose first entity is the record's.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: As the call without `await`, and `CancellationError`. Nothing is stored then.
  /// - SeeAlso: The call without `await`.
  @discardableResult
  nonisolated(nonsending) public func fill<Source: PlanSource>(
    _ record: EditableRecord, from json: some JSONSource & Sendable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    return try await inTurn {
      let forgotten = try checkFilled(record, imported)
      defer { forget(forgotten) }
      return try await runApart(json, imported, options, filling: record).report
    }
  }

  // MARK: Filled records

  /// Checks a record that is filled. A record that was inserted and deleted since is new again.
  ///
  /// - Returns: The record that was deleted, to be forgotten again if the import does not store it.
  /// - Throws: ``ContextError``, ``UnknownNameError``.
  private func checkFilled(_ record: EditableRecord, _ imported: Plan) throws -> ContextMember? {
    let loader = try open()
    let graph = loader.graph
    let entity = try entity(ofRecords: imported)
    let forgotten = graph.forgotten[ObjectIdentifier(record)]
    let member = try graph.inserted.member(of: record) ?? forgotten ?? member(of: record, in: loader)
    if member.entity != entity { throw graph.otherEntity(entity, found: member) }
    if let forgotten {
      graph.forgotten[ObjectIdentifier(record)] = nil
      graph.inserted.append(forgotten)
    }
    return forgotten
  }

  private func forget(_ forgotten: ContextMember?) {
    guard let forgotten, let graph, graph.inserted.remove(forgotten.instance) != nil else { return }
    graph.forgotten[ObjectIdentifier(forgotten.instance)] = forgotten
  }

  /// The number of the entity of a plan's first mapping, whose objects are records.
  private func entity(ofRecords source: Plan) throws -> Int {
    let entity = try entity(ofRecords: source.root.entity)
    try check(source, entity)
    return entity
  }
}
