internal import CFastMap

/// The objects that an import leaves out of a transaction, because others have the same values in a unique index.
///
/// A transaction that would end with such objects is rolled back and runs again:
///
///     first run     finds conflicts, and records no places: an import without conflicts pays nothing
///     second run    notes where the payload has objects of their entities, and finds them again
///     later runs    leave out the last ones in the payload, with a fault for each, until no two have equal values
///
/// An object is left out in all its places, and reported at the last one. A stored one keeps its state and its links. Its old
/// values may belong to others now: the next run leaves these out. The number of runs has a limit.
struct UniqueConflicts {
  /// A place where the payload has an object: the walk of a root object is always the same.
  struct Place: Hashable, Comparable {
    /// The number of the root object; -1 for the only one.
    var root: Int
    /// The number of the occurrence in it.
    var occurrence: Int

    static func < (a: Place, b: Place) -> Bool { (a.root, a.occurrence) < (b.root, b.occurrence) }
  }

  /// An object that is left out, by its key.
  private struct Key: Hashable {
    var part: Int
    var entity: Int
    var key: PrimaryKey
  }

  /// Why an object is left out, and its last place.
  private struct Exclusion {
    var error: UniquenessError
    var place: Place
  }

  private var byKey: [Key: Place] = [:]
  private var byPlace: [Place: Exclusion] = [:]
  private var entities: Set<Int> = []
  private var log = OccurrenceLog()
  /// The last places of the objects to leave out, ascending.
  private var places: [Place] = []
  /// The places of the objects that this run has reported.
  private var reported: Set<Place> = []
  /// How often the transaction has run.
  private var runs = 0
  /// The part of the payload that the run has come to. A dry run does the work of several transactions in one.
  private var part = 0

  /// The occurrences that all runs have met.
  private var work = 0
  /// The most runs of a transaction, if they meet more than `spareWork` occurrences. Chains in a small payload cost little.
  private static let mostRuns = 64
  private let spareWork: Int

  init(spareWork: Int) { self.spareWork = spareWork }

  /// Clears the notes of the last run.
  mutating func beginRun() {
    log.removeAll()
    reported.removeAll()
    places = byPlace.keys.sorted()
    part = 0
  }

  /// Begins the next part of the payload: an object may be left out of one part and imported by another.
  mutating func beginPart() {
    log.removeAll()
    part += 1
  }

  /// The most pairs to ask for. It grows, so that a payload of any length takes few runs.
  func limit(_ policy: ImportOptions.FaultPolicy) -> Int { policy == .abort ? 1 : 1 << min(16 + runs, 30) }

  // MARK: Leaving out

