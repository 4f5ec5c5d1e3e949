internal import CFastMap

/// Folding the occurrences of each object into one row. A row has a slot for each field of the entity, not of the mapping, so the
/// rows of two mappings fold field by field.
extension ImportUnit {
  /// The changes for the store. Stored objects that the payload has no values for are only counted.
  func changes(_ tally: inout ChangeCounts) throws(SystemError) -> ChangeBatch {
    try foldRows(&self.objects)
    if !owned.before.isEmpty { findOrphaned() }
    if plan.traits.hasScoped { findOrphanedScoped() }
    for entity in skippedEntities { tally.countSkipped(entity: entity) }

    var batch = ChangeBatch(schema: plan.schema)
    let objects = self.objects
    let hasFingerprints = shared.fingerprinter != nil
    batch.changes.reserveCapacity(objects.count)
    // A plan may have thousands of entities, and the batch as many objects.
    let keylessOf = Dictionary(grouping: keyless) { objects[$0].entity }
    for (entity, layout) in plan.schema.entities.enumerated() {
      if keyed[entity].isEmpty, keylessOf[entity] == nil { continue }
      let defaults = plan.compiled.defaults[entity]
      let links = layout.fields.indices.filter { layout.fields[$0].kind.target != nil }
      let mixed = links.filter { plan.traits.ownsKeyless($0, of: entity) }
      func emit(_ number: Int) throws(SystemError) {
        let change = try change(
          of: number, fieldCount: layout.fields.count, links, defaults, among: objects, &tally)
        guard var change else { return }
        if hasFingerprints, isAsWritten(&change, number) {
          tally.count(change.id, of: entity, isNew: false, isChanged: false)
        } else if mixed.isEmpty {
          batch.changes.append(change)
        } else {
          batch.append(change, mixed: mixed)
        }
      }
      if !keyed[entity].isEmpty { tally.markPresent(entity: entity) }
      for index in keyed[entity] { try emit(index) }
      for index in keylessOf[entity] ?? [] { try emit(index) }
    }
    return batch
  }

  /// Makes the change of one object of the unit; nil if there is nothing to write.
  ///
  /// - Parameter links: The fields of the entity that are relationships.
  private func change(
    of number: Int, fieldCount: Int, _ links: [Int], _ defaults: [DefaultSlot],
    among objects: [Object], _ tally: inout ChangeCounts
  ) throws(SystemError) -> ObjectChange? {
    let object = objects[number]
    if object.isSpared, object.isStored { tally.spare(object.id, of: object.entity) }
    guard object.isPresent else { return nil }
    if object.isStored, object.row == nil {
      if object.isStale, !object.isFresh {
        tally.countStale(object.id, of: object.entity)
      } else {
        tally.count(object.id, of: object.entity, isNew: false, isChanged: false)
      }
      return nil
    }
    let row: UnsafeMutablePointer<fastmap_slot>
    if let unitRow = object.row {
      row = stored(unitRow, fieldCount, links, among: objects)
    } else {
      row = try makeSlots(fieldCount)
    }
    if let field = object.keyField { row[field] = object.key }
    if !object.isStored {
      if plan.traits.isStub(row, of: object.entity) { tally.countStub(object.id, of: object.entity) }
    } else if tally.hasStubs(of: object.entity), !plan.traits.isStub(row, of: object.entity) {
      tally.markFilled(object.id, of: object.entity)
    }
    setDefaults(defaults, of: number, object, row)
    return ObjectChange(
      id: object.id, entity: object.entity, isNew: !object.isStored, keyField: object.keyField,
      row: Row(slots: row, count: fieldCount))
  }

  /// Gives a change its fingerprint.
  ///
  /// - Returns: Whether its fields were last written as they are.
  private func isAsWritten(_ change: inout ObjectChange, _ number: Int) -> Bool {
    change.fingerprint = shared.fingerprinter?.fingerprint(
      of: change.slots, change.entity, isNew: change.isNew)
    guard !change.isNew, let made = change.fingerprint, let stored = fingerprints[number] else {
      return false
    }
    return made.high == stored.high
  }

  // MARK: Folding

