internal import CFastMap

/// What an import leaves out of a transaction, because another object has the same values in a unique index.
///
/// A transaction that would end with such objects is rolled back and runs again:
///
///     first run     finds them, and keeps nothing of the payload for that
///     second run    notes where the payload has objects of their entities, and finds them again
///     later runs    leave out those that were met last, with a fault for each, until none has the values of another
///
/// An object is left out in all its places. A stored one keeps its state and its links. Its old values may be those of others
/// now. ``UniqueChains`` follows that within a run where it can, and a later run finds the rest.
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
    var entity: Int
    var key: PrimaryKey
  }

  /// Why an object is left out, and where that is reported.
  private struct Exclusion {
    var error: UniquenessError
    var place: Place
  }

  private var byKey: [Key: Exclusion] = [:]
  private var byPlace: [Place: Exclusion] = [:]
  private var entities: Set<Int> = []
  private var log = PlaceLog()
  private var chains = UniqueChains()
  /// How often the transaction has run.
  private var runs = 0
  /// The occurrences of objects that this run has met.
  private var met = 0
  /// Those of all runs that were rolled back.
  private var work = 0

  /// Forgets what a run has noted.
  mutating func beginRun() {
    log.removeAll()
    chains.beginRun()
    met = 0
  }

  /// The error of an object to leave out; nil if there is none.
  var anyError: UniquenessError? { byPlace.values.first?.error }

  /// Whether there may be another run. If the old values of each object that is left out are those of another object, the
  /// runs could be as many as the objects.
  private var hasBudget: Bool { work <= workLimit }
  private var workLimit: Int { Self.workFactor * met + spareWork }
  private static let workFactor = 64

  /// The occurrences that all runs may meet, beside 64 times those of the payload.
  private let spareWork: Int

  init(spareWork: Int) { self.spareWork = spareWork }

  /// The most pairs to ask for. It grows, so that a payload of any length takes few runs.
  func limit(_ policy: ImportOptions.FaultPolicy) -> Int { policy == .abort ? 1 : 1 << min(16 + runs, 30) }

  // MARK: Leaving out

  /// Leaves objects of a batch out, before it is resolved.
  ///
  /// - Parameter isPayload: False for what was kept of earlier batches. That was reported where it was met.
  /// - Returns: The faults.
  mutating func leaveOut(of unit: ImportUnit, isPayload: Bool) -> [FaultReader.Fault] {
    met += unit.occurrenceCount
    if entities.isEmpty { return [] }
    var faults: [FaultReader.Fault] = []
    var places = RootPlaceCounter(unit)
    var owners: Set<Int> = []
    var index = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrences[index]
      let place = places.place(of: index, occurrence)
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      defer { index = unit.isSkipped(index) ? Int(occurrence.end) : index + 1 }
      guard !unit.isSkipped(index), entities.contains(entity) else { continue }
      let key = PrimaryKey(slot: occurrence.key)
      let known = key.flatMap { byKey[Key(entity: entity, key: $0)] } ?? (isPayload ? byPlace[place] : nil)
      guard let known else { continue }
      unit.skip(index)
      if occurrence.flags & UInt32(FASTMAP_OWNED) != 0 { owners.insert(Int(occurrence.owner)) }
      if isPayload, known.place == place {
        faults.append(.init(occurrence: index, what: .notUnique(known.error, place)))
      } else {
        unit.uncounted.insert(index)
      }
    }
    for owner in owners { Self.renumber(ownedBy: owner, in: unit) }
    return faults
  }

  /// Gives owned objects their places again: one that is left out has none.
  private static func renumber(ownedBy owner: Int, in unit: ImportUnit) {
    var next: [UInt32: UInt32] = [:]
    var index = owner + 1
    while index < Int(unit.occurrences[owner].end) {
      let occurrence = unit.occurrences + index
      let flags = Int(occurrence.pointee.flags)
      if flags & (FASTMAP_OWNED | FASTMAP_SKIPPED) == FASTMAP_OWNED, Int(occurrence.pointee.owner) == owner {
        occurrence.pointee.ordinal = next[occurrence.pointee.relationship, default: 0]
        next[occurrence.pointee.relationship, default: 0] += 1
      }
      index = Int(occurrence.pointee.end)
    }
  }

  // MARK: Noting

  /// Notes where a resolved batch has objects.
  ///
  /// - Parameters:
  ///   - place: Where to note those of what was kept of earlier batches; nil for a batch of the payload.
  ///   - writer: Has not written the batch yet.
  mutating func note<W: StoreWriter>(
    _ unit: ImportUnit, at place: Place? = nil, in writer: inout W
  ) throws {
    if log.fields.isEmpty { return }
    var places = RootPlaceCounter(unit)
    var index = 0
    // Where what is inside of an object ends that may be left out.
    var end = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrences[index]
      let own = places.place(of: index, occurrence)
      if occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      let isInside = index < end
      index += 1
      let entity = Int(unit.mappings[Int(occurrence.mapping)].entity)
      guard let fields = log.fields[entity] else { continue }
      end = max(end, Int(occurrence.end))
      guard let row = occurrence.row, fields.contains(where: { row[$0].tag != FASTMAP_MISSING }) else {
        continue
      }
      let object = unit.objects[Int(occurrence.object)]
      let identity = ObjectIdentity(entity: entity, id: object.id)
      log.add(identity, at: place ?? own)
      chains.meet(
        identity, isFree: place == nil && !isInside && PrimaryKey(slot: occurrence.key) != nil,
        isStored: object.isStored)
    }
    try chains.readStored(in: &writer)
  }

  // MARK: Deciding

  /// Decides what the next run leaves out.
  ///
  /// - Parameters:
  ///   - pairs: At least one, as the store has returned them.
  ///   - followsChains: Whether what is left out certainly has its old values then.
  /// - Throws: ``UniquenessError`` if no object of the payload can be left out, and ``ConflictLimitError`` if too many
  ///   runs have not helped.
  mutating func decide<W: StoreWriter>(
    _ pairs: [DuplicateValues], followsChains: Bool, _ plan: Plan, _ writer: inout W
  ) throws {
    runs += 1
    work += met
    var errors = UniquenessErrors(plan)
    guard hasBudget else {
      throw ConflictLimitError(
        entity: plan.schema.entities[pairs[0].entity].name, index: pairs[0].index,
        objectsLeftOut: byPlace.count,
        runs: runs, objectsRead: work, limit: workLimit)
    }
    let new = Set(pairs.map(\.entity)).subtracting(log.fields.keys)
    if !new.isEmpty {
      for entity in new {
        let indexes = try plan.schema.entities[entity].indexes + writer.indexes(of: entity)
        log.fields[entity] = Self.fields(of: entity, indexes, plan)
        chains.use(indexes, of: entity)
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
    var keys: [ObjectIdentity: PrimaryKey] = [:]
    let losers = groups.enumerated().flatMap { number, group in group.losers.map { (number, $0) } }
    // An object before others: what it conflicts with may not conflict without it.
    for (number, loser) in losers.sorted(by: { $0.1.place < $1.1.place }) {
      let group = groups[number]
      let (kept, left) = (
        ObjectIdentity(entity: group.pair.entity, id: group.keeper.id),
        ObjectIdentity(entity: group.pair.entity, id: loser.object.id)
      )
      guard !isLeftOut.contains(kept), isLeftOut.insert(left).inserted else { continue }
      let error = try errors.error(of: group.pair, keeps: group.keeper, loses: loser.object, in: &writer)
      exclude(loser.object, of: group.pair.entity, Exclusion(error: error, place: loser.place))
      keys[left] = loser.object.key
    }
    if followsChains { try follow(keys, isLeftOut, &errors, plan, &writer) }
  }

  private mutating func exclude(_ object: DuplicateValues.Object, of entity: Int, _ exclusion: Exclusion) {
    // An instance that is filled may lack its key in the payload.
    byPlace[exclusion.place] = exclusion
    if let key = object.key { byKey[Key(entity: entity, key: key)] = exclusion }
    entities.insert(entity)
  }

  /// Leaves out what conflicts with the old values of objects that are left out now.
  ///
  /// - Parameters:
  ///   - keys: Of those that have one.
  ///   - isLeftOut: All of them.
  private mutating func follow<W: StoreWriter>(
    _ keys: [ObjectIdentity: PrimaryKey], _ isLeftOut: Set<ObjectIdentity>, _ errors: inout UniquenessErrors,
    _ plan: Plan, _ writer: inout W
  ) throws {
    let left = keys.keys.sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
    let links = try chains.links(from: left, in: &writer).filter { !isLeftOut.contains($0.object) }
    let pairs = try UniqueChains.pairs(of: links, plan, keys: keys, in: &writer)
    try errors.readTargets(of: pairs, in: &writer)
    let places = log.places(of: Set(links.map(\.object)))
    for pair in pairs {
      guard let place = places[ObjectIdentity(entity: pair.entity, id: pair.second.id)] else { continue }
      let error = try errors.error(of: pair, in: &writer)
      exclude(pair.second, of: pair.entity, Exclusion(error: error, place: place))
    }
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
    /// The object that stays: one that the transaction has not met, or else the one that it has met first.
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
private struct PlaceLog {
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
