internal import CFastMap

/// The objects that the payload has deleted so far, with their ages.
///
///     {"id": 7, "at": 5, "deleted": true}     7 is gone at 5
///     {"id": 7, "at": 4, "name": "x"}         stale
///     {"id": 7, "at": 6, "name": "x"}         7 lives again
///
/// The store keeps such an object until the payload ends, so the last occurrence counts, whatever the batches.
struct Tombstones {
  struct Key: Hashable {
    let entity: Int
    let key: PrimaryKey
  }

  struct Stone {
    var isGone: Bool
    /// The number of the object, if it was there.
    var id: ObjectID?
    var ages: [Value?]
  }

  private var stones: [Key: Stone] = [:]
  /// The old stones of this transaction.
  private var old: [(key: Key, stone: Stone?)] = []
  /// The objects that this transaction has linked, as hashes of their keys.
  private var linked: Set<Int> = []
  /// Objects that were linked before they were deleted.
  private var suspects: Set<Key> = []
  /// The objects that the transaction deletes after it has named them. A run that found them has told the next one.
  private var doomed: Set<Key> = []
  private var runs = 0
  private static let mostRuns = 8

  /// The objects that are gone, by entity.
  var gone: [Int: [ObjectID]] {
    var gone: [Int: [ObjectID]] = [:]
    for (key, stone) in stones where stone.isGone {
      if let id = stone.id { gone[key.entity, default: []].append(id) }
    }
    return gone
  }

  // MARK: Transactions

  mutating func beginTransaction() {
    old.removeAll()
    linked.removeAll()
    doomed.removeAll()
    runs = 0
  }

  /// Decides whether the transaction has to run again: it has linked objects that it deletes later. The next run links none of them.
  mutating func runsAgain() -> Bool {
    func isGone(_ key: Key) -> Bool { stones[key]?.isGone ?? false }
    let found = suspects.filter(isGone).union(doomed.filter(isGone))
    runs += 1
    if found == doomed || runs == Self.mostRuns { return false }
    doomed = found
    return true
  }

  /// Takes back the changes of the transaction.
  mutating func goBack() {
    suspects.removeAll()
    while let (key, stone) = old.popLast() { stones[key] = stone }
  }

  // MARK: Batches

  /// Takes the facts about an object from its stone.
  func apply(to facts: inout ObjectFacts, of object: ImportUnit.Object) {
    guard !stones.isEmpty || !doomed.isEmpty, let key = PrimaryKey(slot: object.key) else { return }
    let place = Key(entity: object.entity, key: key)
    facts.isDoomed = doomed.contains(place)
    guard let stone = stones[place], stone.isGone else { return }
    facts.isGone = true
    facts.hadObject = object.isStored
    facts.exists = false
    facts.ages = stone.ages
  }

  /// Records the state of an object at the end of a batch, if it is gone or was.
  mutating func record(_ facts: ObjectFacts, of object: ImportUnit.Object) {
    guard facts.isGone || !stones.isEmpty, let key = PrimaryKey(slot: object.key) else { return }
    let place = Key(entity: object.entity, key: key)
    if !facts.isGone, stones[place] == nil { return }
    if facts.isGone, linked.contains(place.hashValue) { suspects.insert(place) }
    let isThere = object.isStored || object.isPresent
    let stone = Stone(isGone: facts.isGone, id: isThere ? object.id : nil, ages: facts.ages)
    old.append((place, stones.updateValue(stone, forKey: place)))
  }

  /// Records the objects that a batch links, of entities whose objects may be deleted.
  mutating func recordLinks(of unit: ImportUnit, _ rules: OccurrenceRules) {
    for index in 0..<unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      let out = UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED | FASTMAP_GONE)
      guard occurrence.owner != FASTMAP_NONE, occurrence.flags & out == 0 else { continue }
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      guard rules.areDeletable[entity], let key = PrimaryKey(slot: occurrence.key) else { continue }
      linked.insert(Key(entity: entity, key: key).hashValue)
    }
  }
}
