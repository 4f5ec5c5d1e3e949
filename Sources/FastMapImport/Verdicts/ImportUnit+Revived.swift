internal import CFastMap

extension ImportUnit {
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
}
