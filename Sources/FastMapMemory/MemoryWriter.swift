public import FastMapCore

/// One write of a memory store.
///
///     try store.write(plan.schema) { writer in
///       guard let id = try writer.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public struct MemoryWriter: StoreWriter {
  /// The committed state when the write began.
  let original: MemoryState
  public var reader: MemoryReader
  var instanceChanges = InstanceChanges()
  let scratch = Scratch()
  let normalScratch = Scratch()
  /// For each table, the number of each instance; computed when needed.
  var numbers: [Int: [ObjectIdentifier: ObjectID]] = [:]
  /// The caller's instances that were added, and whose relationships have not been inspected yet.
  var added: [(id: ObjectID, table: Int)] = []
  /// The error of the first change that failed midway. The body may have caught it, but must not commit a half of it.
  var unfinished: (any Error)?
  /// The instances that a delegate or a policy has received.
  let lent = LentInstances()
  let inverses = ShownInverses()

  init(_ committed: MemoryState, _ schema: Schema) throws(SchemaMismatchError) {
    original = committed
    var state = committed
    let binding = try state.extend(to: schema)
    reader = MemoryReader(state: state, binding: binding, isWriting: true)
  }

  var state: MemoryState {
    get { reader.state }
    _modify { yield &reader.state }
  }

  var binding: Binding { reader.binding }

  /// The table of an entity. A write has one for each.
  func table(_ entity: Int) -> Int {
    guard let table = binding.table(entity) else { preconditionFailure("an entity beyond the schema") }
    return table
  }

  public func instance(_ id: ObjectID, of entity: Int) -> AnyObject? {
    guard let table = binding.table(entity) else { return nil }
    inverses.show(id, table, state, isNew: isMadeHere)
    let instance = reader.instance(id, of: entity)
    if let instance {
      lent.note(instance, state.tables[table].keyAccess, isNew: isMadeHere(id))
    }
    return instance
  }

  public mutating func resolve(_ lookups: [KeyLookup]) throws {
    for lookup in lookups {
      let table = table(lookup.entity)
      for (index, field) in lookup.keys.enumerated() {
        lookup.ids[index] = try field.key.flatMap {
          try reader.find($0, in: table, lookups: lookup.keys.count)
        }
      }
    }
  }

  /// The object that has a key now.
  mutating func find(_ key: PrimaryKey, in table: Int) throws -> ObjectID? {
    try reader.find(key, in: table, lookups: 1)
  }

  /// Updates the index of a table from its instances.
  mutating func lookOver(_ table: Int) throws { try reader.lookOver(table) }

  mutating func unsettle(_ id: ObjectID, in table: Int) { reader.looks.unsettled[id] = table }

  /// The instances that were added without a key of their own, by ascending number.
  mutating func takeUnsettled() -> [(ObjectID, Int)] {
    defer { reader.looks.unsettled = [:] }
    return reader.looks.unsettled.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  public mutating func reserve(_ requests: [NumberRequest]) -> [ObjectNumbers] {
    requests.map { request in
      defer { state.lastID = state.lastID.advanced(by: request.count) }
      return .run(from: state.lastID.advanced(by: 1))
    }
  }

  public func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) -> [[Reference]] {
    let table = table(entity)
    return ids.map { id in
      var last = last.map { Referrer(table: $0.field >> 32, place: $0.field & 0xFFFF_FFFF, id: $0.owner) }
      var found: [Reference] = []
      while found.count < limit, let next = state.tables[table].referrers[id]?.next(after: last) {
        found.append(
          Reference(
            owner: next.id, entity: binding.entity(ofTable: next.table),
            field: next.table << 32 | next.place))
        last = next
      }
      return found
    }
  }

  /// A list that contains many of the objects is scanned once.
  public mutating func delete(_ ids: [ObjectID], of entity: Int) -> [ObjectID] {
    let table = table(entity)
    numbers[table] = nil
    var deleted: [ObjectID] = []
    var gone: Set<ObjectIdentifier> = []
    var referrers: [Referrer: Set<ObjectID>] = [:]
    for id in ids {
      guard let object = state.tables[table].objects[id] else { continue }
      if let instance = object.instance { gone.insert(ObjectIdentifier(instance.object)) }
      for field in state.tables[table].fields where field.isLink {
        relink(object.targets(at: field.place), to: [], of: id, field, in: table)
      }
      for referrer in state.tables[table].referrers[id]?.all ?? [] {
        referrers[referrer, default: []].insert(id)
      }
      state.tables[table].referrers[id] = nil
      state.tables[table].objects[id] = nil
      if let key = object.key { state.tables[table].keys.remove(key) }
      state.tables[table].count -= 1
      state.tables[table].forgetOrder()
      deleted.append(id)
    }
    for (referrer, ids) in referrers { unlink(ids, gone, from: referrer) }
    return deleted
  }

  public func changed(_ ids: [ObjectID], of entity: Int) -> [Bool] {
    let table = table(entity)
    return ids.map { isChanged($0, in: table) }
  }

  private func isChanged(_ id: ObjectID, in table: Int) -> Bool {
    let old = table < original.tables.count ? original.tables[table].objects[id] : nil
    if isInstanceChanged(id, table) { return true }
    switch (old, state.tables[table].objects[id]) {
    case (nil, nil): return false
    case (let old?, let new?): return !old.isIdentical(to: new)
    default: return true
    }
  }

  /// Removes targets from a relationship. What the caller has set in its property besides stays.
  private mutating func unlink(_ ids: Set<ObjectID>, _ gone: Set<ObjectIdentifier>, from referrer: Referrer) {
    guard var object = state.tables[referrer.table].objects[referrer.id] else { return }
    let field = state.tables[referrer.table].fields.first { $0.isLink && $0.place == referrer.place }
    object.remove(ids, at: referrer.place)
    if let field, let instance = object.instance, case .relationship(let access)? = field.access {
      noteTargets(field, of: object, referrer.id, referrer.table)
      access.set(instance.object, access.get(instance.object).filter { !gone.contains(ObjectIdentifier($0)) })
    }
    state.tables[referrer.table].objects[referrer.id] = object
  }
}
