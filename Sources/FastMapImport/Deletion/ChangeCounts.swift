/// Counts the effect of an import on each object, once per object.
package struct ChangeCounts {
  enum State: UInt64 {
    case unmet, unchanged, updated, inserted
  }

  /// The counts and the objects of one entity.
  fileprivate struct EntityTally {
    var counts = ImportReport.Counts()
    var isPresent = false
    var states = StateMap()
    /// Objects that are neither written nor deleted: faulty objects, and the targets of saved objects.
    var spared = StateMap()
    /// Objects with stale occurrences only.
    var stale = StateMap()
    /// New objects that have nothing but their key so far.
    var stubs = StateMap()
  }

  private var entities: [EntityTally]
  /// Objects that were updated more than once, and may have their old state again. Nil where that does not matter.
  private var rewritten: Set<ObjectIdentity>?
  /// Whether an object was deleted that the import had inserted, maybe in an earlier commit. Neither is counted.
  private(set) var hasDeletedInserted = false

  package init(entityCount: Int, keepsRewritten: Bool) {
    entities = Array(repeating: EntityTally(), count: entityCount)
    rewritten = keepsRewritten ? [] : nil
  }

  package func rows(of schema: Schema) -> [ImportReport.Row] {
    schema.entities.indices.filter { entities[$0].isPresent }.map {
      ImportReport.Row(entity: schema.entities[$0].name, counts: entities[$0].counts)
    }
  }

  /// Whether anything became different.
  package var hasChanges: Bool {
    entities.contains { $0.counts.inserted + $0.counts.updated + $0.counts.deleted > 0 }
  }

  /// Whether the payload has an object, even a faulty one.
  func hasMet(_ id: ObjectID, of entity: Int) -> Bool {
    entities[entity].hasMet(id)
  }

  func hasInserted(_ id: ObjectID, of entity: Int) -> Bool { entities[entity].states[id] == .inserted }

  /// Keeps an object from being deleted, and does not count it.
  package mutating func spare(_ id: ObjectID, of entity: Int) {
    entities[entity].spared[id] = .unchanged
  }

  /// Counts an object whose occurrences so far are all older than it is.
  mutating func countStale(_ id: ObjectID, of entity: Int) {
    entities[entity].isPresent = true
    guard entities[entity].states[id] == .unmet, entities[entity].stale[id] == .unmet else { return }
    entities[entity].stale[id] = .unchanged
    entities[entity].counts.stale += 1
  }

  /// Counts a new object that has nothing but its key so far.
  mutating func countStub(_ id: ObjectID, of entity: Int) {
    entities[entity].stubs[id] = .unchanged
    entities[entity].counts.stubs += 1
  }

  /// Whether new objects of an entity are stubs so far.
  func hasStubs(of entity: Int) -> Bool { entities[entity].counts.stubs > 0 }

  mutating func markFilled(_ id: ObjectID, of entity: Int) { entities[entity].forgetStub(id) }

  mutating func countLinked(_ changes: [ObjectChange]) {
    count(changes)
    for change in changes where change.isChanged { markFilled(change.id, of: change.entity) }
  }

  mutating func markPresent(entity: Int) { entities[entity].isPresent = true }

  mutating func countSkipped(entity: Int) {
    entities[entity].isPresent = true
    entities[entity].counts.skipped += 1
  }

  package mutating func count(_ id: ObjectID, of entity: Int, isNew: Bool, isChanged: Bool) {
    if entities[entity].count(id, isNew: isNew, isChanged: isChanged) {
      rewritten?.insert(ObjectIdentity(entity: entity, id: id))
    }
  }

  package mutating func count(_ changes: [ObjectChange]) {
    for change in changes {
      count(change.id, of: change.entity, isNew: change.isNew, isChanged: change.isChanged)
    }
  }

  /// Counts objects as unchanged if several updates have restored their old state.
  mutating func recountRewritten<W: StoreWriter>(in writer: inout W) throws {
    let ids = Dictionary(grouping: rewritten ?? [], by: \.entity).mapValues { $0.map(\.id).sorted() }
    for (entity, ids) in ids {
      for start in stride(from: 0, to: ids.count, by: 4096) {
        let some = Array(ids[start..<min(start + 4096, ids.count)])
        let changed = try writer.changed(some, of: entity)
        try StoreContractError.check(changed.count, isCount: some.count, of: "results", in: "changed(_:of:)")
        for (id, isChanged) in zip(some, changed) where !isChanged {
          entities[entity].countRestored(id)
        }
      }
    }
  }

  package func deletedCount(of entity: Int) -> Int { entities[entity].counts.deleted }

  package mutating func countDeleted(_ id: ObjectID, of entity: Int) {
    if entities[entity].countDeleted(id) { hasDeletedInserted = true }
  }
}

