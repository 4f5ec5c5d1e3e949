internal import CFastMap

/// Makes instances of what a store holds: one for each object, with its attributes and its relationships.
///
/// Instances are made before they are filled, so that circles close, and are filled from a list, so that
/// depth costs heap and not stack.
struct ObjectAssembler {
  private let schema: Schema
  private var instances: [Place: AnyObject] = [:]

  private struct Place: Hashable {
    var entity: Int
    var id: ObjectID
  }

  init(_ schema: Schema) { self.schema = schema }

  /// The instance for an object, the same one each time; nil where it is not stored.
  ///
  /// - Parameter depth: How many levels of relationships are filled; related objects beyond are not made. Nil
  ///   for all.
  mutating func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, depth: Int? = nil
  ) throws -> AnyObject? {
    let root = Place(entity: entity, id: id)
    if let known = instances[root] { return known }
    var row = RowBuffer()
    var pending: [(place: Place, level: Int)] = []
    if let kept = reader.instance(id, of: entity) { return kept }
    guard let instance = try make(root, &row, &reader) else { return nil }
    pending.append((root, 0))
    while let (place, level) = pending.popLast() {
      guard depth.map({ level < $0 }) ?? true, let owner = instances[place] else { continue }
      for (number, field) in schema.entities[place.entity].fields.enumerated() {
        guard case .relationship(let access)? = field.access else { continue }
        let ids = try reader.targets(of: [place.id], entity: place.entity, field: number).first ?? []
        var targets: [AnyObject] = []
        for id in ids {
          let target = Place(entity: field.kind.targetEntity ?? 0, id: id)
          if let known = instances[target] ?? reader.instance(id, of: target.entity) {
            targets.append(known)
          } else if let made = try make(target, &row, &reader) {
            targets.append(made)
            pending.append((target, level + 1))
          }
        }
        access.set(owner, ids.isEmpty ? nil : targets)
      }
    }
    return instance
  }

  /// Makes an instance and sets its attributes.
  private mutating func make<R: StoreReader>(
    _ place: Place, _ row: inout RowBuffer, _ reader: inout R
  ) throws -> AnyObject? {
    guard let objects = schema.entities[place.entity].objects,
      try reader.read(place.id, of: place.entity, into: &row)
    else { return nil }
    let instance = objects.make()
    var null = fastmap_slot()
    null.tag = UInt8(FASTMAP_NULL)
    for (number, field) in schema.entities[place.entity].fields.enumerated() {
      guard case .attribute(let access)? = field.access else { continue }
      let slot = row.row.slots + number
      // Null and missing are the same in a store: an optional property becomes nil, any other stays as it was made.
      if slot.pointee.tag == FASTMAP_MISSING {
        access.set(instance, FieldValue(&null))
      } else {
        access.set(instance, FieldValue(slot))
      }
    }
    instances[place] = instance
    return instance
  }
}

extension Schema.Kind {
  /// The entity of a relationship's targets.
  package var targetEntity: Int? {
    switch self {
    case .attribute: nil
    case .toOne(let entity, _), .toMany(let entity, _): entity
    }
  }
}

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
  ///   - limit: At most so many, the first ones.
  ///   - depth: How many levels of relationships of a copy are filled, 0 for none; nil for all that can be
  ///     reached.
  /// - Returns: The store's instances; or copies, which are the caller's alone.
  /// - Throws: ``MappingFaults``, or the store's own error.
  public mutating func objects<Object: AnyObject>(
    _ mapping: Mapping<Object>, keys: ClosedKeyRange? = nil, limit: Int = .max, depth: Int? = nil
  ) throws -> [Object] {
    try withAssembler(mapping) { assembler, entity, reader in
      var ids: [ObjectID] = []
      try reader.forEach(of: entity, keys: keys) { _, id, _ in
        guard ids.count < limit else { return false }
        ids.append(id)
        return true
      }
      return try ids.compactMap {
        try assembler.object($0, of: entity, from: &reader, depth: depth) as? Object
      }
    }
  }

  private mutating func withAssembler<Object, R>(
    _ mapping: Mapping<Object>, _ body: (inout ObjectAssembler, Int, inout Reader) throws -> R
  ) throws -> R {
    let plan = try mapping.plan()
    try reader.use(plan.schema)
    var assembler = assemblers[ObjectIdentifier(plan)] ?? ObjectAssembler(plan.schema)
    defer { assemblers[ObjectIdentifier(plan)] = assembler }
    return try body(&assembler, plan.mappings[0].entity, &reader)
  }
}

extension Store {
  /// Lends one snapshot to `body`, with instances of mapped classes for answers.
  ///
  /// - Throws: What `body` throws, or the store's own error.
  public func read<R>(_ body: (inout ObjectReader<Reader>) throws -> R) throws -> R {
    try read(Schema(entities: [])) { reader in
      var objects = ObjectReader(reader)
      return try body(&objects)
    }
  }
}
