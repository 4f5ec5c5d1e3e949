internal import CFastMap

/// The objects that the payload has deleted so far, with their ages.
///
///     {"id": 7, "at": 5, "deleted": true}     7 is gone at 5
///     {"id": 7, "at": 4, "name": "x"}         stale
///     {"id": 7, "at": 6, "name": "x"}         7 lives again
///
/// The store keeps such an object until the payload ends, so the last occurrence counts, whatever the batches.
final class Tombstones {
  struct Key: Hashable {
    let entity: Int
    let key: PrimaryKey

    /// Nil for an object without a key.
    init?(_ object: ImportUnit.Object) { self.init(object.entity, object.key) }

    init?(_ entity: Int, _ key: fastmap_slot) {
      guard let key = PrimaryKey(slot: key) else { return nil }
      (self.entity, self.key) = (entity, key)
    }
  }

  struct Stone {
    var facts: ObjectFacts
    /// The number of the object, if it was there.
    var id: ObjectID?
    var isGone: Bool { facts.isGone }
  }

  private var stones: [Key: Stone] = [:]
  /// The old stones of this transaction.
  private var old: [(key: Key, stone: Stone?)] = []
  /// The objects that this transaction has linked, as hashes of their keys.
  private var linked: Set<Int> = []
  /// Objects that this run has linked before it deleted them, and objects that it has not linked as they were deleted.
  private var linkedBefore: Set<Key> = []
  private var unlinked: Set<Key> = []
  /// Whether such an object is gone when the payload ends, as the last run has found.
  private var fates: [Key: Bool] = [:]
  private var runs = 0
  private static let mostRuns = 8
  /// Whether an object that is gone at the end of a batch is not linked. Otherwise its deletion unlinks it.
  private let unlinksAtOnce: Bool

  /// Nil if no mapping of the plan deletes objects.
  init?(_ plan: Plan, unlinksAtOnce: Bool) {
    guard plan.hasDeleted else { return nil }
    self.unlinksAtOnce = unlinksAtOnce
  }

  /// The objects that are gone, by entity.
  var gone: [Int: Set<ObjectID>] {
    var gone: [Int: Set<ObjectID>] = [:]
    for (key, stone) in stones where stone.isGone {
      if let id = stone.id { gone[key.entity, default: []].insert(id) }
    }
    return gone
  }

  // MARK: Transactions

  func beginTransaction() {
    old.removeAll()
    linked.removeAll()
    fates.removeAll()
    runs = 0
  }

  /// Decides whether the transaction has to run again, because an object that it has linked is gone in the end, or the reverse.
  func runsAgain() -> Bool {
    guard unlinksAtOnce else { return false }
    var found: [Key: Bool] = [:]
    for key in linkedBefore.union(unlinked).union(fates.keys) { found[key] = stones[key]?.isGone ?? false }
    runs += 1
    let isRight = found.allSatisfy { key, isGone in
      fates[key].map { $0 == isGone } ?? !(isGone ? linkedBefore : unlinked).contains(key)
    }
    if isRight || runs == Self.mostRuns { return false }
    fates = found
    return true
  }

  /// Takes the findings of an import that has run before in the same transaction.
  func takeFates(of other: Tombstones) { (fates, runs) = (other.fates, other.runs) }

  /// Takes back the changes of the transaction.
  func beginRun() {
    linkedBefore.removeAll()
    unlinked.removeAll()
    while let (key, stone) = old.popLast() { stones[key] = stone }
  }

  // MARK: Batches

  /// Takes the facts about an object from its stone.
  func apply(to facts: inout ObjectFacts, of object: ImportUnit.Object) {
    if !unlinksAtOnce { facts.fate = false }
    guard !stones.isEmpty || !fates.isEmpty, let place = Key(object) else { return }
    if unlinksAtOnce { facts.fate = fates[place] }
    guard let stone = stones[place] else { return }
    guard stone.isGone else {
      (facts.revivals, facts.revivalsOfOwner) = (stone.facts.revivals, stone.facts.revivalsOfOwner)
      return
    }
    let fate = facts.fate
    facts = stone.facts
    (facts.fate, facts.hadObject) = (fate, object.isStored)
  }

  /// Records the objects that a resolved batch deletes, makes again, links, or does not link as they are gone.
  func record(_ unit: ImportUnit) {
    for number in unit.decisions.touched { record(unit.decisions.facts[number], of: unit.objects[number]) }
    unlinked.formUnion(unit.decisions.unlinked.compactMap { Key(unit.objects[$0]) })
    if let rules = unit.shared.rules, unlinksAtOnce { recordLinks(of: unit, rules) }
  }

  /// Records the state of an object at the end of a batch that deletes it or makes it again.
  private func record(_ facts: ObjectFacts, of object: ImportUnit.Object) {
    guard let place = Key(object) else { return }
    if facts.isGone, linked.contains(place.hashValue) { linkedBefore.insert(place) }
    let stone = Stone(facts: facts, id: object.isStored || object.isPresent ? object.id : nil)
    old.append((place, stones.updateValue(stone, forKey: place)))
  }

  /// Records the objects that a batch links, of entities whose objects may be deleted.
  private func recordLinks(of unit: ImportUnit, _ rules: OccurrenceRules) {
    for index in 0..<unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      let out = UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED | FASTMAP_GONE)
      guard occurrence.owner != FASTMAP_NONE, occurrence.flags & out == 0 else { continue }
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      guard rules.areDeletable[entity], let key = Key(entity, occurrence.key) else { continue }
      linked.insert(key.hashValue)
    }
  }
}

/// The decisions of an import that has to run again with a whole transaction.
struct ImportMemory {
  let plan: Plan
  let byteCount: Int
  let conflicts: UniqueConflicts
  let tombstones: Tombstones?
}

extension Plan {
  /// Whether elements without a key link objects that the payload may delete. They are compared without such targets.
  var comparesDeletable: Bool {
    hasDeleted
      && mappings.contains { planned in
        let isKeyless = planned.mapping.primaryKey == nil || planned.mapping.keepsKeyless
        return isKeyless && planned.destinations.contains { areDeletable(mappings[$0].entity) }
      }
  }

  /// Whether the payload may delete objects of an entity.
  func areDeletable(_ entity: Int) -> Bool {
    hasDeleted && mappings.contains { $0.entity == entity && $0.mapping.deletedBy != nil }
  }
}
