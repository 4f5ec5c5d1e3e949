/// A snapshot that answers with instances of mapped classes.
///
///     let lucas = try store.read { try $0.object(Person.mapping, key: 314) }
///
/// Within one read every object of the store has one instance, whichever way it is reached. A store that keeps
/// instances, as `MemoryStore` does, answers with those, as they are; any other with copies of what it has.
public struct ObjectReader {
  private var reader: any StoreReader
  private var assemblers: [ObjectIdentifier: ObjectAssembler] = [:]

  init(_ reader: any StoreReader) { self.reader = reader }

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
    _ mapping: Source, keys: (some KeyRangeExpression)? = KeyRange?.none, descending: Bool = false,
    limit: Int = .max, depth: Int? = nil
  ) throws -> [Source.Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      try reader.objects(of: entity, keys?.keyRange, descending, limit, &assembler, depth)
        .compactMap { $0 as? Source.Object }
    }
  }

  /// The objects whose keys are in a range, as instances of a main-actor class.
  ///
  /// - SeeAlso: The call for any class.
  // The compiler does not see that the other is called elsewhere: see PlanSource.
  @MainActor
  public mutating func objects<Object: AnyObject>(
    _ mapping: MainMapping<Object>, keys: some KeyRangeExpression, descending: Bool = false,
    limit: Int = .max, depth: Int? = nil
  ) throws -> [Object] {
    let keys: KeyRange? = keys.keyRange
    return try objects(mapping, keys: keys, descending: descending, limit: limit, depth: depth)
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
    _ mapping: some PlanSource, keys: (some KeyRangeExpression)? = KeyRange?.none
  ) throws -> Int {
    try withAssembler(mapping) { _, entity, reader in
      try keys.map { try reader.count(of: entity, keys: $0.keyRange) } ?? reader.count(of: entity)
    }
  }

  private mutating func withAssembler<R>(
    _ mapping: some PlanSource, _ body: (inout ObjectAssembler, Int, inout any StoreReader) throws -> R
  ) throws -> R {
    let plan = try mapping.plan()
    try reader.use(plan.schema)
    // Taken out, or changing it would copy all instances.
    var assembler =
      try assemblers.removeValue(forKey: ObjectIdentifier(plan)) ?? ObjectAssembler(plan.schema)
    defer { assemblers[ObjectIdentifier(plan)] = assembler }
    return try body(&assembler, plan.mappings[0].entity, &reader)
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

extension Store {
  /// Lends one snapshot to `body`, with instances of mapped classes for answers.
  ///
  /// - Throws: What `body` throws, or the store's own error.
  @discardableResult
  public func read<R>(_ body: (inout ObjectReader) throws -> R) throws -> R {
    try read(Schema(entities: [])) { reader in
      var objects = ObjectReader(reader)
      return try body(&objects)
    }
  }
}
