/// Some objects of a dump, of one entity and in its order, that a store inserts together.
struct DumpBatch: ~Copyable {
  private(set) var schema = Schema(entities: [])
  private(set) var entity = 0
  private var objects: [(id: ObjectID, hasKey: Bool)] = []
  private var keys: [PrimaryKey] = []
  /// The line of each key.
  private var lines: [Int] = []
  /// The fields of all objects, one object behind the other.
  private var rows = RowBuffer()
  private var fieldCount = 0
  private var capacity = 0
  /// About the bytes of the values and targets.
  private var byteCount = 0

  private static let (mostObjects, mostFields, mostBytes) = (4096, 1 << 16, 8 << 20)

  /// Whether it has no room for another object.
  var isFull: Bool { objects.count == capacity || byteCount >= Self.mostBytes }
  var isEmpty: Bool { objects.isEmpty }

  /// Begins a batch without objects.
  mutating func begin(_ entity: Int, of schema: Schema) {
    (self.entity, self.schema) = (entity, schema)
    fieldCount = schema.entities[entity].fields.count
    capacity = max(1, min(Self.mostObjects, Self.mostFields / max(1, fieldCount)))
    objects.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    rows.reset(count: capacity * fieldCount)
    byteCount = 0
  }

  // MARK: The last object

  private var start: Int { (objects.count - 1) * fieldCount }

  /// Adds an object without values.
  mutating func append(_ id: ObjectID) { objects.append((id, false)) }

  /// Sets an attribute.
  ///
  /// - Returns: The number of its bytes; nil if it is not a value of the kind.
  mutating func set(_ value: JSONValue, as kind: AttributeKind, at field: Int) -> Int? {
    guard DumpFormat.read(value, as: kind, into: &rows, at: start + field) else { return nil }
    let count = rows.row[start + field].bytes?.count ?? 8
    byteCount += count
    return count
  }

  mutating func setTarget(_ target: ObjectID, at field: Int) {
    rows.setTarget(target, update: .assign, at: start + field)
  }

  mutating func setTargets(_ targets: [ObjectID], at field: Int) {
    rows.setTargets(targets, update: .assign, at: start + field)
    byteCount += targets.count * 8
  }

  /// Takes an attribute for the key.
  ///
  /// - Parameter line: The line that has it.
  /// - Returns: The key; nil if the field has no key.
  mutating func setKey(_ field: Int, _ line: Int) -> PrimaryKey? {
    guard let key = rows.row[start + field].key else { return nil }
    objects[objects.count - 1].hasKey = true
    keys.append(key)
    lines.append(line)
    return key
  }

  /// Lends the bytes of a field to `body`.
  func withBytes<Result>(of field: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    rows.row[start + field].bytes.map(body)
  }

  // MARK: The store

  /// Inserts the objects.
  ///
  /// - Throws: ``RefusedKey``; errors of the store.
  func apply<W: StoreWriter>(to writer: inout W) throws {
    try rows.checkWhole()
    try resolve(&writer)
    let keyField = schema.entities[entity].keyField
    var batch = ChangeBatch(schema: schema)
    for (index, object) in objects.enumerated() {
      batch.changes.append(
        ObjectChange(
          id: object.id, entity: entity, isNew: true, keyField: object.hasKey ? keyField : nil,
          row: Row(slots: rows.slots + index * fieldCount, count: fieldCount)))
    }
    try writer.apply(&batch)
    try writer.finish(&batch)
  }

  /// A key that the store cannot hold.
  struct RefusedKey: Error {
    let line: Int
    let reason: String
  }

  /// Lets the store look at the keys. It has no object of them.
  private func resolve<W: StoreWriter>(_ writer: inout W) throws {
    if keys.isEmpty { return }
    let ids = UnsafeMutableBufferPointer<ObjectID?>.allocate(capacity: keys.count)
    ids.initialize(repeating: nil)
    defer { ids.deallocate() }
    do {
      try KeyBatch.lend(keys) { keys in
        try writer.resolve([KeyLookup(entity: entity, keys: keys, ids: ids)])
      }
    } catch let error as RefusedKeysError {
      guard let (index, reason) = error.reasons[entity]?.min(by: { $0.key < $1.key }) else { throw error }
      throw RefusedKey(line: lines[index], reason: reason)
    }
  }
}
