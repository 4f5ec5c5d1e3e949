/// Groups the pairs of a store, and finds the objects that may have to be left out.
///
/// A group is all objects with the same values. One of them stays: an object that the transaction has not met, or else the first
/// one it has met. The others that were met are candidates. Their values stand in a file.
struct ConflictCandidates {
  struct Candidate {
    let place: UInt32
    /// The number of the last place of the object that stays; `unmet` if the run has not met it.
    let keeper: UInt32
    /// Where the values of both begin.
    let record, keeperRecord: Int

    static let unmet = UInt32.max
  }

  private let log: OccurrenceLog
  /// The last places of the objects of an entity, by entity.
  private(set) var places: [Int: LastPlaces] = [:]
  /// By entity.
  private var candidates: [Int: [Candidate]] = [:]
  /// A pair of the first group without an object that can be left out.
  private(set) var hopeless: DuplicateValues?
  private let records = SpilledRecords()

  /// The first pair of the last group, and the last one.
  private var first, last: DuplicateValues?
  private var members: [(place: UInt32, record: Int)] = []

  init(_ log: OccurrenceLog) { self.log = log }

  /// The entities with candidates, ascending.
  var entities: [Int] { candidates.keys.sorted() }

  mutating func add(_ pair: DuplicateValues) throws {
    let isNext = last.map {
      $0.entity == pair.entity && NameIndex.isSame($0.index, pair.index) && $0.second.id == pair.first.id
    }
    if isNext != true {
      endGroup()
      first = pair
      try add(pair.first, of: pair)
    }
    try add(pair.second, of: pair)
    last = pair
  }

  private mutating func add(_ object: DuplicateValues.Object, of pair: DuplicateValues) throws {
    if places[pair.entity] == nil { places[pair.entity] = log.places(of: pair.entity) }
    let place = places[pair.entity]?.number(of: object.id).map { UInt32($0) } ?? Candidate.unmet
    let record = try records.append {
      $0.add(pair.index)
      $0.add(pair.contents)
      $0.add(object.key)
    }
    members.append((place, record))
  }

  /// Decides which object of the last group stays.
  mutating func endGroup() {
    defer { members.removeAll(keepingCapacity: members.count < 4096) }
    guard let first,
      let keeper = members.first(where: { $0.place == Candidate.unmet })
        ?? members.min(by: { $0.place < $1.place })
    else { return }
    var count = 0
    for member in members where member.place != Candidate.unmet && member.record != keeper.record {
      candidates[first.entity, default: []].append(
        Candidate(
          place: member.place, keeper: keeper.place, record: member.record, keeperRecord: keeper.record))
      count += 1
    }
    if count == 0, hopeless == nil { hopeless = first }
  }

  /// Takes the candidates to leave out, in payload order: leaving out an early object can end later conflicts.
  mutating func removeLeftOut(of entity: Int) -> [Candidate] {
    guard var all = candidates.removeValue(forKey: entity), let places = places[entity] else { return [] }
    all.sort { ($0.place, $0.record) < ($1.place, $1.record) }
    var isLeftOut = [Bool](repeating: false, count: places.count)
    all.removeAll { candidate in
      let hasKeeper = candidate.keeper == Candidate.unmet || !isLeftOut[Int(candidate.keeper)]
      guard hasKeeper, !isLeftOut[Int(candidate.place)] else { return true }
      isLeftOut[Int(candidate.place)] = true
      return false
    }
    return all
  }

  /// The values that a candidate has in common with the object that stays, which comes first.
  func pair(of candidate: Candidate, _ entity: Int) throws -> DuplicateValues {
    let keeper = try records.read(at: candidate.keeperRecord) {
      _ = ($0.string(), $0.contents())
      return $0.key()
    }
    return try records.read(at: candidate.record) {
      DuplicateValues(
        entity: entity, index: $0.string(), contents: $0.contents(), first: .init(id: .unset, key: keeper),
        second: .init(id: .unset, key: $0.key()))
    }
  }
}
