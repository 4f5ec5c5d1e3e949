internal import CFastMap

/// Folding what was met into one row an object.
extension ImportUnit {
  /// The changes for the store. Objects that are stored and of which nothing was said are only counted.
  func changes(_ tally: inout ObjectTally) -> ChangeBatch {
    foldRows(&self.objects)
    for entity in skippedEntities { tally.noteSkipped(entity: entity) }

    var batch = ChangeBatch(schema: plan.schema)
    let objects = self.objects
    batch.changes.reserveCapacity(objects.count)
    // A plan may have thousands of entities, and the batch as many objects.
    let keylessOf = Dictionary(grouping: keyless) { objects[$0].entity }
    for (entity, layout) in plan.schema.entities.enumerated() {
      if keyed[entity].isEmpty, keylessOf[entity] == nil, filled.map({ objects[$0].entity }) != entity {
        continue
      }
      let links = layout.fields.indices.filter { layout.fields[$0].isRelationship }
      func emit(_ object: Object) {
        self.emit(object, fieldCount: layout.fields.count, links, among: objects, to: &batch, &tally)
      }
      if !keyed[entity].isEmpty { tally.noteMet(entity: entity) }
      for index in keyed[entity] { emit(objects[index]) }
      for index in keylessOf[entity] ?? [] { emit(objects[index]) }
      // One that is filled without a key in the payload is among neither.
      if let filled, objects[filled].entity == entity, !keyed[entity].contains(filled) {
        emit(objects[filled])
      }
    }
    return batch
  }

  /// - Parameter links: The fields of the entity that are relationships.
  private func emit(
    _ object: Object, fieldCount: Int, _ links: [Int], among objects: [Object], to batch: inout ChangeBatch,
    _ tally: inout ObjectTally
  ) {
    if object.isSpared, object.isStored { tally.noteSpared(object.id, of: object.entity) }
    guard object.isMet else { return }
    if object.isStored, object.row == nil {
      tally.note(object.id, of: object.entity, isNew: false, isChanged: false)
      return
    }
    guard let row = object.row ?? makeRow(fieldCount) else { return }
    if let field = object.keyField { row[field] = object.key }
    for field in links { useStoreNumbers(&row[field], among: objects) }
    batch.changes.append(
      ObjectChange(
        id: object.id, entity: object.entity, isNew: !object.isStored, keyField: object.keyField,
        row: Row(slots: row, count: fieldCount)))
  }

  func makeRow(_ fieldCount: Int) -> UnsafeMutablePointer<fastmap_slot>? {
    guard let row = allocate(fastmap_slot.self, fieldCount) else { return nil }
    row.initialize(repeating: fastmap_slot(), count: fieldCount)
    return row
  }

  /// Replaces numbers of objects of the unit by numbers of the store.
  func useStoreNumbers(_ slot: inout fastmap_slot, among objects: [Object]) {
    if slot.tag == FASTMAP_TARGET {
      slot.set(objects[Int(slot.target)].id)
    } else if slot.tag == FASTMAP_TARGETS, let borrowed = slot.targets {
      let targets = UnsafeMutablePointer(mutating: borrowed)
      for index in 0..<Int(slot.length) { targets[index] = objects[Int(targets[index])].id.rawValue }
    }
  }

  // MARK: Folding

  private func foldRows(_ objects: inout [Object]) {
    let mappings = mappings
    var merges: [Merge.Place: Merge] = [:]
    var index = 0
    while index < occurrenceCount {
      let occurrence = occurrences[index]
      if occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      index += 1
      guard let row = occurrence.row else { continue }
      useRelationships(of: occurrence, mappings + Int(occurrence.mapping), row, among: objects)
      let object = Int(occurrence.object)
      if let earlier = objects[object].row {
        let fieldCount = Int(mappings[Int(occurrence.mapping)].field_count)
        fold(row, into: earlier, of: object, fieldCount: fieldCount, &merges)
      } else {
        objects[object].row = row
      }
    }
    for (place, merge) in merges {
      guard let slot = objects[place.object].row?.advanced(by: place.field),
        let all = allocate(UInt64.self, merge.targets.count)
      else { continue }
      all.initialize(from: merge.targets, count: merge.targets.count)
      slot.pointee.length = UInt32(merge.targets.count)
      slot.pointee.targets = UnsafePointer(all)
    }
  }

  /// What a payload merges into one list in many places: the list is made once, at the end.
  private struct Merge {
    struct Place: Hashable {
      var object: Int
      var field: Int
    }

    /// Numbers of objects of the unit.
    private(set) var targets: [UInt64]
    private var met: Set<UInt64>

    /// - Parameter slot: What the first place says, or null.
    init(_ slot: fastmap_slot) {
      targets = Array(
        UnsafeBufferPointer(
          start: slot.targets, count: slot.tag == FASTMAP_TARGETS ? Int(slot.length) : 0))
      met = Set(targets)
    }

    /// Appends the targets that are not there.
    mutating func append(_ more: fastmap_slot) {
      for target in UnsafeBufferPointer(start: more.targets, count: Int(more.length))
      where met.insert(target).inserted { targets.append(target) }
    }
  }

