/// Copies of single objects.
extension Snapshot {
  /// The number of an entity in ``schema``, which the reader has then.
  private mutating func number(of entity: String) throws -> Int {
    let number = try schema.number(of: entity)
    try use(schema)
    return number
  }

  /// The number of the object with a key, without reading the object; nil if there is none.
  package mutating func find(_ key: some PrimaryKeyConvertible, of entity: String) throws -> ObjectID? {
    let entity = try number(of: entity)
    return try base.find(key.primaryKey, of: entity)
  }

  /// The object of a mapping or a plan with a key; nil if there is none.
  ///
  ///     let person = try store.read { try $0.record(plan, key: 314) }
  ///
  /// - SeeAlso: ``object(_:key:including:depth:)``, for an instance of a class.
  public mutating func record(
    _ mapping: some PlanSource, key: some PrimaryKeyConvertible
  ) throws -> Record? {
    let (plan, key) = (try mapping.plan(), key.primaryKey)
    return try withReader(of: plan) { reader in
      let entity = plan.mappings[0].entity
      guard let id = try reader.find(key, of: entity) else { return nil }
      return try reader.copy(id, of: entity, in: plan.schema, key: key)
    }
  }

  /// The object of an entity of the read's plan with a key; nil if there is none.
  public mutating func record(_ entity: String, key: some PrimaryKeyConvertible) throws -> Record? {
    let (entity, key) = (try number(of: entity), key.primaryKey)
    guard let id = try base.find(key, of: entity) else { return nil }
    return try base.copy(id, of: entity, in: schema, key: key)
  }

  /// The instance with a number, if the snapshot is one of the caller's instances and not of a store.
  package func instance(_ id: ObjectID) -> AnyObject? { (base as? InstanceReader)?.instance(id) }

  /// The object with a number; nil if it is not stored.
  public mutating func record(_ id: ObjectID, of entity: String) throws -> Record? {
    let entity = try number(of: entity)
    return try base.copy(id, of: entity, in: schema)
  }
}

/// Copies of many objects.
extension Snapshot {
  /// All objects of an entity, ascending by key. Objects without a key follow, in the order of creation.
  ///
  /// - Parameter entity: The name of the entity. For some of its objects, take a query: ``Plan/query(of:)``.
  /// - Complexity: O(*n*) in the objects.
  public mutating func records(_ entity: String) throws -> [Record] {
    let entity = try number(of: entity)
    return try base.records(of: entity, in: schema)
  }

  /// The number of objects of an entity, with a key or without.
  public mutating func count(of entity: String) throws -> Int {
    let entity = try number(of: entity)
    return try base.count(of: entity)
  }

  /// Copies of the objects of a mapping or a query, in its order.
  ///
  ///     let people = try store.read { try $0.records(plan.where { $0["age"] >= 18 }) }
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func records<Source: PlanSource>(
    _ query: some QueryConvertible<Source>
  ) throws -> [Record] {
    try withQuery(query) { bound, reader in try reader.records(of: bound) }
  }

  /// Copies of the objects of a query and the position after the last one.
  ///
  ///     let page = try store.read { try $0.recordPage(plan.limit(20)) }
  ///
  /// - Throws: As ``page(_:including:depth:unreadable:)``.
  public mutating func recordPage<Source: PlanSource>(
    _ query: some QueryConvertible<Source>
  ) throws -> QueryPage<Record> {
    let query = query.query
    let plan = try query.source.plan()
    let bound = try query.pageable(in: plan)
    return try withReader(of: plan) { reader in
      let found = try reader.page(of: bound)
      let records = try reader.records(found.ids, of: bound.entity, in: plan.schema, keys: found.keys)
      return QueryPage(
        elements: records.compactMap(\.self),
        position: try reader.position(behind: found, of: bound, query))
    }
  }
}

/// Following relationships.
extension Snapshot {
  /// The targets of a record's relationship, in order.
  public mutating func records(_ name: String, of owner: Record) throws -> [Record] {
    let entity = try target(of: name, of: owner)
    return try base.records(owner.targets(name), of: entity, in: schema)
  }

  /// The target of a record's to-one relationship, or the first target of a to-many; nil if it has none.
  public mutating func record(_ name: String, of owner: Record) throws -> Record? {
    let entity = try target(of: name, of: owner)
    return try owner.target(name).flatMap { try base.copy($0, of: entity, in: schema) }
  }

  private mutating func target(of name: String, of owner: Record) throws -> Int {
    let entity = try number(of: owner.entity)
    return try schema.target(of: name, of: entity)
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func records(of entity: Int, in schema: Schema) throws -> [Record] {
    var records: [Record] = []
    try forEachPage(of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers) {
      reader, page in
      records += try reader.records(page.ids, of: entity, in: schema, keys: page.keys).compactMap(\.self)
      return true
    }
    return records
  }

  fileprivate mutating func records(
    _ ids: [ObjectID], of entity: Int, in schema: Schema
  ) throws -> [Record] {
    try records(ids, of: entity, in: schema, keys: ids.map { _ in nil }).compactMap(\.self)
  }
}
