internal import CFastMap
internal import FastMapCore
internal import Synchronization

// The caller may set a primary key property at any time, and the store is not notified. So the index contains the
// keys that instances had when last inspected. A look-up inspects the instance that it finds, which costs almost
// nothing. If that instance has another key now, or the index has no entry, the look-up inspects all instances of the
// table. A full inspection happens at most once in a read or a write. It happens again at the end of a write that has
// lent instances to a delegate or a policy.

/// The inspections of one read or write.
struct KeyLooks: Sendable {
  /// For each table, whether all keys were inspected.
  private var done: [Bool] = []
  /// Created when needed.
  fileprivate var scratch: Scratch?
  /// Instances that were added with no key or another instance's key, by number, with their tables. The payload may
  /// give them a key, so they are inspected when the write ends.
  var unsettled: [ObjectID: Int] = [:]
  func isDone(_ table: Int) -> Bool { table < done.count && done[table] }

  fileprivate mutating func noteDone(_ table: Int) {
    while done.count <= table { done.append(false) }
    done[table] = true
  }

  fileprivate mutating func open() -> Scratch {
    if let scratch { return scratch }
    let made = Scratch()
    scratch = made
    return made
  }
}

/// Changed keys that a read has found. The store keeps them, so that the next read need not search again.
final class KeyNews: Sendable {
  /// A state with an updated index; nil if nothing has changed.
  let state = Mutex<MemoryState?>(nil)
}

extension MemoryReader {
  /// All keys are inspected if that is cheap compared with the request. Then two instances with the same key are
  /// detected even if only one of them is looked up.
  private static var looksForALookup: Int { 16 }

  /// The object that has a key now.
  ///
  /// - Parameter lookups: The number of keys that are looked up together.
  /// - Throws: ``MemoryStoreError/twoInstances(entity:key:formerKeys:)``.
  mutating func find(_ key: PrimaryKey, in table: Int, lookups: Int) throws -> ObjectID? {
    if state.tables[table].objectAccess == nil { return state.tables[table].keys[key] }
    if !looks.isDone(table), state.tables[table].count <= lookups * Self.looksForALookup {
      try lookOver(table)
    }
    if let found = state.tables[table].keys[key] {
      if has(key, found, in: table) { return found }
    } else if looks.isDone(table) {
      return nil
    }
    try lookOver(table)
    return state.tables[table].keys[key]
  }

  /// Updates the index of a table from its instances, unless that was done before.
  mutating func lookOverOnce(_ table: Int) throws {
    if state.tables[table].objectAccess != nil, !looks.isDone(table) { try lookOver(table) }
  }

  mutating func lookOver(_ table: Int) throws {
    let scratch = looks.open()
    let changes = try state.tables[table].changedKeys(scratch, except: looks.unsettled)
    if !changes.isEmpty {
      try state.tables[table].rename(changes)
      let state = state
      news?.state.withLock { $0 = state }
    }
    looks.noteDone(table)
  }

  private mutating func has(_ key: PrimaryKey, _ id: ObjectID, in table: Int) -> Bool {
    guard let object = state.tables[table].objects[id], let instance = object.instance,
      let access = state.tables[table].keyAccess(of: object)
    else { return true }
    return looks.open().read(access, instance.object).holds(key)
  }
}

extension Table {
  /// A key that the caller has set.
  struct KeyChange {
    let id: ObjectID
    let old: PrimaryKey?
    let new: PrimaryKey?
  }

  /// The property of an object's key.
  func keyAccess(of object: StoredObject) -> AttributeAccess? {
    guard let index = object.keyField ?? keyField, case .attribute(let access)? = fields[index].access
    else { return nil }
    return access
  }

  /// O(*n*).
  ///
  /// - Throws: ``MemoryStoreError/keyTooLarge(entity:key:)``.
  fileprivate func changedKeys(
    _ scratch: Scratch, except unsettled: [ObjectID: Int]
  ) throws(MemoryStoreError) -> [KeyChange] {
    var changes: [KeyChange] = []
    var blank: AnyObject?
    var tooLarge: UInt64?
    objects.forEach { id, object in
      guard let instance = object.instance, let access = keyAccess(of: object), unsettled[id] == nil else {
        return
      }
      let slot = scratch.read(access, instance.object)
      if slot.tag == FASTMAP_UNSIGNED { tooLarge = tooLarge ?? UInt64(bitPattern: slot.integer) }
      if let old = object.key {
        if slot.holds(old) { return }
        changes.append(KeyChange(id: id, old: old, new: PrimaryKey(slot: slot)))
      } else if let new = PrimaryKey(slot: slot) {
        // The initial value of a new instance's key property is not a key.
        blank = blank ?? objectAccess?.make()
        if let blank, scratch.read(access, blank).holds(new) { return }
        changes.append(KeyChange(id: id, old: nil, new: new))
      }
    }
    if let tooLarge { throw .keyTooLarge(entity: name, key: tooLarge) }
    return changes
  }

  /// - Throws: ``MemoryStoreError/twoInstances(entity:key:formerKeys:)``. Nothing is changed then.
  fileprivate mutating func rename(_ changes: [KeyChange]) throws(MemoryStoreError) {
    var index = keys
    var renamed: [ObjectID: PrimaryKey?] = [:]
    for change in changes {
      if let old = change.old { index.remove(old) }
    }
    for change in changes {
      guard let new = change.new else { continue }
      if let other = index[new] {
        throw .twoInstances(
          entity: name, key: new, formerKeys: [renamed[other] ?? new, change.old])
      }
      index.insert(change.id, for: new)
      renamed[change.id] = .some(change.old)
    }
    keys = index
    for change in changes {
      objects[change.id]?.key = change.new
      if change.old == nil { objects[change.id]?.keyField = keyField }
    }
    forgetOrder()
  }
}

extension fastmap_slot {
  /// Whether it holds exactly this key.
  func holds(_ key: PrimaryKey) -> Bool {
    switch key {
    case .integer(let value): tag == FASTMAP_INTEGER && integer == value
    case .string(let text): tag == FASTMAP_STRING && text.utf8.elementsEqual(span)
    }
  }
}