  private func useRelationships(
    of occurrence: fastmap_occurrence, _ mapping: UnsafePointer<fastmap_plan_mapping>,
    _ row: UnsafeMutablePointer<fastmap_slot>, among objects: [Object]
  ) {
    for number in 0..<Int(mapping.pointee.relationship_count) {
      let relationship = mapping.pointee.relationships + number
      let slot = row + Int(relationship.pointee.field)
      if late != nil, relationship.pointee.looks_again {
        noteLate(
          &slot.pointee, mapping: Int(occurrence.mapping), relationship: number,
          owner: Int(occurrence.object),
          among: objects)
      }
      useObjects(&slot.pointee, relationship.pointee)
      if hasCustomPolicies {
        let planned = plan.mappings[Int(occurrence.mapping)]
        guard planned.mapping.relationships[number].policy.custom != nil else { continue }
        askLater(planned, number, owner: Int(occurrence.object), &slot.pointee, among: objects)
      }
    }
  }

  /// Leaves what a relationship is to have to its policy, which is asked when all objects are in the store.
  func askLater(
    _ planned: PlannedMapping, _ relationship: Int, owner: Int, _ slot: inout fastmap_slot,
    among objects: [Object]
  ) {
    guard slot.tag != FASTMAP_MISSING else { return }
    var new: [ObjectID] = []
    if slot.tag == FASTMAP_TARGET { new = [objects[Int(slot.target)].id] }
    if slot.tag == FASTMAP_TARGETS {
      new = UnsafeBufferPointer(start: slot.targets, count: Int(slot.length)).map { objects[Int($0)].id }
    }
    policyCalls.append(
      PolicyCall(
        planned: planned, relationship: relationship, owner: objects[owner].id, new: new,
        isNull: slot.tag == FASTMAP_NULL))
    slot = fastmap_slot()
  }

  /// Turns the occurrences that a relationship holds into objects.
  func useObjects(_ slot: inout fastmap_slot, _ relationship: fastmap_plan_relationship) {
    if slot.tag == FASTMAP_NULL, slot.policy == FASTMAP_MERGE { slot.tag = UInt8(FASTMAP_MISSING) }
    guard slot.tag != FASTMAP_MISSING else { return }
    // Owned targets that their owner no longer has are to be deleted whatever the policy.
    let ownsAll = mappings[Int(relationship.destination)].key_attribute < 0
    // To-one, a merge has room for one: what takes an owned target's place lets go of it.
    let lets =
      slot.policy == FASTMAP_ASSIGN || slot.policy == FASTMAP_MERGE && !relationship.to_many
    if ownsAll || relationship.owns_keyless, lets {
      slot.policy = UInt8(FASTMAP_REPLACE)
      slot.spares_keyed = !ownsAll
    }
    guard slot.tag == FASTMAP_OCCURRENCES else { return }
    let found = UnsafeBufferPointer(start: slot.occurrences, count: Int(slot.length))
    guard let targets = allocate(UInt64.self, found.count) else {
      slot.tag = UInt8(FASTMAP_MISSING)
      return
    }
    var count = 0
    for index in found where occurrences[Int(index)].flags & UInt32(FASTMAP_UNLINKED) == 0 {
      targets[count] = UInt64(occurrences[Int(index)].object)
      count += 1
    }
    if relationship.to_many {
      slot.tag = UInt8(FASTMAP_TARGETS)
      slot.length = UInt32(count)
      slot.targets = UnsafePointer(targets)
    } else if count == 0 {
      slot.tag = UInt8(FASTMAP_MISSING)  // a weak miss: as if the member were missing
    } else {
      slot.tag = UInt8(FASTMAP_TARGET)
      slot.target = targets[0]
    }
  }

  /// Lays what a later occurrence says over what the earlier ones said.
  private func fold(
    _ row: UnsafeMutablePointer<fastmap_slot>, into earlier: UnsafeMutablePointer<fastmap_slot>,
    of object: Int,
    fieldCount: Int, _ merges: inout [Merge.Place: Merge]
  ) {
    for field in 0..<fieldCount where row[field].tag != FASTMAP_MISSING {
      let old = earlier[field]
      if row[field].policy == FASTMAP_MERGE, row[field].tag == FASTMAP_TARGETS,
        old.tag == FASTMAP_TARGETS || old.tag == FASTMAP_NULL
      {
        merges[Merge.Place(object: object, field: field), default: Merge(old)].append(row[field])
        earlier[field].tag = UInt8(FASTMAP_TARGETS)
        continue
      }
      if !merges.isEmpty { merges[Merge.Place(object: object, field: field)] = nil }
      earlier[field] = row[field]
      if old.policy == FASTMAP_REPLACE || row[field].policy == FASTMAP_MERGE && old.tag != FASTMAP_MISSING {
        earlier[field].policy = old.policy
        let replaces = row[field].policy == FASTMAP_REPLACE && !row[field].spares_keyed
        earlier[field].spares_keyed = old.spares_keyed && !replaces
      }
    }
  }
}

extension Schema.Field {
  fileprivate var isRelationship: Bool {
    if case .attribute = kind { false } else { true }
  }
}
