internal import CFastMap

/// The verdicts of a batch for a store: which objects exist, and which are left out.
extension ImportUnit {
  /// Decides about all occurrences, once the store has answered for their keys.
  func decide<R: StoreReader>(in reader: inout R) throws {
    guard let rules else { return }
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
  ///
  /// - Parameter onKindless: Called for each object without a kind, where that is a fault.
  func useVerdicts(_ objects: inout [Object], onKindless: (_ occurrence: Int) -> Void) {
    for index in decisions.kindless.sorted() { onKindless(index) }
    let firstKeyless = objects.count
    var index = 0
    if let verdicts = decisions.verdicts {
      while index < occurrenceCount {
        let verdict = verdicts.verdicts[index]
        if verdict == .leftOut, !isSkipped(index) { leaveOutKindless(index, onKindless) }
        use(verdict, of: index, verdicts)
        use(verdict, of: index, &objects)
        index = verdict.hidesContents ? Int(occurrences[index].end) : index + 1
      }
      hasLate = !verdicts.late.isEmpty
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
        owned.append(index)
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
    case .unresolved: if number != nil { unresolved.append(index) }
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
      } else if flags(index) & FASTMAP_OWNED != 0 {
        owned.append(index)
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
}