  private func foldRows(_ objects: inout [Object]) throws(SystemError) {
    let (mappings, hasRevivals) = (mappings, !decisions.revivals.isEmpty)
    var merges: [Holder: Merge] = [:]
    func add(
      _ row: UnsafeMutablePointer<fastmap_batch_slot>, of occurrence: fastmap_occurrence, at index: Int? = nil
    ) {
      let object = Int(occurrence.object)
      guard let earlier = objects[object].row else { return objects[object].row = row }
      if let index { findContradictions(of: index, row, earlier, among: objects) }
      let fieldCount = Int(mappings[Int(occurrence.mapping)].field_count)
      fold(row, into: earlier, of: object, fieldCount: fieldCount, &merges)
    }
    var index = 0
    while index < occurrenceCount {
      let occurrence = occurrences[index]
      if occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      index += 1
      if hasRevivals, decisions.revivals.contains(index - 1, of: Int(occurrence.object)) {
        let row = try makeRevivedRow(Int(mappings[Int(occurrence.mapping)].entity))
        forgetLate(clearedBy: row, owner: Int(occurrence.object), among: objects)
        add(row, of: occurrence)
      }
      guard let row = occurrence.row, occurrence.flags & UInt32(FASTMAP_STALE) == 0 else { continue }
      let object = Int(occurrence.object)
      // A later list of the batch has no such element.
      guard objects[object].isPresent || objects[object].isStored else { continue }
      let mapping = mappings + Int(occurrence.mapping)
      if mapping.pointee.kinds != nil { forgetLate(clearedBy: row, owner: object, among: objects) }
      try useRelationships(of: occurrence, mapping, row, among: objects)
      add(row, of: occurrence, at: index - 1)
    }
    for (place, merge) in merges {
      guard let row = objects[place.owner].row else { continue }
      let all = try allocate(UInt64.self, merge.objects.count)
      all.initialize(from: merge.objects, count: merge.objects.count)
      row[place.field].link.length = UInt32(merge.objects.count)
      row[place.field].link.objects = UnsafePointer(all)
    }
  }

  /// Objects merged into one list in many places of the payload. The list is made once, at the end.
  private struct Merge {
    private(set) var objects: [UInt64]
    private var met: Set<UInt64>

    /// - Parameter link: The objects in the first place, or null.
    init(_ link: fastmap_link) {
      objects = Array(
        UnsafeBufferPointer(start: link.objects, count: link.tag == FASTMAP_OBJECTS ? Int(link.length) : 0))
      met = Set(objects)
    }

    /// Appends the objects that it does not have.
    mutating func append(_ more: fastmap_link) {
      for object in UnsafeBufferPointer(start: more.objects, count: Int(more.length))
      where met.insert(object).inserted { objects.append(object) }
    }
  }

  /// Adds the values of a later occurrence to the row of the earlier ones.
  private func fold(
    _ row: UnsafeMutablePointer<fastmap_batch_slot>, into earlier: UnsafeMutablePointer<fastmap_batch_slot>,
    of object: Int, fieldCount: Int, _ merges: inout [Holder: Merge]
  ) {
    for field in 0..<fieldCount where row[field].tag != FASTMAP_MISSING {
      let (old, new) = (earlier[field].link, row[field].link)
      if new.policy == FASTMAP_MERGE, new.tag == FASTMAP_OBJECTS,
        old.tag == FASTMAP_OBJECTS || old.tag == FASTMAP_NULL
      {
        merges[Holder(owner: object, field: field), default: Merge(old)].append(new)
        earlier[field].link.tag = UInt8(FASTMAP_OBJECTS)
        continue
      }
      if !merges.isEmpty { merges[Holder(owner: object, field: field)] = nil }
      earlier[field] = row[field]
      if old.policy == FASTMAP_REPLACE || new.policy == FASTMAP_MERGE && old.tag != FASTMAP_MISSING {
        earlier[field].link.policy = old.policy
        let replaces = new.policy == FASTMAP_REPLACE && !new.spares_keyed
        earlier[field].link.spares_keyed = old.spares_keyed && !replaces
      }
    }
  }
}
