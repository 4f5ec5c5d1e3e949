internal import CFastMap

/// The verdicts of a batch, carried out: flags of occurrences, and rows that change nothing.
extension ImportUnit {
  /// Leaves out the owned objects without a kind, and each element with one inside of it.
  ///
  /// - Returns: Whether there are any.
  func leaveOutKindlessElements() -> Bool {
    let faults = decisions.verdicts?.kindless.filter { flags($0) & FASTMAP_OWNED != 0 } ?? []
    if faults.isEmpty { return false }
    decisions.kindless.formUnion(faults)
    hasFaults = true
    for index in faults { skip(index) }
    leaveOutFaultyElements()
    return true
  }

  /// Leaves out an occurrence without a kind.
  ///
  /// - Parameter onFault: Called where that is a fault.
  func leaveOutKindless(_ index: Int, _ onFault: (_ occurrence: Int) -> Void) {
    if decisions.verdicts?.kindless.contains(index) ?? false {
      hasFaults = true
      onFault(index)
    } else {
      occurrences[index].flags |= UInt32(FASTMAP_ABSENT)
      occurrences[index].flags &= ~UInt32(FASTMAP_OWNED | FASTMAP_ELEMENT)
    }
    skip(index)
  }

  /// Marks an occurrence with its verdict.
  func use(_ verdict: Verdict, of index: Int, _ result: UnitVerdicts) {
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
    case .gone:
      occurrence.pointee.row = nil
    case .stale: mark(FASTMAP_STALE)
    case .used, .reference, .revives:
      if result.late.contains(index) { mark(FASTMAP_LATE) }
      if let choice = result.choices[index] { use(choice, index) }
      if verdict == .reference, let blank = mappings[Int(occurrence.pointee.mapping)].blank {
        forget(blank, index)
      }
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

  /// Whether an occurrence makes an object again that the payload has deleted.
  func isReviving(_ index: Int) -> Bool { decisions.verdicts?.verdicts[index] == .revives }

  /// Whether an occurrence is older than its object, or belongs to such an occurrence.
  func isStale(_ index: Int) -> Bool { flags(index) & FASTMAP_STALE != 0 }

  /// Whether the payload deletes the object of an occurrence.
  func isGone(_ index: Int) -> Bool { flags(index) & FASTMAP_GONE != 0 }

  // MARK: Kinds

  /// Gives an occurrence the kind that was chosen for it.
  private func use(_ choice: UnitVerdicts.Choice, _ index: Int) {
    guard let kind = choice.mapping else {
      occurrences[index].row = nil
      return
    }
    guard let row = occurrences[index].row, let blank = mappings[kind].blank else { return }
    let planned = plan.mappings[Int(occurrences[index].mapping)]
    for field in 0..<Int(mappings[kind].field_count) where blank[field].tag != FASTMAP_MISSING {
      if !choice.isKept {
        row[field].value = blank[field]
      } else if blank[field].tag == FASTMAP_NULL {
        row[field] = fastmap_batch_slot()
      }
    }
    guard let value = planned.choosingAttribute.map({ planned.attributeFields[$0] }) else { return }
    if row[value].tag == FASTMAP_NULL { row[value] = fastmap_batch_slot() }
  }

  /// Takes the values of a kind out of the row of a reference, which has no kind.
  private func forget(_ blank: UnsafePointer<fastmap_slot>, _ index: Int) {
    guard let row = occurrences[index].row else { return }
    for field in 0..<Int(mappings[Int(occurrences[index].mapping)].field_count)
    where blank[field].tag != FASTMAP_MISSING { row[field] = fastmap_batch_slot() }
  }
}
