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
  typealias Place = OccurrencePlace

  private var leftOut = ConflictingObjects()
  private var entities: Set<Int> = []
  private var log = OccurrenceLog()
  /// The number of the objects that this run has reported, in payload order.
  private var reportedCount = 0
  /// How often the transaction has run.
  private var runs = 0
  /// The part of the payload that the run has come to. A dry run does the work of several transactions in one.
  private var part = 0

  private var work = 0
  /// The most runs of a transaction, if they meet more than `spareWork` occurrences. Chains in a small payload cost little.
  private static let mostRuns = 64
  private let spareWork: Int

  init(spareWork: Int) { self.spareWork = spareWork }

  /// Clears the notes of the last run.
  mutating func beginRun() {
    log.removeAll()
    leftOut.sort()
    reportedCount = 0
    part = 0
  }

  /// Begins the next part of the payload: an object may be left out of one part and imported by another.
  mutating func beginPart() {
    log.removeAll()
    part += 1
  }

  /// Records that the caller has received the errors of all objects that are left out.
  mutating func markSent() { leftOut.markSent() }

  // MARK: Leaving out

  /// Leaves objects of a batch out, before it is resolved.
  ///
  /// - Parameter isPayload: False for kept text of earlier batches. Its faults have been reported.
  /// - Returns: The faults.
  mutating func leaveOut(of unit: ImportUnit, isPayload: Bool) throws -> [FaultReader.Fault] {
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
      let last =
        try key.flatMap { try leftOut.place(of: $0, entity, part: part) }
        ?? (isPayload && leftOut.hasLast(place) ? place : nil)
      guard let last else { continue }
      unit.skip(index)
      let isReported = report(from: index, at: place, of: unit, isPayload, last, &faults)
      if !isReported { unit.uncounted.insert(index) }
    }
    return faults
  }

  /// Reports the objects that have their last places in an occurrence that is left out.
  ///
  /// - Parameter last: The last place of its own object.
  /// - Returns: Whether its own object is one of them.
  private mutating func report(
    from index: Int, at place: Place, of unit: ImportUnit, _ isPayload: Bool, _ last: Place,
    _ faults: inout [FaultReader.Fault]
  ) -> Bool {
    guard isPayload else { return false }
    let end = Place(root: place.root, occurrence: place.occurrence + Int(unit.occurrences[index].end) - index)
    var isReported = false
    let entries = leftOut.entries
    var next = max(reportedCount, entries.partitioningIndex { $0.place >= place })
    while next < entries.count, entries[next].place < end {
      let entry = entries[next]
      next += 1
      let occurrence = index + entry.place.occurrence - place.occurrence
      faults.append(.init(occurrence: occurrence, what: .notUnique(leftOut.reported(entry))))
      if entry.place == last {
        isReported = true
      } else {
        unit.skippedEntities.append(Int(unit.mappings[Int(unit.occurrences[occurrence].mapping)].entity))
      }
    }
    reportedCount = max(reportedCount, next)
    return isReported
  }

  // MARK: Noting

  /// Records where a resolved batch has objects.
  ///
  /// - Parameter place: The place of objects that were kept of earlier batches; nil for a batch of the payload.
  mutating func recordPlaces(_ unit: ImportUnit, at place: Place? = nil) {
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
      guard let fields = log.fields[entity], let row = occurrence.row,
        fields.contains(where: { row[$0].tag != FASTMAP_MISSING })
      else { continue }
      let object = unit.objects[Int(occurrence.object)]
      log.add(.init(id: object.id, place: place ?? own), of: entity)
    }
  }

  // MARK: Deciding

  /// Decides which objects the next run leaves out, at the end of a run.
  ///
  /// - Parameter limit: The most pairs to look at.
  /// - Returns: Whether the transaction has to run again.
  /// - Throws: ``UniquenessError`` if no object of the payload can be left out, and ``ConflictLimitError`` if too many
  ///   runs have not helped.
  mutating func decide<W: StoreWriter>(limit: Int, _ plan: Plan, _ writer: inout W) throws -> Bool {
    var candidates = ConflictCandidates(log)
    var first: DuplicateValues?
    var new: Set<Int> = []
    let noted = log.fields
    try writer.forEachDuplicate(limit: limit) { pair in
      first = first ?? pair
      if noted[pair.entity] == nil { new.insert(pair.entity) }
      if new.isEmpty { try candidates.add(pair) }
    }
    guard let first else { return false }
    runs += 1
    guard runs < Self.mostRuns || work <= spareWork else {
      throw ConflictLimitError(
        entity: plan.schema.entities[first.entity].name, index: first.index,
        objectsLeftOut: leftOut.entries.count, runs: runs)
    }
    for entity in new {
      let indexes = try plan.schema.entities[entity].indexes + writer.reader.indexes(of: entity)
      log.fields[entity] = Self.fields(of: entity, indexes, plan)
    }
    if !new.isEmpty { return true }
    candidates.endGroup()
    if let pair = candidates.hopeless {
      var errors = UniquenessErrors(plan)
      throw try errors.error(of: pair, in: &writer.reader)
    }
    for entity in candidates.entities { try leaveOut(&candidates, of: entity, plan, &writer.reader) }
    return true
  }

  private mutating func leaveOut<R: StoreReader>(
    _ candidates: inout ConflictCandidates, of entity: Int, _ plan: Plan, _ reader: inout R
  ) throws {
    guard let places = candidates.places[entity] else { return }
    entities.insert(entity)
    var rest = candidates.removeLeftOut(of: entity)[...]
    leftOut.reserve(rest.count)
    while !rest.isEmpty {
      let some = rest.prefix(4096)
      rest = rest.dropFirst(some.count)
      let pairs = try some.map { try candidates.pair(of: $0, entity) }
      // New for each chunk, so that it does not keep the keys of all targets.
      var errors = UniquenessErrors(plan)
      try errors.readTargets(of: pairs, in: &reader)
      for (candidate, pair) in zip(some, pairs) {
        try leftOut.add(
          errors.error(of: pair, in: &reader), of: entity, part: part, at: places[Int(candidate.place)])
      }
    }
  }

  /// The fields whose values count for the place of an object.
  private static func fields(of entity: Int, _ indexes: [Schema.Index], _ plan: Plan) -> [Int] {
    let parts = indexes.filter(\.isUnique).flatMap(\.parts)
    // The schema may lack a field of the index.
    return parts.isEmpty
      ? Array(plan.schema.entities[entity].fields.indices) : Array(Set(parts.map(\.field)))
  }
}

/// Counts the occurrences of a batch from each root on.
private struct RootPlaceCounter {
  private let first: Int
  private var start = 0
  private var root = -1

  init(_ unit: ImportUnit) { first = unit.input.firstPlace }

  /// - Parameter index: In ascending order.
  mutating func place(of index: Int, _ occurrence: fastmap_occurrence) -> UniqueConflicts.Place {
    if occurrence.owner == FASTMAP_NONE {
      start = index
      root = occurrence.position == FASTMAP_NONE ? first - 1 : first + Int(occurrence.position)
    }
    return UniqueConflicts.Place(root: root, occurrence: index - start)
  }
}
