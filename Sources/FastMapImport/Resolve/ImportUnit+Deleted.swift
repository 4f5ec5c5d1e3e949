internal import CFastMap

/// Objects that say that they are deleted: ``DeletedBy``.
///
///     {"id": 7, "deleted": true}      object 7 is deleted when the payload ends
///     {"id": 7, "name": "x"}          it lives again, without its old values
///
/// The last occurrence counts, whatever the batches. So the store keeps such an object until the payload ends.
struct DeletedOccurrences {
  var before: Set<ObjectIdentity> = []
  /// The objects of the batch that are deleted when it ends, by their numbers in the unit, with the value that tells their age.
  var deleted: [Int: fastmap_slot?] = [:]
  /// The occurrences that make a deleted object live again.
  var reviving: Set<Int> = []
  /// The last of these, by object.
  var revived: [Int: Int] = [:]
}

extension ImportUnit {
  /// Decides in payload order which objects are deleted, and unlinks the occurrences that say so.
  func decideDeletions() throws {
    var found = deletions ?? DeletedOccurrences()
    var index = 0
    var hasStale = false
    while index < occurrenceCount {
      let flags = flags(index)
      if flags & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrences[index].end)
        continue
      }
      defer { index += 1 }
      if flags & FASTMAP_OWNED != 0, isStale(Int(occurrences[index].owner)) {
        occurrences[index].flags |= UInt32(FASTMAP_STALE)
        hasStale = true
        continue
      }
      guard flags & FASTMAP_STALE == 0, occurrences[index].object != FASTMAP_NONE,
        occurrences[index].key.tag != FASTMAP_MISSING
      else { continue }
      let number = Int(occurrences[index].object)
      if flags & FASTMAP_DELETED != 0 {
        found.deleted.updateValue(newerValue(of: index), forKey: number)
        occurrences[index].flags |= UInt32(FASTMAP_UNLINKED)
        occurrences[index].row = nil
        continue
      }
      let isDeleted =
        found.deleted[number] != nil
        || found.revived[number] == nil && objects[number].isStored
          && found.before.contains(ObjectIdentity(entity: objects[number].entity, id: objects[number].id))
      guard isDeleted else { continue }
      if flags & FASTMAP_WEAK != 0 {
        // A weak reference does not revive its target.
        occurrences[index].flags |= UInt32(FASTMAP_STALE)
        hasStale = true
      } else {
        found.deleted[number] = nil
        found.reviving.insert(index)
        found.revived[number] = index
      }
    }
    if hasStale { owned.removeAll { isStale($0) } }
    deletions = found
  }

  private func newerValue(of index: Int) -> fastmap_slot? {
    guard let field = plan.mappings[Int(occurrences[index].mapping)].newerField,
      let slot = occurrences[index].row?[field].value, slot.tag != FASTMAP_MISSING
    else { return nil }
    return slot
  }

  /// Whether an occurrence deletes its object, and is not older than it.
  func saysDeleted(_ index: Int) -> Bool {
    flags(index) & (FASTMAP_DELETED | FASTMAP_UNLINKED) == FASTMAP_DELETED | FASTMAP_UNLINKED
  }

  /// Whether an occurrence makes a deleted object live again.
  func isReviving(_ index: Int) -> Bool { deletions?.reviving.contains(index) ?? false }

  /// The row of an object that lives again, before anything is read of it: nothing but its key and defaults.
  func makeRevivedRow(_ entity: Int) throws(SystemError) -> UnsafeMutablePointer<fastmap_batch_slot> {
    let fields = plan.schema.entities[entity].fields
    let row = try allocate(fastmap_batch_slot.self, fields.count)
    row.initialize(repeating: fastmap_batch_slot(), count: fields.count)
    for (field, layout) in fields.enumerated() where !plan.traits.isOfKey(field, entity) {
      row[field].value.tag = UInt8(FASTMAP_NULL)
      guard let target = layout.kind.target else { continue }
      let ownsAll = target.isOwned || plan.traits.isScoped[target.entity]
      let isReplaced = plan.mappings.contains { planned in
        planned.entity == entity
          && zip(planned.relationshipFields, planned.mapping.relationships).contains {
            $0 == field && $1.policy.isReplace
          }
      }
      if ownsAll || isReplaced || plan.traits.ownsKeyless(field, of: entity) {
        row[field].link.policy = UInt8(FASTMAP_REPLACE)
        row[field].link.spares_keyed = !ownsAll && !isReplaced
      }
    }
    for value in plan.compiled.defaults[entity] { row[value.field].value = value.slot }
    return row
  }

  /// The objects that are deleted when the batch ends, and the objects that live again.
  var deletedObjects: (deleted: [ObjectIdentity], revived: [ObjectIdentity]) {
    func identity(_ number: Int) -> ObjectIdentity {
      ObjectIdentity(entity: objects[number].entity, id: objects[number].id)
    }
    let deleted = deletions?.deleted ?? [:]
    let revived = (deletions?.revived ?? [:]).keys.filter { deleted[$0] == nil }
    return (deleted.keys.map(identity), revived.map(identity))
  }
}
