internal import CFastMap

/// The state of an object at one point of the payload: stored values, and then the occurrences that were used.
struct ObjectFacts {
  /// Whether it is stored or made, and not deleted.
  var exists = false
  /// Whether the payload has deleted it.
  var isGone = false
  /// Whether it is deleted when the payload ends, as far as an earlier run has found out.
  var fate: Bool?
  /// How often the payload has made it again, and how often its owner when an occurrence of it was last used.
  var revivals = 0
  var revivalsOfOwner = 0
  var kind = ObjectKind()
  var age = Age()
  /// Whether it was there when the payload deleted it.
  var hadObject = false
}

/// Decides about each occurrence once, in payload order.
///
/// The questions, in this order: is it left out; is it only a reference; is it older than its object is at this point; does it
/// delete the object. Else it is used.
///
/// A weak occurrence may stand before the making of its object. Verdicts depend on earlier ones, so the pass then runs again with such
/// objects known. After a few runs, or where no form depends on the order, it decides about the other weak occurrences as they are found.
struct VerdictPass {
  let rules: OccurrenceRules
  /// The facts at the end of the batches, by the number of the object.
  private(set) var facts: [ObjectFacts]
  /// Objects that the payload deletes or makes again.
  private(set) var touched: Set<Int> = []
  /// By batch.
  private(set) var results: [UnitVerdicts]
  /// Objects that a later occurrence makes.
  private var expected: Set<Int> = []

  private struct Place {
    let unit: Int
    let index: Int
  }

  /// Weak occurrences of objects that do not exist so far.
  private var unresolved: [Int: [Place]] = [:]
  /// Weak occurrences whose object has been made since.
  private var found: [Place] = []

  private static let mostRuns = 4

  /// - Parameters:
  ///   - units: Batches in payload order, whose occurrences have the numbers of their objects.
  ///   - facts: The facts before the batches, by the number of the object.
  init(_ units: [ImportUnit], _ rules: OccurrenceRules, _ facts: [ObjectFacts]) {
    self.rules = rules
    self.facts = facts
    results = units.map { UnitVerdicts(count: $0.occurrenceCount) }
    decide(units, facts)
  }

  private mutating func decide(_ units: [ImportUnit], _ before: [ObjectFacts]) {
    func object(at place: Place) -> Int { Int(units[place.unit].occurrences[place.index].object) }
    for run in 1... {
      for (number, unit) in units.enumerated() { decide(0..<unit.occurrenceCount, unit, number) }
      if found.isEmpty { return }
      guard rules.dependOnOrder, run < Self.mostRuns else { break }
      expected.formUnion(found.map(object))
      found.removeAll()
      unresolved.removeAll()
      touched.removeAll()
      facts = before
      results = units.map { UnitVerdicts(count: $0.occurrenceCount) }
    }
    while let place = found.popLast() {
      let unit = units[place.unit]
      results[place.unit].late.insert(place.index)
      decide(place.index..<Int(unit.occurrences[place.index].end), unit, place.unit)
    }
  }

  private mutating func decide(_ range: Range<Int>, _ unit: ImportUnit, _ number: Int) {
    var index = range.lowerBound
    while index < range.upperBound {
      let verdict = verdict(of: Place(unit: number, index: index), unit)
      results[number].verdicts[index] = verdict
      let object = Int(unit.occurrences[index].object)
      if verdict.mayNameGone, object < facts.count, facts[object].isGone {
        results[number].gone.insert(index)
      }
      index = verdict.hidesContents ? Int(unit.occurrences[index].end) : index + 1
    }
  }

