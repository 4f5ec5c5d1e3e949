/// Reads from a snapshot of a store.
///
///     let id = try store.read(plan.schema) { reader in try reader.find(314, of: 0) }
///
/// Entities and fields are numbers: their positions in the schema of the read. Questions are about sets of objects, so
/// that a store on another machine answers each in one round trip.
public protocol StoreReader {
  /// Switches to the numbers of another schema, in the same snapshot.
  ///
  /// A writer also adds the entities and fields that the store does not have yet, in its transaction, and keeps its
  /// changes. A store with ``Store/prepare(_:)`` adds none here.
  ///
  /// - Throws: The store's own error if the stored objects do not match the schema. The reader keeps its previous
  ///   schema then, and a writer adds nothing of the new one.
  mutating func use(_ schema: Schema) throws

  /// The objects with the given keys; nil for each key without an object.
  ///
  /// - Parameters:
  ///   - keys: In any order, with or without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: As many results as `keys`, in the same order.
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?]

  /// Lends the attributes and to-one targets of objects to `body`, one object after the other, in any order.
  ///
  /// To-many fields stay missing; ``targets(of:entity:fields:)`` reads them. Objects that are not stored are left out.
  ///
  /// - Parameters:
  ///   - ids: In any order. `body` is called once for each repeat.
  ///   - entity: The number of the entity. An object of another entity counts as not stored.
  ///   - body: Receives the position in `ids`, and the object, valid until it returns. It must not use the reader.
  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws

  /// The targets of relationships of each of `owners`, in their stored order.
  ///
  /// - Parameters:
  ///   - owners: In any order, with or without repeats.
  ///   - entity: The number of their entity.
  ///   - fields: Relationships to one or to many.
  /// - Returns: For each field, the targets of each owner; empty for an owner that is not stored.
  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]]

  /// Calls `body` with pages of the objects of an entity until it returns false.
  ///
  /// Objects with a key come first, ascending. Objects without one follow in the order of creation. A descending order
  /// is the exact reverse.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - isDescending: Whether to go in reverse.
  ///   - pageSize: The most objects of a page, at least 1.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration. In a write, `body` may
  ///     update objects but not insert or delete, because a store may read ahead.
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// Calls `body` with each object that ``forEachPage(of:keys:isDescending:pageSize:_:)`` visits, until it returns false.
  ///
  /// The default implementation goes through the pages. A store that can hand out objects without pages does so.
  mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The number of objects of an entity.
  mutating func count(of entity: Int) throws -> Int

  /// The number of objects whose keys are in a range.
  ///
  /// The default implementation goes through the pages.
  mutating func count(of entity: Int, keys: KeyRange) throws -> Int

  /// The object with a key; nil if there is none.
  ///
  /// The default implementation asks for a set of one.
  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID?

  /// Lends an object to `body`, with its attributes and to-one targets.
  ///
  /// The default implementation reads a set of one. A store that can decode single fields uses
  /// ``Row/lend(count:decoding:to:)``.
  ///
  /// - Returns: The result of `body`; nil if no such object is stored.
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R?

  /// Fills `buffer` with the attributes and to-one targets of an object. The previous content of the buffer is
  /// removed.
  ///
  /// The default implementation copies what ``withRow(_:of:_:)`` lends.
  ///
  /// - Returns: False if no such object of this entity is stored.
  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool

  /// The targets of one relationship of one object, in order; empty for an object that is not stored.
  ///
  /// The default implementation asks for a set of one.
  mutating func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID]

  /// Whether a call costs much more than its answer. It is the same as ``StoreCapabilities/prefersSets`` of the store,
  /// for calls that know the reader only.
  ///
  /// False by default.
  var prefersSets: Bool { get }

  /// The instance of a mapped class that represents the object, if the store keeps instances. It is the same as long
  /// as the object lives. Nil in any other store, and for a record.
  ///
  /// The default is nil, and FastMap then makes copies.
  func instance(_ id: ObjectID, of entity: Int) -> AnyObject?
}

/// Some objects of an entity, in order, with their keys.
///
///     for (id, key) in zip(page.ids, page.keys) { print(id, key ?? "no key") }
public struct ObjectPage: Sendable {
  /// The objects.
  public private(set) var ids: [ObjectID]
  /// Their keys, as many as `ids`; nil for an object without a key.
  public private(set) var keys: [PrimaryKey?]

  /// Makes a page.
  ///
  /// - Precondition: `ids` and `keys` have the same count.
  public init(ids: [ObjectID] = [], keys: [PrimaryKey?] = []) {
    precondition(ids.count == keys.count, "a page has a key or nil for each object")
    self.ids = ids
    self.keys = keys
  }

  /// The number of objects.
  public var count: Int { ids.count }

  /// Appends an object.
  public mutating func append(_ id: ObjectID, _ key: PrimaryKey?) {
    ids.append(id)
    keys.append(key)
  }

  /// Removes all objects and keeps the memory.
  public mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
  }
}

extension StoreReader {
  public func instance(_ id: ObjectID, of entity: Int) -> AnyObject? { nil }

  public var prefersSets: Bool { false }

  public mutating func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID] {
    try checkedTargets(of: [owner], entity: entity, fields: [field])[0][0]
  }

  public mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try checkedFind([key], of: entity)[0]
  }

  public mutating func withRow<R>(
    _ id: ObjectID, of entity: Int, _ body: (Row) throws -> R
  ) throws -> R? {
    var result: R?
    try read([id], of: entity) { index, row in
      try StoreContractError.check(position: index, below: 1)
      result = try body(row)
    }
    return result
  }

  public mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    buffer.reset(count: 0)
    var isStored = false
    try read([id], of: entity) { index, row in
      try StoreContractError.check(position: index, below: 1)
      buffer.copy(row)
      try buffer.checkWhole()
      isStored = true
    }
    return isStored
  }

  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    var count = 0
    try forEachPage(of: entity, keys: keys, isDescending: false, pageSize: PageSize.ofNumbers) { _, page in
      count += page.count
      return true
    }
    return count
  }

  /// The targets of one relationship for each of `owners`, in order; empty for an owner that is not stored.
  ///
  /// - Returns: As many lists as `owners`.
  /// - Throws: ``StoreContractError`` if the store returns another number of them, or the store's own error.
  public mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try checkedTargets(of: owners, entity: entity, fields: [field])[0]
  }

  /// ``forEachObject(of:keys:isDescending:_:)``, ascending.
  public mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    try forEachObject(of: entity, keys: keys, isDescending: false, body)
  }

  /// ``forEachObject(of:keys:isDescending:_:)``, descending.
  public mutating func forEachReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    try forEachObject(of: entity, keys: keys, isDescending: true, body)
  }

  public mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    let size = PageSize.ofObjects(in: self)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: size) { reader, page in
      for index in page.ids.indices {
        guard try body(&reader, page.ids[index], page.keys[index]) else { return false }
      }
      return true
    }
  }
}
