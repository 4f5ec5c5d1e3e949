internal import CFastMap

/// Weak relationships: what they missed is looked for once more when the payload ends.
extension ImportUnit {
  /// Notes what a row says of a relationship, before its occurrences are turned into objects.
  ///
  /// Under `merge`, a target that a later root of the batch makes is appended when the payload ends, as one is that a later
  /// batch makes: what comes of it must not depend on where batches end.
  func noteLate(_ slot: inout fastmap_slot, mapping: Int, relationship number: Int, owner: Int) {
    let relationship = mappings[mapping].relationships[number]
    let field = Int(relationship.field)
    let isMerge = slot.policy == FASTMAP_MERGE
    guard slot.tag != FASTMAP_MISSING, !(slot.tag == FASTMAP_NULL && isMerge) else { return }
    func note(_ says: LateLink.Says) { lateLinks.append(LateLink(owner: owner, field: field, says: says)) }
    guard slot.tag == FASTMAP_OCCURRENCES else { return note(.new(count: 0, isFollowed: false)) }
    let found = UnsafeBufferPointer(start: slot.occurrences, count: Int(slot.length))

    if relationship.is_custom {
      noteQuestion(found, mapping, number, note)
    } else if !relationship.to_many {
      guard let index = found.first else { return }
      if let key = missedKey(index) {
        note(.missed(key, position: nil, policy: slot.policy))
      } else if isLinked(index) {
        note(.new(count: 1, isFollowed: false))
      }
    } else if isMerge {
      leaveLateOnes(of: &slot, found, note)
    } else {
      let isFollowed = found.contains { missedKey($0) != nil }
      note(.new(count: found.count { isLinked($0) }, isFollowed: isFollowed))
      var position = 0
      for index in found {
        if let key = missedKey(index) {
          note(.missed(key, position: position, policy: slot.policy))
          position += 1
        } else if isLinked(index) {
          position += 1
        }
      }
    }
  }

  private func noteQuestion(
    _ found: UnsafeBufferPointer<UInt32>, _ mapping: Int, _ relationship: Int, _ note: (LateLink.Says) -> Void
  ) {
    var isMissing = false
    let targets = found.compactMap { index -> LateLink.Target? in
      if let key = missedKey(index) {
        isMissing = true
        return .missed(key)
      }
      return isLinked(index) ? .object(Int(occurrences[Int(index)].object)) : nil
    }
    note(
      isMissing
        ? .ask(mapping: mapping, relationship: relationship, targets: targets)
        : .new(count: targets.count, isFollowed: false))
  }

  private func leaveLateOnes(
    of slot: inout fastmap_slot, _ found: UnsafeBufferPointer<UInt32>, _ note: (LateLink.Says) -> Void
  ) {
    let isLate = { (index: UInt32) in self.occurrences[Int(index)].flags & UInt32(FASTMAP_LATE) != 0 }
    guard found.contains(where: { isLate($0) || missedKey($0) != nil }) else { return }
    guard let kept = allocate(UInt32.self, found.count) else { return }
    var count = 0
    for index in found {
      if let key = missedKey(index) ?? (isLate(index) ? PrimaryKey(slot: occurrences[Int(index)].key) : nil) {
        note(.missed(key, position: nil, policy: slot.policy))
      } else {
        kept[count] = index
        count += 1
      }
    }
    slot.occurrences = UnsafePointer(kept)
    slot.length = UInt32(count)
  }

  private func isLinked(_ index: UInt32) -> Bool {
    occurrences[Int(index)].flags & UInt32(FASTMAP_UNLINKED) == 0
  }

  /// The key of an object that a weak occurrence has not met; nil for any other occurrence.
  private func missedKey(_ index: UInt32) -> PrimaryKey? {
    let occurrence = occurrences[Int(index)]
    let flags = occurrence.flags & UInt32(FASTMAP_WEAK | FASTMAP_UNLINKED | FASTMAP_SKIPPED)
    return flags == FASTMAP_WEAK | FASTMAP_UNLINKED ? PrimaryKey(slot: occurrence.key) : nil
  }
}