  private mutating func verdict(of place: Place, _ unit: ImportUnit) -> Verdict {
    let occurrence = unit.occurrences[place.index]
    let (flags, mapping) = (Int(occurrence.flags), Int(occurrence.mapping))
    let planned = unit.mappings[mapping]
    let entity = Int(planned.entity)
    let object = occurrence.object == FASTMAP_NONE ? nil : Int(occurrence.object)
    if flags & FASTMAP_SKIPPED != 0 { return .leftOut }
    if occurrence.owner != FASTMAP_NONE {
      let owner = Int(occurrence.owner)
      let isUnread = results[place.unit].kinds.isUnread(Int(occurrence.relationship), of: owner, in: unit)
      if isUnread { return .unread }
      let isOfOwner = flags & FASTMAP_OWNED != 0 || rules.isScoped[entity]
      if isOfOwner, results[place.unit].verdicts[owner].leavesOwnedAlone { return .stale }
    }
    guard let object else {
      if flags & FASTMAP_WEAK != 0 { return .unresolved }  // without a key it cannot exist
      return results[place.unit].kinds.choose(nil, of: place.index, occurrence, planned) ? .used : .leftOut
    }
    if rules.isScoped[entity], revivesWithOwner(object, entity, occurrence, unit) {
      _ = exists(object, place, flags)
      return .revives
    }
    guard rules.concern(entity) else {
      return exists(object, place, flags) ? .used : .unresolved
    }
    let isGone = facts[object].isGone
    if flags & FASTMAP_DELETED != 0 {
      if isStale(occurrence, mapping: mapping, entity, object) { return .stale }
      delete(object)
      rules.ages?.delete(occurrence, entity, &facts[object].age)
      return .deletes
    }
    if isGone, flags & FASTMAP_WEAK != 0 { return .missed }
    if rules.isReference(occurrence, planned) {
      if isGone { return .gone }
      return exists(object, place, flags) ? .reference : .unresolved
    }
    if flags & FASTMAP_WEAK != 0, !exists(object, place, flags) { return .unresolved }
    let (known, isNeeded) = (facts[object].kind.mapping, flags & FASTMAP_WEAK == 0)
    guard results[place.unit].kinds.choose(known, isNeeded, of: place.index, occurrence, planned)
    else { return .leftOut }
    let choice = results[place.unit].kinds.choices[place.index]
    if let choice, choice.mapping == nil { return .reference }
    let kind = choice?.mapping ?? mapping
    if isStale(occurrence, mapping: kind, entity, object) { return .stale }
    let fits = results[place.unit].kinds.set(&facts[object].kind, to: kind, at: place.index, unit)
    if !fits { return .leftOut }
    rules.ages?.use(occurrence, entity, &facts[object].age)
    if isGone {
      touched.insert(object)
      facts[object].revivals += 1
    }
    facts[object].isGone = false
    _ = exists(object, place, flags)
    return isGone && facts[object].hadObject ? .revives : .used
  }

  private func isStale(_ occurrence: fastmap_occurrence, mapping: Int, _ entity: Int, _ object: Int) -> Bool {
    rules.ages?.isStale(occurrence, mapping: mapping, entity, facts[object].age) ?? false
  }

  private mutating func delete(_ object: Int) {
    if !facts[object].isGone { facts[object].hadObject = facts[object].exists }
    facts[object].isGone = true
    facts[object].exists = false
    facts[object].kind.mapping = nil
    touched.insert(object)
  }

  /// Whether a scoped object is new, because the payload has made its owner again since it was last used.
  private mutating func revivesWithOwner(
    _ object: Int, _ entity: Int, _ occurrence: fastmap_occurrence, _ unit: ImportUnit
  ) -> Bool {
    let owner =
      occurrence.owner == FASTMAP_NONE ? .max : Int(unit.occurrences[Int(occurrence.owner)].object)
    let revivals = owner < facts.count ? facts[owner].revivals : 0
    guard facts[object].revivalsOfOwner < revivals else { return false }
    facts[object].revivalsOfOwner = revivals
    if facts[object].exists { facts[object].age = Age() }
    if Int(occurrence.flags) & FASTMAP_DELETED != 0 { return false }
    facts[object].revivals += 1
    touched.insert(object)
    if facts[object].exists { rules.ages?.use(occurrence, entity, &facts[object].age) }
    return facts[object].exists
  }

  /// Whether an object exists. An occurrence that is not weak makes it.
  private mutating func exists(_ object: Int, _ place: Place, _ flags: Int) -> Bool {
    if facts[object].exists { return true }
    if flags & FASTMAP_WEAK != 0 {
      guard expected.contains(object) else {
        unresolved[object, default: []].append(place)
        return false
      }
      results[place.unit].late.insert(place.index)
    }
    facts[object].exists = true
    if let places = unresolved.removeValue(forKey: object) { found += places }
    return true
  }
}
