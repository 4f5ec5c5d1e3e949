// Objects of entities without a class. The calls are those for instances, with names in place of classes and key paths.

extension ObjectContext {
  /// The record with a key; nil if there is none.
  ///
  ///     let book = try context.record("Book", key: 5, including: ["author", "author.books"])
  ///
  /// - Parameters:
  ///   - entity: The name of an entity without a class that the context knows.
  ///   - key: The primary key.
  ///   - paths: The paths of relationships to load: `author.books`. A dot of a name is written `\.`.
  /// - Returns: The record of the object in this context.
  /// - Throws: ``UnknownNameError`` for a name that the context does not know, ``ContextError``, or the store's own error.
  public func record(
    _ entity: String, key: some PrimaryKeyConvertible, including paths: [String] = []
  ) throws -> EditableRecord? {
    let key = key.primaryKey
    return try records(entity, paths) { reader, entity in try reader.find(key, of: entity).map { [$0] } ?? []
    }.first
  }

  /// The records of a mapping or a query, in its order.
  ///
  ///     let books = try context.records(plan.where(Filter("@.price < 10")), including: ["author"])
  ///
  /// The query asks the store, and does not see unsaved changes of this context.
  ///
  /// - Parameters:
  ///   - query: A mapping or a plan of an entity that has no class and is known to the context, or a query.
  ///   - paths: The paths of relationships to load: `author.books`.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, ``MappingDefinitionError``, or as ``record(_:key:including:)``.
  public func records<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, including paths: [String] = []
  ) throws -> [EditableRecord] {
    let query = query.query
    let queried = try query.source.plan()
    let bound = try query.bound(to: queried)
    return try records(queried.schema.entities[bound.entity].name, paths) { [plan] reader, _ in
      try reader.ids(of: bound, in: plan.schema)
    }
  }

  /// All records of an entity, ascending by key, with those without a key last.
  ///
  /// - Parameters:
  ///   - entity: The name of an entity without a class that the context knows.
  ///   - paths: The paths of relationships to load: `author.books`.
  /// - Throws: As ``record(_:key:including:)``.
  public func records(_ entity: String, including paths: [String] = []) throws -> [EditableRecord] {
    _ = try self.entity(ofRecords: entity)
    return try records(plan.query(of: entity), including: paths)
  }

  private func records(
    _ name: String, _ paths: [String], _ choose: (inout any StoreReader, Int) throws -> [ObjectID]
  ) throws -> [EditableRecord] {
    let loader = try open()
    let entity = try entity(ofRecords: name)
    let tree = try loader.graph.tree(of: paths, from: entity)
    return try members(of: entity, tree, loader, .fail, choose).compactMap(\.record)
  }

  /// The number of an entity without a class.
  func entity(ofRecords name: String) throws -> Int {
    let entity = try plan.schema.number(of: name)
    if let objects = plan.classes[entity].objects {
      throw ContextError.otherClass(entity: name, expected: objects.typeName, found: "a record")
    }
    return entity
  }

  // MARK: Relationships

  /// Whether a path of relationships was loaded.
  ///
  ///     if try !context.isLoaded("books", of: author) { try context.load(["books"], of: author) }
  ///
  /// - Parameters:
  ///   - path: A relationship, or a path of several. Loaded if each step is, for all stored objects on the way.
  ///     The way follows the present targets of the properties.
  ///   - record: A record of this context.
  /// - Throws: ``ContextError``, ``UnknownNameError``.
  public func isLoaded(_ path: String, of record: EditableRecord) throws -> Bool {
    let loader = try open()
    let member = try member(of: record, in: loader)
    return loader.isLoaded(try loader.graph.positions(of: path, from: member.entity), of: member)
  }

  /// Loads relationships of records, unless they were loaded before, in as few questions as for one.
  ///
  ///     try context.load(["books", "books.publisher"], of: [author])
  ///
  /// A target that you have set before it was loaded is kept.
  ///
  /// - Parameters:
  ///   - paths: The paths of relationships to load.
  ///   - records: Records of this context.
  /// - Returns: The records whose relationships cannot be loaded, because they are not stored any more. They stay as they are.
  /// - Throws: ``ContextError``, ``UnknownNameError``, or the store's own error.
  @discardableResult
  public func load(_ paths: [String], of records: [EditableRecord]) throws -> [EditableRecord] {
    let loader = try open()
    let members = try records.map { try member(of: $0, in: loader) }
    let groups = Dictionary(grouping: members, by: \.entity).sorted { $0.key < $1.key }
    let trees = try groups.map { entity, _ in
      try loader.graph.tree(of: paths, from: entity)
    }
    return try store.withReader(plan.schema) { reader in
      try loader.reading {
        try zip(trees, groups).flatMap { tree, group in
          try loader.include(tree, of: group.value, from: &reader).among(group.value).compactMap(\.record)
        }
      }
    }
  }

  // MARK: New records

  /// Adds a new record for the next save to insert.
  ///
  ///     let book = try context.insert("Book", ["id": 20, "title": "Emma"])
  ///     try book.set("author", to: jane)
  ///
  /// - Parameters:
  ///   - entity: The name of an entity without a class that the context knows.
  ///   - values: Its attributes.
  /// - Returns: The record. All its relationships are empty, and none need be loaded.
  /// - Throws: ``UnknownNameError`` for an unknown name, ``ContextError`` for a value of another kind. Nothing is added then.
  @discardableResult
  public func insert(_ entity: String, _ values: [String: Value] = [:]) throws -> EditableRecord {
    let graph = try open().graph
    let number = try self.entity(ofRecords: entity)
    guard let fields = graph[number].records else { throw ContextError.unknownInstance(type: entity) }
    let record = EditableRecord(fields, isNew: true)
    for (name, value) in values { record[name] = value }
    let member = graph.newMember(record, of: number)
    try graph.checkValues(of: member)
    graph.made.append(record)
    graph.inserted.append(member)
    return record
  }
}

extension ContextGraph {
  /// The relationships that paths of names go through.
  func tree(of paths: [String], from entity: Int) throws -> IncludeTree {
    IncludeTree(try paths.map { try positions(of: $0, from: entity) })
  }
}
