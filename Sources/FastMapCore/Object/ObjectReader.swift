/// A snapshot that answers with instances of mapped classes.
///
///     let lucas = try store.read { try $0.object(Person.mapping, key: 314) }
///
/// Within one read every object of the store has one instance, whichever way it is reached. A store that keeps
/// instances, as `MemoryStore` does, answers with those, as they are; any other with copies of what it has.
public struct ObjectReader<Reader: StoreReader> {
  private var reader: Reader
  private var assemblers: [ObjectIdentifier: ObjectAssembler] = [:]

  init(_ reader: Reader) { self.reader = reader }

  /// The object with a key, with its relationships; nil where there is none.
  ///
  /// - Parameters:
  ///   - mapping: Of instances of a class.
  ///   - key: The primary key.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
  /// - Returns: The store's instance; or a copy, which is the caller's alone.
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func object<Object: AnyObject>(
    _ mapping: Mapping<Object>, key: PrimaryKey, depth: Int? = nil
  ) throws -> Object? {
    try withAssembler(mapping) { assembler, entity, reader in
      guard let id = try reader.find(key, of: entity) else { return nil }
      return try assembler.object(id, of: entity, from: &reader, depth: depth) as? Object
    }
  }

  /// The objects whose keys are in a range, ascending, or all of them, those without a key last.
  ///
  /// - Parameters:
  ///   - mapping: Of instances of a class.
  ///   - keys: Only objects with these keys; nil for all objects, with a key or without.
  ///   - descending: Whether they come in the reverse of that order.
  ///   - limit: At most so many, the first ones of the order.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
  /// - Returns: The store's instances; or copies, which are the caller's alone.
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func objects<Object: AnyObject>(
    _ mapping: Mapping<Object>, keys: ClosedKeyRange? = nil, descending: Bool = false, limit: Int = .max,
    depth: Int? = nil
  ) throws -> [Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      var ids: [ObjectID] = []
      guard limit > 0 else { return [] }
      let visit = { (_: inout Reader, id: ObjectID, _: PrimaryKey?) -> Bool in
        ids.append(id)
        return ids.count < limit
      }
      if descending {
        try reader.forEachReversed(of: entity, keys: keys, visit)
      } else {
        try reader.forEach(of: entity, keys: keys, visit)
      }
      return try ids.compactMap {
        try assembler.object($0, of: entity, from: &reader, depth: depth) as? Object
      }
    }
  }

  /// The objects with some keys, found in one go.
  ///
  /// - Returns: In the order of `keys`, without those that there are not.
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func objects<Object: AnyObject>(
    _ mapping: Mapping<Object>, keys: [PrimaryKey], depth: Int? = nil
  ) throws -> [Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      try reader.find(keys, of: entity).compactMap { id in
        try id.flatMap { try assembler.object($0, of: entity, from: &reader, depth: depth) as? Object }
      }
    }
  }

  /// Whether there is an object with a key. It is not read.
  ///
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func contains<Object>(_ mapping: Mapping<Object>, key: PrimaryKey) throws -> Bool {
    try withAssembler(mapping) { _, entity, reader in try reader.find(key, of: entity) != nil }
  }

  /// The number of objects, which are not read.
  ///
  /// - Parameters:
  ///   - mapping: Says which entity.
  ///   - keys: Only objects with these keys; nil for all objects, with a key or without.
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func count<Object>(_ mapping: Mapping<Object>, keys: ClosedKeyRange? = nil) throws -> Int {
    try withAssembler(mapping) { _, entity, reader in
      try keys.map { try reader.count(of: entity, keys: $0) } ?? reader.count(of: entity)
    }
  }

  private mutating func withAssembler<Object, R>(
    _ mapping: Mapping<Object>, _ body: (inout ObjectAssembler, Int, inout Reader) throws -> R
  ) throws -> R {
    let plan = try mapping.plan()
    try reader.use(plan.schema)
    // Taken out, or changing it would copy all instances.
    var assembler = assemblers.removeValue(forKey: ObjectIdentifier(plan)) ?? ObjectAssembler(plan.schema)
    defer { assemblers[ObjectIdentifier(plan)] = assembler }
    return try body(&assembler, plan.mappings[0].entity, &reader)
  }
}

extension Store {
  /// Lends one snapshot to `body`, with instances of mapped classes for answers.
  ///
  /// - Throws: What `body` throws, or the store's own error.
  @discardableResult
  public func read<R>(_ body: (inout ObjectReader<Reader>) throws -> R) throws -> R {
    try read(Schema(entities: [])) { reader in
      var objects = ObjectReader(reader)
      return try body(&objects)
    }
  }
}
