internal import CFastMap

/// The verdicts of a batch, carried out: which objects exist, and which occurrences are left out or change nothing.
extension ImportUnit {
  /// Decides about all occurrences, once the store has answered for their keys.
  func decide<R: StoreReader>(in reader: inout R) throws {
    guard let rules = shared.rules else { return }
    let before = try readFacts(rules, in: &reader)
    func run() {
      let pass = VerdictPass([self], rules, before)
      (decisions.verdicts, decisions.facts, decisions.touched) = (
        pass.results.first, pass.facts, pass.touched
      )
    }
    run()
    if leaveOutKindlessElements() { run() }
  }

  /// Carries out the verdicts.
  func useVerdicts(_ objects: inout [Object]) throws {
    let firstKeyless = objects.count
    var index = 0
    if let verdicts = decisions.verdicts {
      while index < occurrenceCount {
        let verdict = verdicts.verdicts[index]
        if verdict == .leftOut, !isSkipped(index) { leaveOutKindless(index) }
        try use(verdict, of: index, verdicts)
        use(verdict, of: index, &objects)
        index = verdict.hidesContents ? Int(occurrences[index].end) : index + 1
      }
      late.hasMet = !verdicts.late.isEmpty
    } else {
      useAll(&objects)
    }
    keyless = firstKeyless..<objects.count
    if !decisions.touched.isEmpty || decisions.facts.contains(where: { $0.fate == true }) {
      decisions.unlinked = markGone()
    }
  }

  /// Uses all occurrences but the faulty ones, where no form decides.
  private func useAll(_ objects: inout [Object]) {
    let (mappings, count) = (mappings, occurrenceCount)
    var index = 0
    while index < count {
      let occurrence = occurrences + index
      let flags = Int(occurrence.pointee.flags)
      let number = occurrence.pointee.object == FASTMAP_NONE ? nil : Int(occurrence.pointee.object)
      if flags & FASTMAP_SKIPPED != 0 {
        leaveOut(index, number, &objects)
        index = Int(occurrence.pointee.end)
        continue
      }
      let mapping = mappings + Int(occurrence.pointee.mapping)
      if let number {
        objects[number].isPresent = true
        if objects[number].keyField == nil { objects[number].keyField = mapping.pointee.keyField }
      } else if flags & FASTMAP_OWNED != 0 {
        owned.occurrences.append(index)
      } else if flags & FASTMAP_ELEMENT == 0 {
        occurrence.pointee.object = UInt32(objects.count)
        objects.append(Object(entity: Int(mapping.pointee.entity), isPresent: true))
      }
      index += 1
    }
  }

  private func use(_ verdict: Verdict, of index: Int, _ objects: inout [Object]) {
    let occurrence = occurrences + index
    let number = occurrence.pointee.object == FASTMAP_NONE ? nil : Int(occurrence.pointee.object)
    switch verdict {
    case .leftOut: leaveOut(index, number, &objects)
    case .unread, .gone, .missed: break
    case .unresolved: if number != nil { late.unresolved.append(index) }
    case .deletes:
      if let number, objects[number].isStored || objects[number].isPresent { meet(index, &objects[number]) }
    case .stale:
      guard let number, !isGone(index), objects[number].isStored || objects[number].isPresent else { return }
      meet(index, &objects[number])
      objects[number].isStale = true
    case .used, .reference, .revives:
      if let number {
        meet(index, &objects[number])
        objects[number].isFresh = true
        if verdict == .revives { decisions.revivals.add(index, of: number) }
      } else if flags(index) & FASTMAP_OWNED != 0 {
        owned.occurrences.append(index)
      } else if flags(index) & FASTMAP_ELEMENT == 0 {
        occurrence.pointee.object = UInt32(objects.count)
        let entity = Int(mappings[Int(occurrence.pointee.mapping)].entity)
        objects.append(Object(entity: entity, isPresent: true))
      }
    }
  }

  private func meet(_ index: Int, _ object: inout Object) {
    object.isPresent = true
    if object.keyField == nil { object.keyField = mappings[Int(occurrences[index].mapping)].keyField }
  }

