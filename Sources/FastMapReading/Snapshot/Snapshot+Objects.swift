/// Instances of mapped classes.
///
/// A read returns copies, with the relationships that it includes. An object has one copy on each level of them, so copies do not
/// refer to each other in circles, and Swift releases them. An ``ObjectContext`` has one instance for each object.
extension Snapshot {
  /// The object with a key; nil if there is none.
  ///
  ///     let car = try store.read { try $0.object(Car.mapping, key: 7, including: \.owner) }
  ///
  /// A copy has those relationships alone that you ask for. Any other one looks empty.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of a class.
  ///   - key: The primary key.
  ///   - paths: The paths of relationships to load: `\.author.country`.
  ///   - depth: The number of levels of all relationships to load, from 0, `Int.max` for everything reachable. An object has one copy then,
  ///     however it is reached, and circles of copies are yours to break.
  /// - Returns: A copy that only the caller has.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError``, ``MappingDefinitionError``, or the
  ///   store's own error.
  public mutating func object<Source: ClassMapping>(
    _ mapping: Source, key: some PrimaryKeyConvertible,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0
  ) throws -> Source.Object? {
    let plan = try mapping.plan()
    let (key, tree) = (key.primaryKey, try IncludeTree(paths, depth: depth, in: plan))
    let found = try object(plan, key, tree)
    return found.flatMap { downcast($0, to: Source.Object.self) }
  }

  /// The objects of a mapping or a query, in its order.
  ///
  ///     let all = try store.read { try $0.objects(Person.mapping) }
  ///     let adults = try store.read { try $0.objects(Person.mapping.where { $0.age >= 18 }.sorted(by: \.name)) }
  ///
  /// - Parameters:
  ///   - query: A mapping of a class, or a query of one.
  ///   - paths: The paths of relationships to load: `\.author.country`.
  ///   - depth: The number of levels of all relationships to load, from 0, `Int.max` for everything reachable. An object has one copy then,
  ///     however it is reached, and circles of copies are yours to break.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Returns: Copies that only the caller has.
  /// - Throws: ``FilterError`` for a filter or an order that does not fit the mapping, ``NoSuchObjectError``,
  ///   ``ContextError`` for a path without a relationship, ``UnreadableValueError``, ``MappingDefinitionError``, or the store's own
  ///   error.
  /// - Complexity: O(*n*) in the objects that the query looks at, see ``explain(_:)``. Without an order of its own
  ///   it ends at the limit.
  public mutating func objects<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) throws -> [Source.Object] {
    let query = query.query
    let plan = try query.source.plan()
    let tree = try IncludeTree(paths, depth: depth, in: plan)
    let bound = try query.boundToClass(in: plan)
    return downcast(try objects(of: bound, tree, unreadable), to: Source.Object.self)
  }

  /// The first object of a mapping or a query; nil if there is none.
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func first<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0
  ) throws -> Source.Object? {
    let query = query.limit(1)
    let plan = try query.source.plan()
    let tree = try IncludeTree(paths, depth: depth, in: plan)
    let bound = try query.boundToClass(in: plan)
    return downcast(try objects(of: bound, tree, .fail), to: Source.Object.self).first
  }
}

extension Snapshot {
  // The calls below are not generic, so that the generic calls inside are compiled for their result type.

  fileprivate mutating func object(_ plan: Plan, _ key: PrimaryKey, _ tree: IncludeTree) throws -> AnyObject?
  {
    try withAssembler(plan) { assembler, entity, reader in
      try reader.object(key, of: entity, assembler, tree)
    }
  }

  fileprivate mutating func objects(
    of query: BoundQuery, _ tree: IncludeTree, _ rule: UnreadableRule
  ) throws -> [AnyObject] {
    try withAssembler(query.plan) { assembler, _, reader in
      try reader.objects(of: query, assembler, tree, rule)
    }
  }
}

extension Snapshot {
  /// The objects of a query and the position after the last one.
  ///
  ///     let page = try store.read { try $0.page(newest.limit(20)) }
  ///     let next = try store.read { try $0.page(newest.after(page.position).limit(20)) }
  ///
  /// - Parameters:
  ///   - query: A query of a mapping of a class, mostly with a limit.
  ///   - paths: The relationships to load, as in ``objects(_:including:depth:unreadable:)``.
  ///   - depth: The number of levels of all relationships to load.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: As ``objects(_:including:depth:unreadable:)``. ``FilterError`` also for a position of another query, for a mapping without a
  ///   primary key, and if the last object has no key, because there is no position after it.
  public mutating func page<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) throws -> QueryPage<Source.Object> {
    let query = query.query
    let plan = try query.source.plan()
    let tree = try IncludeTree(paths, depth: depth, in: plan)
    _ = try query.boundToClass(in: plan)
    let bound = try query.pageable(in: plan)
    return try withAssembler(plan) { assembler, _, reader in
      let found = try reader.page(of: bound)
      let objects = try assembler.objects(found.ids, of: bound.entity, from: &reader, tree, unreadable)
      return QueryPage(
        elements: objects.compactMap { $0 as? Source.Object },
        position: try reader.position(behind: found, of: bound, query))
    }
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func object(
    _ key: PrimaryKey, of entity: Int, _ assembler: ObjectAssembler, _ tree: IncludeTree
  ) throws -> AnyObject? {
    guard let id = try find(key, of: entity) else { return nil }
    return try assembler.object(id, of: entity, from: &self, tree)
  }

  fileprivate mutating func objects(
    of query: BoundQuery, _ assembler: ObjectAssembler, _ tree: IncludeTree, _ rule: UnreadableRule
  ) throws -> [AnyObject] {
    guard !prefersSets else {
      return try assembler.objects(ids(of: query), of: query.entity, from: &self, tree, rule)
    }
    assembler.begin(rule)
    defer { assembler.end() }
    var found: [AnyObject] = []
    var roots: [ObjectID] = []
    var run = QueryRun(query)
    try run.forEachPage(&self) { reader, page in
      // A store that remembers its page need not search for its objects.
      found += try assembler.objects(page.ids, of: query.entity, from: &reader)
      if !tree.isEmpty { roots += page.ids }
      return true
    }
    try assembler.follow(tree, from: roots, of: query.entity, &self)
    return found
  }
}

/// An instance as one of its class; nil if it is of another one.
private func downcast<Object: AnyObject>(_ instance: AnyObject, to class: Object.Type) -> Object? {
  // Comparing the class takes a tenth of a cast. The cast knows subclasses.
  type(of: instance) == Object.self ? unsafeDowncast(instance, to: Object.self) : instance as? Object
}

/// Casts instances to their class, without instances of another one.
private func downcast<Object: AnyObject>(_ instances: [AnyObject], to class: Object.Type) -> [Object] {
  // References have one layout. A copy would be made by code that does not know the class when it is compiled.
  areAll(instances, of: ObjectIdentifier(Object.self))
    ? unsafeBitCast(instances, to: [Object].self) : instances.compactMap { $0 as? Object }
}

private func areAll(_ instances: [AnyObject], of class: ObjectIdentifier) -> Bool {
  instances.allSatisfy { ObjectIdentifier(type(of: $0)) == `class` }
}
