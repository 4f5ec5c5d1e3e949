extension ObjectContext {
  /// The object with a key; nil if there is none.
  ///
  ///     let book = try context.object(Book.mapping, key: 5, including: \.author, \.publisher)
  ///
  /// - Parameters:
  ///   - mapping: A mapping of a class that the context knows.
  ///   - key: The primary key.
  ///   - paths: The paths of relationships to load: `\.author.books`.
  /// - Returns: The instance of the object in this context.
  /// - Throws: ``ContextError``, ``UnknownNameError`` for an entity that the context does not know, ``UnreadableValueError``,
  ///   ``MappingDefinitionError``, or the store's own error.
  public func object<Source: ClassMapping>(
    _ mapping: Source, key: some PrimaryKeyConvertible,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>...
  ) throws -> Source.Object? {
    let key = key.primaryKey
    let found: [Source.Object] = try objects(mapping.plan(), paths.map { $0.steps() }) { reader, entity in
      try reader.find(key, of: entity).map { [$0] } ?? []
    }
    return found.first
  }

  /// The objects of a mapping or a query, in its order.
  ///
  ///     let books = try context.objects(Book.mapping.where { $0.price < 10 }, including: \.author)
  ///
  /// The query asks the store, and does not see unsaved changes of this context.
  ///
  /// - Parameters:
  ///   - query: A mapping of a class that the context knows, or a query of one.
  ///   - paths: The paths of relationships to load: `\.author.books`.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, or as `object(_:key:including:)`.
  public func objects<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., unreadable: UnreadableRule = .fail
  ) throws -> [Source.Object] {
    try objects(of: query.query, paths.map { $0.steps() }, unreadable)
  }

  /// The first object of a mapping or a query; nil if there is none.
  ///
  /// - Throws: As `objects(_:including:unreadable:)`.
  public func first<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>...
  ) throws -> Source.Object? {
    try objects(of: query.limit(1), paths.map { $0.steps() }).first
  }

  private func objects<Source: ClassMapping>(
    of query: Query<Source>, _ paths: [[AnyKeyPath]], _ rule: UnreadableRule = .fail
  ) throws -> [Source.Object] {
    let queried = try query.source.plan()
    let bound = try query.boundToClass(in: queried)
    return try objects(queried, paths, rule) { [plan] reader, _ in try reader.ids(of: bound, in: plan.schema)
    }
  }

  /// Reads objects of the first mapping of a plan.
  ///
  /// - Parameter choose: Receives a reader and the number of the entity, and returns the objects.
  private func objects<Object: AnyObject>(
    _ source: Plan, _ paths: [[AnyKeyPath]], _ rule: UnreadableRule = .fail,
    _ choose: (inout any StoreReader, Int) throws -> [ObjectID]
  ) throws -> [Object] {
    let loader = try open()
    let entity = try entity(of: source, Object.self)
    let tree = try IncludeTree(paths, of: entity, in: plan)
    return try members(of: entity, tree, loader, rule, choose).compactMap { $0.instance as? Object }
  }

  /// Reads objects of an entity, with their relationships.
  ///
  /// - Parameter choose: Receives a reader and the number of the entity, and returns the objects.
  func members(
    of entity: Int, _ tree: IncludeTree, _ loader: ContextLoader, _ rule: UnreadableRule = .fail,
    _ choose: (inout any StoreReader, Int) throws -> [ObjectID]
  ) throws -> [ContextMember] {
    try store.withReader(plan.schema) { reader in
      let ids = try choose(&reader, entity)
      return try loader.reading { try loader.members(ids, of: entity, tree, rule, from: &reader) }
    }
  }

  /// The number of the entity of a plan's first mapping, whose objects are instances of a class.
  ///
  /// - Throws: ``ContextError``, also for a field that the context does not know: it would neither be read nor saved.
  func entity<Object: AnyObject>(of source: Plan, _ class: Object.Type) throws -> Int {
    let entity = try plan.schema.number(of: source.root.entity)
    let objects = plan.classes[entity].objects
    guard let objects, objects.has(source.root.objects) else {
      throw ContextError.otherClass(
        entity: source.root.entity, expected: objects?.typeName ?? "records", found: "\(Object.self)")
    }
    try check(source, entity)
    return entity
  }

  /// Checks that the context knows the fields of a plan's first mapping, which is of an entity with this number.
  ///
  /// - Throws: ``ContextError``: the field would neither be read nor saved.
  func check(_ source: Plan, _ entity: Int) throws(ContextError) {
    if plan.mappings.contains(where: { $0.source === source.mappings[0].source }) { return }
    let layout = plan.schema.entities[entity]
    for field in source.schema.entities[source.mappings[0].entity].fields
    where !layout.fields.contains(where: { NameIndex.isSame($0.name, field.name) }) {
      throw .unknownMapping(source.root.name, entity: layout.name, field: field.name)
    }
  }
}

extension StoreReader {
  /// The numbers of a query's results, in order, in a read with another schema.
  mutating func ids(of query: BoundQuery, in schema: Schema) throws -> [ObjectID] {
    if query.plan.schema.isIdentical(to: schema) { return try ids(of: query) }
    // A query has the entity and field numbers of its own plan.
    try use(query.plan.schema)
    let ids = try ids(of: query)
    try use(schema)
    return ids
  }
}