  /// Leaves out an occurrence. An object that exists keeps its link to its owner.
  private func leaveOut(_ index: Int, _ number: Int?, _ objects: inout [Object]) {
    let occurrence = occurrences + index
    if !uncounted.contains(index) {
      skippedEntities.append(Int(mappings[Int(occurrence.pointee.mapping)].entity))
    }
    occurrence.pointee.row = nil
    if let number, objects[number].isStored || objects[number].isPresent {
      objects[number].isSpared = true
      if flags(index) & FASTMAP_ABSENT != 0 { occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED) }
    } else {
      occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED)
    }
    guard batch.pointee.walks_skipped else { return }
    // The payload has the objects inside of it.
    for inner in index + 1..<Int(occurrence.pointee.end) where occurrences[inner].object != FASTMAP_NONE {
      let object = Int(occurrences[inner].object)
      if objects[object].isStored { objects[object].isSpared = true }
    }
  }

  /// Marks an occurrence with its verdict.
  func use(_ verdict: Verdict, of index: Int, _ result: UnitVerdicts) throws {
    let occurrence = occurrences + index
    func mark(_ flags: Int) { occurrence.pointee.flags |= UInt32(flags) }
    if result.gone.contains(index) { mark(FASTMAP_GONE) }
    switch verdict {
    case .leftOut: break
    case .unread: mark(FASTMAP_ABSENT | FASTMAP_SKIPPED | FASTMAP_UNLINKED)
    case .unresolved: mark(FASTMAP_UNLINKED)
    case .deletes, .missed:
      mark(FASTMAP_UNLINKED)
      occurrence.pointee.row = nil
    case .gone: occurrence.pointee.row = nil
    case .stale: mark(FASTMAP_STALE)
    case .used, .reference, .revives:
      if result.late.contains(index) { mark(FASTMAP_LATE) }
      if let choice = result.kinds.choices[index] { try use(choice, index) }
      if verdict == .reference { forgetKind(of: index) }
    }
  }

  /// Unlinks the objects that are gone at the end from all occurrences that name them.
  ///
  /// - Returns: The numbers of the objects that were linked up to here.
  @discardableResult
  func markGone() -> Set<Int> {
    var unlinked: Set<Int> = []
    for index in 0..<occurrenceCount where occurrences[index].object != FASTMAP_NONE && !isGone(index) {
      let number = Int(occurrences[index].object)
      guard number < decisions.facts.count, decisions.facts[number].fate ?? decisions.facts[number].isGone
      else { continue }
      // A weak occurrence of an object that did not exist changes nothing.
      guard decisions.verdicts?.verdicts[index] != .unresolved else { continue }
      occurrences[index].flags |= UInt32(FASTMAP_GONE)
      if occurrences[index].owner != FASTMAP_NONE { unlinked.insert(number) }
    }
    return unlinked
  }

  // MARK: Questions of later stages

  /// Whether an occurrence is older than its object, or belongs to such an occurrence.
  func isStale(_ index: Int) -> Bool { flags(index) & FASTMAP_STALE != 0 }

  /// Whether the payload deletes the object of an occurrence.
  private func isGone(_ index: Int) -> Bool { flags(index) & FASTMAP_GONE != 0 }

  /// Whether an occurrence links its object.
  func isLinked(_ index: Int) -> Bool { flags(index) & (FASTMAP_UNLINKED | FASTMAP_GONE) == 0 }

  /// Whether a to-one relationship has lost its target, as the payload deletes that.
  func isCleared(_ link: fastmap_link) -> Bool { link.length > 0 && isGone(Int(link.occurrences[0])) }

  /// Whether an occurrence is weak, and its object does not exist.
  func isUnresolved(_ index: Int) -> Bool { decisions.verdicts?.verdicts[index] == .unresolved }

  /// Whether an occurrence has no object.
  func isOut(_ index: Int) -> Bool {
    if flags(index) & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 { return true }
    // Without a store, an instance stands for it.
    guard isGone(index), !objects.isEmpty else { return false }
    let object = objects[Int(occurrences[index].object)]
    return !object.isStored && !object.isPresent
  }

  /// The mapping that reads an occurrence.
  func mappingNumber(of index: Int) -> Int {
    decisions.verdicts?.kinds.choices[index]?.mapping ?? Int(occurrences[index].mapping)
  }

  /// Whether the mapping that reads an occurrence has no such relationship.
  func isUnread(_ relationship: Int, of index: Int) -> Bool {
    decisions.verdicts?.kinds.isUnread(relationship, of: index, in: self) ?? false
  }
}
