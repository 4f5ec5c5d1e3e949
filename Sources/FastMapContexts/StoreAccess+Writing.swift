// Writing instances without a context of the caller.

/// Each call on a store is a transaction of its own, and a part of an open one on a transaction.
extension StoreAccess where Self: ~Copyable {
  /// Inserts new objects, with the new objects that they refer to.
  ///
  ///     try store.insert([dune, emma], as: Book.mapping)
  ///
  /// To refer to stored objects, use `upsert` or an ``ObjectContext``. The instances stay yours.
  ///
  /// - Parameters:
  ///   - objects: Instances of the mapping's class.
  ///   - mapping: A mapping of a class.
  /// - Returns: The report.
  /// - Throws: ``ContextError`` for an object whose key is taken, is missing, or appears twice; ``UniquenessError``;
  ///   ``MappingDefinitionError``; or the store's own error. Nothing is stored then.
  @discardableResult
  public func insert<Source: ClassMapping>(
    _ objects: some Sequence<Source.Object>, as mapping: Source
  ) throws -> ImportReport {
    let start = ContinuousClock.now
    let plan = try mapping.plan()
    try MainIsolation.check(plan.mainEntity)
    // Not an `ObjectContext`, whose end empties relationships.
    let graph = ContextGraph(plan)
    let entity = plan.mappings[0].entity
    for object in objects where graph.inserted.member(of: object) == nil {
      try graph.check(object, of: entity)
      graph.inserted.append(graph.newMember(object, of: entity))
    }
    let save = try ContextSave(ContextChanges(graph), .fail, readsWritten: false)
    if !save.changes.isEmpty { try store.write(save, RetryPolicy()) }
    return save.report(since: start)
  }

  /// Inserts objects, or updates the stored ones with the same keys, with all objects that they refer to.
  ///
  ///     try store.upsert([dune], as: Book.mapping)
  ///
  /// They are stored as an import of their JSON would store them. An instance writes all of its attributes, and nil clears the stored value.
  /// A relationship with targets is written as its policy says. One without targets stays as stored, because an instance that was
  /// read without it looks the same. To write some fields only, import a JSON object that has the key and these fields.
  ///
  /// - Parameters:
  ///   - objects: Instances of the mapping's class.
  ///   - mapping: A mapping of a class.
  /// - Returns: The report.
  /// - Throws: ``MappingError`` for an object that cannot be stored, with its place in `objects`; ``MappingDefinitionError``; or the
  ///   store's own error. Nothing is stored then.
  @discardableResult
  public func upsert<Source: ClassMapping>(
    _ objects: some Sequence<Source.Object>, as mapping: Source
  ) throws -> ImportReport {
    try upsertInstances(objects, as: mapping)
  }

  /// The call for classes, by its own name.
  package func upsertInstances<Source: ClassMapping>(
    _ objects: some Sequence<Source.Object>, as mapping: Source
  ) throws -> ImportReport {
    let plan = try mapping.plan()
    var options = SerializerOptions()
    options.includesNulls = true
    options.omitsEmptyRelationships = true
    var text = JSONWriter(isPretty: false)
    try Serializer(plan, options: options).writeDocument(objects, to: &text)
    return try text.withBytes { try Mapper(store).importJSON($0, as: plan) }
  }

  /// Reads the objects of a query, lends each to `body`, and stores the changed fields.
  ///
  ///     try store.update(Account.mapping.keys([1])) { $0.balance += 10 }
  ///
  /// No other writer changes the objects between the read and the write: a conflict runs the call again, with new instances. So
  /// `body` must change nothing else that it cannot change again.
  ///
  /// - Parameters:
  ///   - query: A query of a mapping of a class. A mapping stands for all of its objects.
  ///   - body: Changes properties of an instance. Its relationships look empty; the save writes each that `body` sets.
  /// - Returns: The number of objects that the query has found.
  /// - Throws: Errors of `body`; ``FilterError``; ``ContextError``; ``UnreadableValueError``; ``UniquenessError``;
  ///   ``MappingDefinitionError``; or the store's own error. Nothing is changed then.
  /// - Complexity: As finding the objects, and then as saving them. A thousand instances at a time are in memory.
  @discardableResult
  public func update<Source: ClassMapping>(
    _ query: some QueryConvertible<Source>, _ body: (Source.Object) throws -> Void
  ) throws -> Int {
    let query = query.query
    let plan = try query.source.plan()
    let bound = try query.boundToClass(in: plan)
    return try store.inTransaction { store in
      let ids = try store.withReader(plan.schema) { try $0.ids(of: bound) }
      var rest = ids[...]
      while !rest.isEmpty {
        let some = Array(rest.prefix(1000))
        rest = rest.dropFirst(some.count)
        let context = try ObjectContext(store, plan)
        defer { context.end() }
        let members = try context.members(of: bound.entity, IncludeTree(), context.open()) { _, _ in some }
        for case let object as Source.Object in members.lazy.map(\.instance) { try body(object) }
        try context.save()
      }
      return ids.count
    }
  }

  /// Sets a property of the objects of a query.
  ///
  ///     try store.update(Product.mapping.where { $0.stock < 0 }, set: \.stock, to: 0)
  ///
  /// - SeeAlso: The call with a closure.
  @discardableResult
  public func update<Source: ClassMapping, Value>(
    _ query: some QueryConvertible<Source>, set property: ReferenceWritableKeyPath<Source.Object, Value>,
    to value: Value
  ) throws -> Int {
    try update(query) { $0[keyPath: property] = value }
  }
}
