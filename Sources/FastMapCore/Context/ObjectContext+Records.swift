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

  /// The records with the given keys, looked up together.
  ///
  /// - Returns: The records in the order of `keys`. Keys without an object are left out.
  /// - Throws: As ``record(_:key:including:)``.
  public func records(
    _ entity: String, keys: [PrimaryKey], including paths: [String] = []
  ) throws -> [EditableRecord] {
    try records(entity, paths) { reader, entity in try reader.find(keys, of: entity).compactMap(\.self) }
  }

  /// The records whose keys are in a range, ascending, or all records, with those without a key last.
  ///
  /// - Parameters:
  ///   - entity: The name of an entity without a class that the context knows.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order.
  ///   - limit: The maximum number of records.
  ///   - paths: The paths of relationships to load: `author.books`.
  /// - Throws: As ``record(_:key:including:)``.
  public func records(
    _ entity: String, keys: (any KeyRangeExpression)? = nil, descending: Bool = false, limit: Int = .max,
    including paths: [String] = []
  ) throws -> [EditableRecord] {
    try records(entity, paths) { reader, entity in
      try reader.ids(of: entity, keys: keys?.keyRange, isDescending: descending, limit: limit)
    }
  }

  /// The records of a query, in its order.
  ///
  ///     let books = try context.records(Query(plan).where(Filter("@.price < 10")), including: ["author"])
  ///
  /// The query asks the store. It does not see unsaved changes of this context.
  ///
  /// - Parameters:
  ///   - query: A query of a mapping or a plan whose first entity has no class.
  ///   - paths: The paths of relationships to load: `author.books`.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, ``MappingDefinitionError``, or as ``record(_:key:including:)``.
  public func records<Source: PlanSource>(
    _ query: Query<Source>, including paths: [String] = []
  ) throws -> [EditableRecord] {
    let queried = try query.source.plan()
    let bound = try query.bound(to: queried)
    return try records(queried.root.entity, paths) { [plan] reader, _ in
      try reader.ids(of: bound, in: plan.schema)
    }
  }

  /// The first record of a query; nil if there is none.
  ///
  /// - Throws: As ``records(_:including:)``.
  public func firstRecord<Source: PlanSource>(
    _ query: Query<Source>, including paths: [String] = []
  ) throws -> EditableRecord? {
    try records(query.limit(1), including: paths).first
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
    if let objects = plan.schema.entities[entity].objects {
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
  ///   - path: A relationship, or a path of several. It is loaded if each step is, for all stored objects on the way.
  ///     The way follows the present targets of the properties.
  ///   - record: A record of this context.
  /// - Throws: ``ContextError``, ``UnknownNameError``.
  public func isLoaded(_ path: String, of record: EditableRecord) throws -> Bool {
    let loader = try open()
    let member = try member(of: record, in: loader)
    return loader.isLoaded(try loader.graph.positions(of: path, from: member.entity), of: member)
  }

  /// Loads relationships of a record, unless they were loaded before.
  ///
  ///     try context.load(["books", "books.publisher"], of: author)
  ///
  /// A target that you have set before it was loaded is kept.
  ///
  /// - Parameters:
  ///   - paths: The paths of relationships to load.
  ///   - record: A record of this context.
  /// - Returns: Whether they are loaded. If not, the object is not stored any more, and the record stays as it is.
  /// - Throws: ``ContextError``, ``UnknownNameError``, or the store's own error.
  @discardableResult
  public func load(_ paths: [String], of record: EditableRecord) throws -> Bool {
    try load(paths, of: [record]).isEmpty
  }

  /// Loads relationships of several records, in as few questions as for one record.
  ///
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
