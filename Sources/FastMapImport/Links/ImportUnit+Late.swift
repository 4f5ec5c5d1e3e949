internal import CFastMap

/// The targets of weak relationships that a batch does not link at once.
struct LateTargets {
  /// Weak occurrences whose object does not exist yet, in payload order.
  var unresolved: [Int] = []
  /// Whether a weak occurrence met an object that a later one of the batch makes.
  var hasMet = false
  /// The log entries for relationships with unresolved targets, in payload order.
  var links: [LateLink] = []
  /// Whether merges into a list are made at the end of the payload. For other lists, ask `pendingLinks`.
  var merges: [ImportUnit.Holder: Bool] = [:]
}

/// Weak relationships: the end of the payload looks again for their unresolved targets.
extension ImportUnit {
  /// Logs a row's link for the end of the payload, before its occurrences become objects.
  ///
  /// Under `merge`, a target that is not there yet waits for the end of the payload. All that the payload merges into the
  /// list after it waits too, so the new targets keep the payload's order. A target that a later root object of the
  /// batch makes also waits: the result must not depend on where batches end.
  func logLate(
    _ link: inout fastmap_link, mapping: Int, relationship number: Int, owner: Int, among objects: [Object]
  ) {
    let relationship = mappings[mapping].relationships[number]
    let field = Int(relationship.field)
    let isMerge = link.policy == FASTMAP_MERGE
    guard link.tag != FASTMAP_MISSING, !(link.tag == FASTMAP_NULL && isMerge) else { return }
    let place = Holder(owner: owner, field: field)
    let holder = ChangeBatch.Holder(owner: objects[owner].id, entity: objects[owner].entity, field: field)
    func log(_ says: LateLink.Says) { late.links.append(LateLink(holder: holder, says: says)) }
    guard link.tag == FASTMAP_OCCURRENCES else {
      late.merges[place] = false
      return log(.new(count: 0, isFollowed: false))
    }
    let found = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))

    if relationship.is_custom {
      logQuestion(found, mapping, number, among: objects, log)
    } else if !relationship.to_many {
      guard let index = found.first else { return }
      if let key = unresolvedKey(index) {
        log(.unresolved(key, position: nil, policy: link.policy))
      } else if isLinked(Int(index)) || isCleared(link) {
        log(.new(count: isCleared(link) ? 0 : 1, isFollowed: false))
      }
    } else if isMerge {
      let waits = late.merges[place] ?? pendingLinks?.hasPending(holder) ?? false
      late.merges[place] = leaveLateOnes(of: &link, found, waits: waits, log)
    } else {
      let isFollowed = found.contains { unresolvedKey($0) != nil }
      late.merges[place] = isFollowed
      log(.new(count: found.count { isLinked(Int($0)) }, isFollowed: isFollowed))
      var position = 0
      for index in found {
        if let key = unresolvedKey(index) {
          log(.unresolved(key, position: position, policy: link.policy))
          position += 1
        } else if isLinked(Int(index)) {
          position += 1
        }
      }
    }
  }

  /// Forgets the unresolved targets of relationships that a row clears: those of another mapping, or of an object that lives again.
  func forgetLate(
    clearedBy row: UnsafeMutablePointer<fastmap_batch_slot>, owner: Int, among objects: [Object]
  ) {
    if pendingLinks == nil { return }
    let (id, entity) = (objects[owner].id, objects[owner].entity)
    for field in plan.schema.entities[entity].fields.indices
    where plan.traits.isWeak(field, of: entity) && row[field].tag == FASTMAP_NULL
      && row[field].link.policy != FASTMAP_MERGE
    {
      late.merges[Holder(owner: owner, field: field)] = false
      late.links.append(
        LateLink(
          holder: .init(owner: id, entity: entity, field: field), says: .new(count: 0, isFollowed: false)))
    }
  }

  private func logQuestion(
    _ found: UnsafeBufferPointer<UInt32>, _ mapping: Int, _ relationship: Int, among objects: [Object],
    _ log: (LateLink.Says) -> Void
  ) {
    var isMissing = false
    let targets = found.compactMap { index -> LateLink.Target? in
      if let key = unresolvedKey(index) {
        isMissing = true
        return .unresolved(key)
      }
      guard isLinked(Int(index)) else { return nil }
      let occurrence = occurrences[Int(index)]
      return .object(objects[Int(occurrence.object)].id, PrimaryKey(slot: occurrence.key))
    }
    log(
      isMissing
        ? .ask(mapping: mapping, relationship: relationship, targets: targets)
        : .new(count: targets.count, isFollowed: false))
  }

  /// - Parameter waits: Whether targets of the list wait already.
  /// - Returns: Whether targets wait now.
  private func leaveLateOnes(
    of link: inout fastmap_link, _ found: UnsafeBufferPointer<UInt32>, waits: Bool,
    _ log: (LateLink.Says) -> Void
  ) -> Bool {
    let isLate = { (index: UInt32) in self.occurrences[Int(index)].flags & UInt32(FASTMAP_LATE) != 0 }
    guard let first = waits ? 0 : found.firstIndex(where: { isLate($0) || unresolvedKey($0) != nil }) else {
      return false
    }
    link.length = UInt32(first)
    let keys = found[first...].compactMap { index in
      unresolvedKey(index) ?? (isLinked(Int(index)) ? PrimaryKey(slot: occurrences[Int(index)].key) : nil)
    }
    if !keys.isEmpty { log(.merged(keys)) }
    return true
  }

  /// The key of an object that a weak occurrence has not met; nil for any other occurrence.
  private func unresolvedKey(_ index: UInt32) -> PrimaryKey? {
    isUnresolved(Int(index)) ? PrimaryKey(slot: occurrences[Int(index)].key) : nil
  }
}
