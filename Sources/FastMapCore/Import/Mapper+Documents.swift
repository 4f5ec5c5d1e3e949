// The calls that take bytes, for trees: those of `JSONDocument(parsing:)` and of the caller's own.
extension Mapper {
  /// Imports a tree and returns its root objects, with their relationships.
  ///
  /// - Parameters:
  ///   - document: Borrowed for the call. What is returned keeps nothing of it.
  ///   - mapping: Of instances of a class.
  ///   - options: How the import is done; `format` plays no part.
  /// - Returns: As the call with bytes.
  /// - Throws: ``MappingError``, ``MappingDefinitionError``, or the store's own error. The store is unchanged then, except for
  ///   commits of `options.commitInterval` before.
  public func objects<Source: ClassMapping>(
    from document: borrowing JSONDocument, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try document.withRoot { root in
      try objects(RootSource(root, document.bigIntegers, plan: plan, options: options), plan, options, 0)
    }
  }

  /// Imports a tree of one object and returns its instance.
  ///
  /// - Returns: Its instance; nil where it was left out, and in a dry run.
  /// - Throws: As `objects(from:as:options:)`, and ``MappingError`` for an array.
  public func object<Source: ClassMapping>(
    from document: borrowing JSONDocument, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> Source.Object? {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try document.withRoot { root in
      try object(RootSource(root, document.bigIntegers, plan: plan, options: options), plan, options, 0)
    }
  }

  /// Imports a tree of one object into an instance that the caller has.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - document: Borrowed for the call.
  ///   - mapping: Of instances of its class.
  ///   - options: How the import is done.
  /// - Returns: What was done.
  /// - Throws: As the call with bytes. The instance is as it was then.
  @discardableResult
  public func fill<Source: ClassMapping>(
    _ object: Source.Object, from document: borrowing JSONDocument, as mapping: Source,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try document.withRoot { root in
      try fill(
        object, RootSource(root, document.bigIntegers, plan: plan, options: options), plan, options, 0)
    }
  }
}

// With `await`, on a thread of their own, as in Mapper+Async.swift.
extension Mapper {
  /// Imports a tree on a thread of its own.
  ///
  /// - SeeAlso: The call without `await`.
  nonisolated(nonsending) public func importDocument(
    _ document: borrowing JSONDocument, as mapping: some PlanSource,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let tree = LentTree(document)
    return try await apart(mapping, options) { plan, options throws in
      try run(plan, options, byteCount: 0) { try tree.source(plan, options) }
    }
  }

  /// Imports a tree on a thread of its own and returns its root objects, with their relationships.
  ///
  /// - SeeAlso: The calls without `await`, and with bytes.
  nonisolated(nonsending) public func objects<Source: ClassMapping>(
    from document: borrowing JSONDocument, as mapping: Source, options: ImportOptions = ImportOptions()
  ) async throws -> [Source.Object] where Source.Object: Sendable {
    let tree = LentTree(document)
    return try await apart(mapping, options) { plan, options throws in
      try objects(tree.source(plan, options), plan, options, 0)
    }
  }
}

/// A document's tree on another thread.
// @unchecked: nobody changes the tree, and the call that borrows the document outlives the thread's work.
struct LentTree: @unchecked Sendable {
  let root: JSONNode
  let bigIntegers: BigIntegers?

  init(_ document: borrowing JSONDocument) {
    root = document.root
    bigIntegers = document.bigIntegers
  }

  func source(_ plan: Plan, _ options: ImportOptions) throws -> RootSource {
    try RootSource(root, bigIntegers, plan: plan, options: options)
  }
}