  /// Leaves objects of a batch out, before it is resolved.
  ///
  /// - Parameter isPayload: False for kept text of earlier batches. Its faults have been reported.
  /// - Returns: The faults.
  mutating func leaveOut(of unit: ImportUnit, isPayload: Bool) -> [FaultReader.Fault] {
    work += unit.occurrenceCount
    if entities.isEmpty { return [] }
    var faults: [FaultReader.Fault] = []
    var counter = RootPlaceCounter(unit)
    var index = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrences[index]
      let place = counter.place(of: index, occurrence)
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      defer { index = unit.isSkipped(index) ? Int(occurrence.end) : index + 1 }
      guard !unit.isSkipped(index), entities.contains(entity) else { continue }
      let key = PrimaryKey(slot: occurrence.key)
      let last = key.flatMap { byKey[Key(part: part, entity: entity, key: $0)] } ?? (isPayload ? place : nil)
      guard let last, let known = byPlace[last] else { continue }
      unit.skip(index)
      let isReported = report(from: index, at: place, of: unit, isPayload, known, &faults)
      if !isReported { unit.uncounted.insert(index) }
    }
    return faults
  }

  /// Reports the objects that have their last places in an occurrence that is left out.
  ///
  /// - Returns: Whether its own object is one of them.
  private mutating func report(
    from index: Int, at place: Place, of unit: ImportUnit, _ isPayload: Bool, _ known: Exclusion,
    _ faults: inout [FaultReader.Fault]
  ) -> Bool {
    guard isPayload else { return false }
    let end = Place(root: place.root, occurrence: place.occurrence + Int(unit.occurrences[index].end) - index)
    var isReported = false
    var next = places.partitioningIndex { $0 >= place }
    while next < places.count, places[next] < end {
      let inner = places[next]
      next += 1
      guard let exclusion = byPlace[inner], reported.insert(inner).inserted else { continue }
      let occurrence = index + inner.occurrence - place.occurrence
      faults.append(.init(occurrence: occurrence, what: .notUnique(exclusion.error, inner)))
      if exclusion.place == known.place {
        isReported = true
      } else {
        unit.skippedEntities.append(Int(unit.mappings[Int(unit.occurrences[occurrence].mapping)].entity))
      }
    }
    return isReported
  }

  // MARK: Noting

  /// Notes where a resolved batch has objects.
  ///
  /// - Parameter place: The place of objects that were kept of earlier batches; nil for a batch of the payload.
  mutating func note(_ unit: ImportUnit, at place: Place? = nil) {
    if log.fields.isEmpty { return }
    var counter = RootPlaceCounter(unit)
    var index = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrences[index]
      let own = counter.place(of: index, occurrence)
      if occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      index += 1
      if occurrence.flags & UInt32(FASTMAP_STALE) != 0 { continue }
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      guard let fields = log.fields[entity] else { continue }
      guard let row = occurrence.row, fields.contains(where: { row[$0].tag != FASTMAP_MISSING }) else {
        continue
      }
      let object = unit.objects[Int(occurrence.object)]
      log.add(ObjectIdentity(entity: entity, id: object.id), at: place ?? own)
    }
  }

  // MARK: Deciding

  /// Decides which objects the next run leaves out.
  ///
  /// - Parameter pairs: At least one, as the store has returned them.
  /// - Throws: ``UniquenessError`` if no object of the payload can be left out, and ``ConflictLimitError`` if too many
  ///   runs have not helped.
  mutating func decide<W: StoreWriter>(
    _ pairs: [DuplicateValues], _ plan: Plan, _ writer: inout W
  ) throws {
    runs += 1
    var errors = UniquenessErrors(plan)
    guard runs < Self.mostRuns || work <= spareWork else {
      throw ConflictLimitError(
        entity: plan.schema.entities[pairs[0].entity].name, index: pairs[0].index,
        objectsLeftOut: byPlace.count, runs: runs)
    }
    let new = Set(pairs.map(\.entity)).subtracting(log.fields.keys)
    if !new.isEmpty {
      for entity in new {
        let indexes = try plan.schema.entities[entity].indexes + writer.indexes(of: entity)
        log.fields[entity] = Self.fields(of: entity, indexes, plan)
      }
      return
    }
    let members = pairs.flatMap { pair in
      [pair.first.id, pair.second.id].map { ObjectIdentity(entity: pair.entity, id: $0) }
    }
    let groups = Group.groups(pairs, log.places(of: Set(members)))
    if let group = groups.first(where: { $0.losers.isEmpty }) {
      throw try errors.error(of: group.pair, in: &writer)
    }
    try errors.readTargets(of: groups.map(\.pair), in: &writer)
    var isLeftOut: Set<ObjectIdentity> = []
    let losers = groups.enumerated().flatMap { number, group in group.losers.map { (number, $0) } }
    // In payload order: rejecting an early object can resolve later conflicts.
    for (number, loser) in losers.sorted(by: { $0.1.place < $1.1.place }) {
      let group = groups[number]
      let (kept, left) = (
        ObjectIdentity(entity: group.pair.entity, id: group.keeper.id),
        ObjectIdentity(entity: group.pair.entity, id: loser.object.id)
      )
      guard !isLeftOut.contains(kept), isLeftOut.insert(left).inserted else { continue }
      let error = try errors.error(of: group.pair, keeps: group.keeper, loses: loser.object, in: &writer)
      exclude(loser.object, of: group.pair.entity, Exclusion(error: error, place: loser.place))
    }
  }

  private mutating func exclude(_ object: DuplicateValues.Object, of entity: Int, _ exclusion: Exclusion) {
    byPlace[exclusion.place] = exclusion
    if let key = object.key { byKey[Key(part: part, entity: entity, key: key)] = exclusion.place }
    entities.insert(entity)
  }

  /// The fields whose values count for the place of an object.
  private static func fields(of entity: Int, _ indexes: [Schema.Index], _ plan: Plan) -> [Int] {
    let parts = indexes.filter(\.isUnique).flatMap(\.parts)
    // The schema may lack a field of the index.
    return parts.isEmpty
      ? Array(plan.schema.entities[entity].fields.indices) : Array(Set(parts.map(\.field)))
  }

  /// Objects with the same values.
  private struct Group {
    /// One of its pairs.
    let pair: DuplicateValues
    /// The object that stays: an object that the transaction has not met, or else the first one it has met.
    let keeper: DuplicateValues.Object
    /// The others that were met.
    let losers: [(object: DuplicateValues.Object, place: Place)]

    init(_ pair: DuplicateValues, _ members: [DuplicateValues.Object], _ places: [ObjectIdentity: Place]) {
      self.pair = pair
      func place(_ object: DuplicateValues.Object) -> Place? {
        places[ObjectIdentity(entity: pair.entity, id: object.id)]
      }
      var met = members.compactMap { object in place(object).map { (object: object, place: $0) } }
      met.sort { $0.place < $1.place }
      if let other = members.first(where: { place($0) == nil }) {
        keeper = other
      } else {
        keeper = met.removeFirst().object
      }
      losers = met
    }

    static func groups(_ pairs: [DuplicateValues], _ places: [ObjectIdentity: Place]) -> [Group] {
      var groups: [Group] = []
      var start = 0
      while start < pairs.count {
        let pair = pairs[start]
        var members = [pair.first, pair.second]
        var end = start + 1
        while end < pairs.count, pairs[end].entity == pair.entity,
          NameIndex.isSame(pairs[end].index, pair.index),
          pairs[end].first.id == members[members.count - 1].id
        {
          members.append(pairs[end].second)
          end += 1
        }
        groups.append(Group(pair, members, places))
        start = end
      }
      return groups
    }
  }
}

