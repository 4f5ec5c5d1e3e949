/// Instances of mapped classes.
///
/// Within one snapshot every object of the store has one instance, whichever way it is reached. A store that keeps
/// instances, as `MemoryStore` does, answers with those, as they are; any other with copies of what it has.
extension Snapshot {
  /// The object with a key, with its relationships; nil where there is none.
  ///
  /// - Parameters:
  ///   - mapping: Of instances of a class.
  ///   - key: The primary key.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
  /// - Returns: The store's instance; or a copy, which is the caller's alone.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func object<Source: ClassMapping>(
    _ mapping: Source, key: PrimaryKey, depth: Int? = nil
  ) throws -> Source.Object? {
    try withAssembler(mapping) { assembler, entity, reader in
      try reader.object(key, of: entity, &assembler, depth) as? Source.Object
    }
  }

  /// The objects whose keys are in a range, ascending, or all of them, those without a key last.
  ///
  /// - Parameters:
  ///   - mapping: Of instances of a class.
  ///   - keys: Only objects with these keys; all, with a key or without, where none are given.
  ///   - descending: Whether they come in the reverse of that order.
  ///   - limit: At most so many, the first ones of the order.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
  /// - Returns: The store's instances; or copies, which are the caller's alone.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func objects<Source: ClassMapping>(
    _ mapping: Source, keys: (any KeyRangeExpression)? = nil, descending: Bool = false,
    limit: Int = .max, depth: Int? = nil
  ) throws -> [Source.Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      try reader.objects(of: entity, keys?.keyRange, descending, limit, &assembler, depth)
        .compactMap { $0 as? Source.Object }
    }
  }

  /// The objects with some keys, found in one go.
  ///
  /// - Returns: In the order of `keys`, without those that there are not.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func objects<Source: ClassMapping>(
    _ mapping: Source, keys: [PrimaryKey], depth: Int? = nil
  ) throws -> [Source.Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      try reader.objects(of: entity, keys, &assembler, depth).compactMap { $0 as? Source.Object }
    }
  }

  /// Whether there is an object with a key. It is not read.
  ///
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func contains(_ mapping: some PlanSource, key: PrimaryKey) throws -> Bool {
    try withAssembler(mapping) { _, entity, reader in try reader.find(key, of: entity) != nil }
  }

  /// The number of objects, which are not read.
  ///
  /// - Parameters:
  ///   - mapping: Says which entity.
  ///   - keys: Only objects with these keys; all, with a key or without, where none are given.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  public mutating func count(
    _ mapping: some PlanSource, keys: (any KeyRangeExpression)? = nil
  ) throws -> Int {
    try withAssembler(mapping) { _, entity, reader in
      try keys.map { try reader.count(of: entity, keys: $0.keyRange) } ?? reader.count(of: entity)
    }
  }
}

extension StoreReader {
  /// The first objects of an entity in the order of their keys, or its reverse.
  mutating func ids(of entity: Int, keys: KeyRange?, isDescending: Bool, limit: Int) throws -> [ObjectID] {
    guard limit > 0 else { return [] }
    var ids: [ObjectID] = []
    try forEach(of: entity, keys: keys, isDescending: isDescending) { _, id, _ in
      ids.append(id)
      return ids.count < limit
    }
    return ids
  }
}

// A reader of any type is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func object(
    _ key: PrimaryKey, of entity: Int, _ assembler: inout ObjectAssembler, _ depth: Int?
  ) throws -> AnyObject? {
    guard let id = try find(key, of: entity) else { return nil }
    return try assembler.object(id, of: entity, from: &self, depth: depth)
  }

  fileprivate mutating func objects(
    of entity: Int, _ keys: KeyRange?, _ isDescending: Bool, _ limit: Int,
    _ assembler: inout ObjectAssembler, _ depth: Int?
  ) throws -> [AnyObject] {
    let ids = try ids(of: entity, keys: keys, isDescending: isDescending, limit: limit)
    return try ids.compactMap { try assembler.object($0, of: entity, from: &self, depth: depth) }
  }

  fileprivate mutating func objects(
    of entity: Int, _ keys: [PrimaryKey], _ assembler: inout ObjectAssembler, _ depth: Int?
  ) throws -> [AnyObject] {
    try find(keys, of: entity).compactMap { id in
      try id.flatMap { try assembler.object($0, of: entity, from: &self, depth: depth) }
    }
  }
}
