internal import CFastMap

extension ContextSave {
  /// Refuses members for ``Attribute/rest(_:)`` that an import would not keep. They would not survive an export.
  ///
  /// - Parameter field: Any field of the object.
  func checkRest(_ field: Int, of member: ContextMember, _ slot: fastmap_slot) throws(ContextError) {
    guard plan.traits.hasRest, slot.tag == FASTMAP_JSON else { return }
    let rests = plan.mappings.compactMap { planned in
      planned.entity == member.entity
        ? planned.rest.flatMap { planned.attributeFields[$0.attribute] == field ? $0 : nil } : nil
    }
    // A mapping that does not know the kind yet reads no members.
    let levels = rests.map(\.read).filter { !$0.members.isEmpty }
    let stored = member.stored.flatMap { row in
      row.slots[field].tag == FASTMAP_JSON ? Array(row.slots[field].span) : nil
    }
    guard !rests.isEmpty, let found = RestMembers.misfit(in: Array(slot.span), over: stored, levels)
    else { return }
    let (entity, key) = (schema.entities[member.entity], key(of: member))
    throw ContextError.wrongValue(
      entity: entity.name, key: key, title: titles.title(of: member, key: key, isNew: member.isNew),
      field: entity.fields[field].name, expected: found.expected, found: found.found)
  }
}