/// Where a run has met objects. A store may give one number to objects of two entities.
private struct OccurrenceLog {
  /// By entity, the fields whose values count. Only these entities are noted.
  var fields: [Int: [Int]] = [:]
  private var objects: [ObjectIdentity] = []
  private var places: [UniqueConflicts.Place] = []

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  mutating func add(_ object: ObjectIdentity, at place: UniqueConflicts.Place) {
    objects.append(object)
    places.append(place)
  }

  /// The last places of some objects.
  func places(of wanted: Set<ObjectIdentity>) -> [ObjectIdentity: UniqueConflicts.Place] {
    var found: [ObjectIdentity: UniqueConflicts.Place] = [:]
    for (object, place) in zip(objects, places) where wanted.contains(object) { found[object] = place }
    return found
  }
}

/// Counts the occurrences of a batch from each root on.
private struct RootPlaceCounter {
  private let first: Int
  private var start = 0
  private var root = -1

  init(_ unit: ImportUnit) { first = unit.input.first }

  /// - Parameter index: In ascending order.
  mutating func place(of index: Int, _ occurrence: fastmap_occurrence) -> UniqueConflicts.Place {
    if occurrence.owner == FASTMAP_NONE {
      start = index
      root = occurrence.position == FASTMAP_NONE ? -1 : first + Int(occurrence.position)
    }
    return UniqueConflicts.Place(root: root, occurrence: index - start)
  }
}