extension ChangeCounts.EntityTally {
  /// Whether the payload has an object, even a faulty one.
  fileprivate func hasMet(_ id: ObjectID) -> Bool {
    spared[id] != .unmet || stale[id] != .unmet || states[id] != .unmet
  }

  /// - Returns: Whether an object that was updated before has been written again.
  fileprivate mutating func count(_ id: ObjectID, isNew: Bool, isChanged: Bool) -> Bool {
    isPresent = true
    forgetStale(id)
    let old = states.open(id)
    switch (old, isNew, isChanged) {
    case (.unmet, true, _):
      counts.inserted += 1
      states[id] = .inserted
    case (.unmet, false, true):
      counts.updated += 1
      states[id] = .updated
    case (.unmet, false, false):
      counts.unchanged += 1
      states[id] = .unchanged
    case (.unchanged, _, true):
      counts.unchanged -= 1
      counts.updated += 1
      states[id] = .updated
    case (.updated, _, true):
      return true
    default:
      break
    }
    return false
  }

  private mutating func forgetStale(_ id: ObjectID) {
    guard counts.stale > 0, stale[id] != .unmet else { return }
    stale[id] = .unmet
    counts.stale -= 1
  }

  fileprivate mutating func forgetStub(_ id: ObjectID) {
    guard counts.stubs > 0, stubs[id] != .unmet else { return }
    stubs[id] = .unmet
    counts.stubs -= 1
  }

  fileprivate mutating func countRestored(_ id: ObjectID) {
    guard states[id] == .updated else { return }
    counts.updated -= 1
    counts.unchanged += 1
    states[id] = .unchanged
  }

  /// - Returns: Whether the import had inserted it.
  fileprivate mutating func countDeleted(_ id: ObjectID) -> Bool {
    isPresent = true
    forgetStale(id)
    forgetStub(id)
    let old = states[id]
    states[id] = .unmet
    switch old {
    case .inserted:
      counts.inserted -= 1
      return true
    case .updated: counts.updated -= 1
    case .unchanged: counts.unchanged -= 1
    case .unmet: break
    }
    counts.deleted += 1
    return false
  }
}

/// Two bits for each object number, in small pages: dense numbers cost less than half a byte, scattered ones a page.
struct StateMap {
  private static let perPage: UInt64 = 128

  private var pages: [UInt64: SIMD4<UInt64>] = [:]
  /// The page that was changed last; it is not in `pages`. A batch mostly goes over its objects in the order of their
  /// numbers.
  private var openPage = SIMD4<UInt64>()
  private var openNumber = UInt64.max

  subscript(id: ObjectID) -> ChangeCounts.State {
    get {
      let number = id.rawValue / Self.perPage
      guard let page = number == openNumber ? openPage : pages[number] else { return .unmet }
      return Self.state(id, in: page)
    }
    set {
      open(number: id.rawValue / Self.perPage)
      let place = id.rawValue % Self.perPage
      let (word, shift) = (Int(place / 32), place % 32 * 2)
      openPage[word] = openPage[word] & ~(3 << shift) | newValue.rawValue << shift
    }
  }

  /// The state of an object that is likely to be set next.
  mutating func open(_ id: ObjectID) -> ChangeCounts.State {
    open(number: id.rawValue / Self.perPage)
    return Self.state(id, in: openPage)
  }

  private mutating func open(number: UInt64) {
    if number == openNumber { return }
    if openNumber != .max { pages[openNumber] = openPage }
    openPage = pages.removeValue(forKey: number) ?? SIMD4()
    openNumber = number
  }

  private static func state(_ id: ObjectID, in page: SIMD4<UInt64>) -> ChangeCounts.State {
    let place = id.rawValue % perPage
    return .init(rawValue: page[Int(place / 32)] >> (place % 32 * 2) & 3) ?? .unmet
  }
}
