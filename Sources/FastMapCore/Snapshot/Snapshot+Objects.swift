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
  ///   - depth: The number of levels of all relationships to load, `Int.max` for everything reachable. An object has one copy then,
  ///     however it is reached, and circles of copies are yours to break.
  /// - Returns: A copy that only the caller has.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError``, ``MappingDefinitionError``, or the
  ///   store's own error.
  public mutating func object<Source: ClassMapping>(
    _ mapping: Source, key: some PrimaryKeyConvertible,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0
  ) throws -> Source.Object? {
    let plan = try mapping.plan()
    guard let found = try object(plan, key.primaryKey, IncludeDepth(paths, depth: depth, in: plan)) else {
      return nil
    }
    return downcast(found, to: Source.Object.self)
  }

  /// The objects whose keys are in a range, ascending, or all objects, with those without a key last.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of a class.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order.
  ///   - limit: The maximum number of objects.
  ///   - paths: The paths of relationships to load: `\.author.country`.
  ///   - depth: The number of levels of all relationships to load, `Int.max` for everything reachable. An object has one copy then,
  ///     however it is reached, and circles of copies are yours to break.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Returns: Copies that only the caller has.
  /// - Throws: As ``object(_:key:including:depth:)``.
  public mutating func objects<Source: ClassMapping>(
    _ mapping: Source, keys: (any KeyRangeExpression)? = nil, descending: Bool = false,
    limit: Int = .max,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) throws -> [Source.Object] {
    let plan = try mapping.plan()
    let reach = try IncludeDepth(paths, depth: depth, in: plan, unreadable: unreadable)
    let found = try withAssembler(plan) { assembler, entity, reader in
      try reader.objects(of: entity, keys?.keyRange, descending, limit, assembler, reach)
    }
    return downcast(found, to: Source.Object.self)
  }

  /// The objects with the given keys, looked up together.
  ///
  /// - Returns: The objects in the order of `keys`. Keys without an object are left out.
  /// - Throws: As ``object(_:key:including:depth:)``.
  public mutating func objects<Source: ClassMapping>(
    _ mapping: Source, keys: [PrimaryKey],
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) throws -> [Source.Object] {
    let plan = try mapping.plan()
    let reach = try IncludeDepth(paths, depth: depth, in: plan, unreadable: unreadable)
    let found = try withAssembler(plan) { assembler, entity, reader in
      try reader.objects(of: entity, keys, assembler, reach)
    }
    return downcast(found, to: Source.Object.self)
  }

  /// Not generic, so that the generic call inside is compiled for its result type.
  private mutating func object(_ plan: Plan, _ key: PrimaryKey, _ reach: IncludeDepth) throws -> AnyObject? {
    try withAssembler(plan) { assembler, entity, reader in
      try reader.object(key, of: entity, assembler, reach)
    }
  }

  /// Whether there is an object with a key, without reading the object.
  ///
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func contains(
    _ mapping: some PlanSource, key: some PrimaryKeyConvertible
  ) throws -> Bool {
    let key = key.primaryKey
    return try withAssembler(mapping.plan()) { _, entity, reader in try reader.find(key, of: entity) != nil }
  }

  /// The number of objects, without reading them.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of the entity.
  ///   - keys: The keys to count. By default all objects, with a key or without.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func count(
    _ mapping: some PlanSource, keys: (any KeyRangeExpression)? = nil
  ) throws -> Int {
    try withAssembler(mapping.plan()) { _, entity, reader in
      try keys.map { try reader.count(of: entity, keys: $0.keyRange) } ?? reader.count(of: entity)
    }
  }
}

extension StoreReader {
  /// The first objects of an entity in key order, or in reverse.
  mutating func ids(of entity: Int, keys: KeyRange?, isDescending: Bool, limit: Int) throws -> [ObjectID] {
    guard limit > 0 else { return [] }
    var ids: [ObjectID] = []
    guard prefersSets else {
      try forEachObject(of: entity, keys: keys, isDescending: isDescending) { _, id, _ in
        ids.append(id)
        return ids.count < limit
      }
      return ids
    }
    let pageSize = min(limit, PageSize.ofNumbers)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      ids += page.ids.prefix(limit - ids.count)
      return ids.count < limit
    }
    return ids
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func object(
    _ key: PrimaryKey, of entity: Int, _ assembler: ObjectAssembler, _ reach: IncludeDepth
  ) throws -> AnyObject? {
    guard let id = try find(key, of: entity) else { return nil }
    return try assembler.object(id, of: entity, from: &self, reach)
  }

  fileprivate mutating func objects(
    of entity: Int, _ keys: KeyRange?, _ isDescending: Bool, _ limit: Int,
    _ assembler: ObjectAssembler, _ reach: IncludeDepth
  ) throws -> [AnyObject] {
    guard !prefersSets else {
      let ids = try ids(of: entity, keys: keys, isDescending: isDescending, limit: limit)
      return try assembler.objects(ids, of: entity, from: &self, reach)
    }
    guard limit > 0 else { return [] }
    assembler.begin(reach.unreadable)
    defer { assembler.end() }
    var found: [AnyObject] = []
    var count = 0
    var roots: [ObjectID] = []
    var level = ObjectLevel()
    let pageSize = min(limit, PageSize.ofNumbers)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { reader, page in
      let ids = page.count > limit - count ? Array(page.ids.prefix(limit - count)) : page.ids
      // A store that remembers its page need not search for its objects.
      found += try assembler.objects(ids, of: entity, from: &reader, &level)
      count += ids.count
      if !reach.tree.branches.isEmpty { roots += ids }
      return count < limit
    }
    try assembler.relate(&level, &self, levels: reach.depth)
    try assembler.include(
      reach.tree, of: roots, entity: entity, isOneLevel: reach.depth > 0, from: &self)
    return found
  }

  fileprivate mutating func objects(
    of entity: Int, _ keys: [PrimaryKey], _ assembler: ObjectAssembler, _ reach: IncludeDepth
  ) throws -> [AnyObject] {
    let ids = try checkedFind(keys, of: entity).compactMap(\.self)
    return try assembler.objects(ids, of: entity, from: &self, reach)
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
