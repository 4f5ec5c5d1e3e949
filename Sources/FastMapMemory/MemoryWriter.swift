public import FastMapStoreKit

/// One write of a memory store.
///
///     try store.write(plan.schema) { writer in
///       guard let id = try writer.reader.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public struct MemoryWriter: StoreWriter {
  /// The committed state when the write began, with the defaults of new attributes.
  private(set) var original: MemoryState
  /// By table, the state in which a search has found no duplicate. A dry run searches once for each of its commits.
  var unique: [Int: (objects: Pages<StoredObject>, indexes: [TableIndex])] = [:]
  public var reader: MemoryReader
  public private(set) var hasStoredDefaults: Bool
  public let notes: [String]

  init(_ committed: MemoryState, _ schema: Schema) throws(SchemaMismatchError) {
    var state = committed
    let (extended, notes) = try state.declare(schema)
    self.notes = notes
    hasStoredDefaults = extended.hasStoredDefaults || !notes.isEmpty
    original = state
    reader = MemoryReader(state: state, binding: extended.binding)
  }

  public mutating func use(_ schema: Schema) throws {
    let extended = try state.extend(to: schema)
    reader.binding = extended.binding
    if extended.hasStoredDefaults { hasStoredDefaults = true }
    _ = try original.extend(to: schema)
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

  public func resolve(_ lookups: [KeyLookup]) {
    for lookup in lookups {
      let table = table(lookup.entity)
      for (index, field) in lookup.keys.enumerated() {
        lookup.ids[index] = field.key.flatMap { state.tables[table].keys[$0] }
      }
    }
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
    var deleted: [ObjectID] = []
    var referrers: [Referrer: Set<ObjectID>] = [:]
    for id in ids {
      guard let object = state.tables[table].objects[id] else { continue }
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
    for (referrer, ids) in referrers { unlink(ids, from: referrer) }
    return deleted
  }

  public func changed(_ ids: [ObjectID], of entity: Int) -> [Bool] {
    let table = table(entity)
    return ids.map { isChanged($0, in: table) }
  }

  private func isChanged(_ id: ObjectID, in table: Int) -> Bool {
    let old = table < original.tables.count ? original.tables[table].objects[id] : nil
    switch (old, state.tables[table].objects[id]) {
    case (nil, nil): return false
    case (let old?, let new?): return !old.isIdentical(to: new)
    default: return true
    }
  }

  /// Removes targets from a relationship.
  private mutating func unlink(_ ids: Set<ObjectID>, from referrer: Referrer) {
    guard var object = state.tables[referrer.table].objects[referrer.id] else { return }
    object.remove(ids, at: referrer.place)
    state.tables[referrer.table].objects[referrer.id] = object
  }
}
