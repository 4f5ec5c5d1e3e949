internal import CFastMap

/// Relationships of rows: from the occurrences that the payload has to the objects of the unit.
extension ImportUnit {
  func useRelationships(
    of occurrence: fastmap_occurrence, _ mapping: UnsafePointer<fastmap_plan_mapping>,
    _ row: UnsafeMutablePointer<fastmap_batch_slot>, among objects: [Object]
  ) throws(SystemError) {
    for number in 0..<Int(mapping.pointee.relationship_count) {
      let relationship = mapping.pointee.relationships + number
      let field = Int(relationship.pointee.field)
      if relationship.pointee.looks_again, pendingLinks != nil {
        logLate(
          &row[field].link, mapping: Int(occurrence.mapping), relationship: number,
          owner: Int(occurrence.object), among: objects)
      }
      let isKept = relationship.pointee.is_custom && fault(of: row[field].link) != nil
      try useObjects(&row[field].link, relationship.pointee)
      if relationship.pointee.is_custom {
        if isKept { row[field].link = fastmap_link() }
        let planned = plan.mappings[Int(occurrence.mapping)]
        askLater(planned, number, owner: Int(occurrence.object), &row[field].link, among: objects)
      }
    }
  }

  /// Leaves a relationship to its custom policy, which is called when the store has all objects.
  func askLater(
    _ planned: PlannedMapping, _ relationship: Int, owner: Int, _ link: inout fastmap_link,
    among objects: [Object]
  ) {
    guard link.tag != FASTMAP_MISSING else { return }
    let new = linked(link).map { objects[$0].id }
    policyCalls.append(
      PolicyCall(
        planned: planned, relationship: relationship, owner: objects[owner].id, new: new,
        isNull: link.tag == FASTMAP_NULL))
    link = fastmap_link()
  }

  func useObjects(
    _ link: inout fastmap_link, _ relationship: fastmap_plan_relationship
  ) throws(SystemError) {
    if link.tag == FASTMAP_NULL, link.policy == FASTMAP_MERGE { link.tag = UInt8(FASTMAP_MISSING) }
    guard link.tag != FASTMAP_MISSING else { return }
    let isMerge = link.policy == FASTMAP_MERGE
    // Owned targets that their owner no longer has are deleted under each policy.
    let destination = mappings[Int(relationship.destination)]
    let ownsAll = destination.key_attribute < 0 || destination.is_scoped
    // A to-one merge has room for one target: the new one replaces an owned one.
    let removesOld =
      link.policy == FASTMAP_ASSIGN || link.policy == FASTMAP_MERGE && !relationship.to_many
    if ownsAll || relationship.owns_keyless, removesOld {
      link.policy = UInt8(FASTMAP_REPLACE)
      link.spares_keyed = !ownsAll
    }
    guard link.tag == FASTMAP_OCCURRENCES else { return }
    if relationship.to_many, fault(of: link) != nil { link.policy = UInt8(FASTMAP_MERGE) }
    let found = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
    let targets = try allocate(UInt64.self, found.count)
    var count = 0
    for index in found where isLinked(Int(index)) {
      targets[count] = UInt64(occurrences[Int(index)].object)
      count += 1
    }
    if relationship.to_many {
      link.tag = UInt8(FASTMAP_OBJECTS)
      link.length = UInt32(count)
      link.objects = UnsafePointer(targets)
    } else if count == 0 {
      // A target that is deleted leaves none. An unresolved weak reference changes nothing.
      link.tag = UInt8(!isMerge && isCleared(link) ? FASTMAP_NULL : FASTMAP_MISSING)
    } else {
      link.tag = UInt8(FASTMAP_OBJECT)
      link.object = targets[0]
    }
  }
}
