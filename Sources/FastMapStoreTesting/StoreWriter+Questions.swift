internal import FastMapCore

// The questions of a batch, with plain values.
extension StoreWriter {
  /// Looks up keys of several entities in one question.
  ///
  /// - Parameter lookups: Keys in their order, without repeats.
  /// - Returns: As many lists as `lookups`, in the same order.
  mutating func resolve(_ lookups: [(entity: Int, keys: [PrimaryKey])]) throws -> [[ObjectID?]] {
    var found: [[ObjectID?]] = []
    try resolve(lookups[...], []) { ids, _ in found = ids }
    return found
  }

  mutating func resolve(_ keys: [PrimaryKey], of entity: Int = 0) throws -> [ObjectID?] {
    try resolve([(entity, keys)])[0]
  }

  /// Looks up a key with its fingerprint, in a store that keeps some.
  mutating func fingerprint(of key: PrimaryKey) throws -> Fingerprint? {
    var found: Fingerprint?
    try resolve([(0, [key])], [], withFingerprints: true) { _, fingerprints in found = fingerprints[0][0] }
    return found
  }

  /// Lends the keys one entity after the other, and asks when all are lent.
  private mutating func resolve(
    _ rest: ArraySlice<(entity: Int, keys: [PrimaryKey])>, _ lent: [LentLookup],
    withFingerprints: Bool = false, _ body: ([[ObjectID?]], [[Fingerprint?]]) -> Void
  ) throws {
    guard let first = rest.first else {
      defer { for lookup in lent { lookup.deallocate() } }
      try resolve(lent.map { $0.lookup(withFingerprints: withFingerprints) })
      return body(lent.map { Array($0.ids) }, lent.map { Array($0.fingerprints) })
    }
    try KeyBatch.lend(first.keys) { keys in
      try resolve(
        rest.dropFirst(), lent + [LentLookup(entity: first.entity, keys: keys)],
        withFingerprints: withFingerprints, body)
    }
  }

  /// Reserves numbers for new objects of several entities in one question.
  ///
  /// - Parameter requests: Keys in their order, without repeats.
  /// - Returns: As many lists as `requests`, in the same order.
  mutating func numbers(_ requests: [(entity: Int, keys: [PrimaryKey], keyless: Int)]) throws -> [[ObjectID]]
  {
    try numbers(requests[...], [])
  }

  /// Reserves a number for a new object of the first entity.
  mutating func number(for key: PrimaryKey) throws -> ObjectID {
    try numbers([(0, [key], 0)])[0][0]
  }

  private mutating func numbers(
    _ rest: ArraySlice<(entity: Int, keys: [PrimaryKey], keyless: Int)>, _ lent: [NumberRequest]
  ) throws -> [[ObjectID]] {
    guard let first = rest.first else {
      let numbers = try reserve(lent)
      try expect("the answers", numbers.count, is: lent.count)
      return try zip(lent, numbers).map { request, numbers in
        if case .list(let ids) = numbers { try expect("the numbers", ids.count, is: request.count) }
        return (0..<request.count).map { numbers[$0] }
      }
    }
    return try KeyBatch.lend(first.keys) { keys in
      let request = NumberRequest(entity: first.entity, keys: keys, count: keys.count + first.keyless)
      return try numbers(rest.dropFirst(), lent + [request])
    }
  }

  /// Applies changes and waits for the answer.
  ///
  /// - Returns: Whether each has changed anything.
  @discardableResult
  mutating func apply(_ changes: [TestChange], _ schema: Schema) throws -> [Bool] {
    try ChangeBatch.lend(changes, in: schema) { batch in
      try apply(&batch)
      try finish(&batch)
      return batch.changes.map(\.isChanged)
    }
  }

  /// Inserts or updates an object of the first entity with the fields `id` and `name`, as an import does.
  ///
  /// - Returns: Its number, and whether the store reports a change.
  @discardableResult
  mutating func put(
    _ key: Int64, name: Value? = nil, targets: [String: [ObjectID]?] = [:], fingerprint: Fingerprint? = nil,
    _ schema: Schema
  ) throws -> (id: ObjectID, isChanged: Bool) {
    let stored = try reader.find(.integer(key), of: 0)
    var change = TestChange(
      of: try stored ?? number(for: .integer(key)), isNew: stored == nil, values: ["id": .integer(key)],
      targets: targets, fingerprint: fingerprint)
    change.values["name"] = name
    return (change.id, try apply([change], schema)[0])
  }

  /// Updates the name of an object of the first entity that is stored.
  mutating func rename(_ id: ObjectID, to name: String, _ schema: Schema) throws {
    try apply([TestChange(of: id, isNew: false, values: ["name": .string(name)])], schema)
  }
}

/// A lookup with room for its answer, filled with a wrong number that the answer must replace.
private struct LentLookup {
  let entity: Int
  let keys: KeyBatch
  let ids: UnsafeMutableBufferPointer<ObjectID?>
  let fingerprints: UnsafeMutableBufferPointer<Fingerprint?>

  init(entity: Int, keys: KeyBatch) {
    self.entity = entity
    self.keys = keys
    ids = .allocate(capacity: keys.count)
    fingerprints = .allocate(capacity: keys.count)
    ids.initialize(repeating: ObjectID(rawValue: 77))
    fingerprints.initialize(repeating: nil)
  }

  func lookup(withFingerprints: Bool) -> KeyLookup {
    KeyLookup(entity: entity, keys: keys, ids: ids, fingerprints: withFingerprints ? fingerprints : nil)
  }

  func deallocate() {
    ids.deallocate()
    fingerprints.deallocate()
  }
}
