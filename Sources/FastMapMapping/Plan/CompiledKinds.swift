package import CFastMap

extension fastmap_plan_mapping {
  /// Adds the choice that the mapping takes part in.
  package mutating func add(
    _ kinds: PlannedKinds, of number: Int, _ mappings: [PlannedMapping], _ traits: FieldTraits,
    _ arena: inout fastmap_arena
  ) {
    let planned = mappings[number]
    guard let attribute = planned.choosingAttribute else { return }
    let values = kinds.values.sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }
    let (otherwise, mapping) =
      switch kinds.otherwise {
      case .error: (FASTMAP_KINDLESS_ERROR, 0)
      case .skip: (FASTMAP_KINDLESS_SKIP, 0)
      case .mapping(let mapping): (FASTMAP_KINDLESS_MAPPING, mapping)
      }
    let outer = planned.mapping.attributes[attribute].outerPath
    let choice = fastmap_plan_kinds(
      origin: outer?.origin.code ?? 0,
      outer: outer.flatMap { CompiledPlan.compile(MemberTree.way($0), &arena) },
      path: CompiledPlan.compile(MemberTree.members(of: [.attribute(attribute)], planned.mapping), &arena),
      count: UInt32(values.count),
      values: arena.copy(
        values.map {
          fastmap_plan_kind(
            value: arena.copy(text: $0.value), length: UInt32($0.value.utf8.count),
            mapping: UInt32($0.mapping))
        }),
      otherwise: UInt8(otherwise), otherwise_mapping: UInt32(mapping))
    self.kinds = UnsafePointer(arena.copy([choice]))
    is_kind = kinds.isKind
    if kinds.isKind { blank = UnsafePointer(arena.copy(blank(kinds, number, mappings, traits, &arena))) }
  }

  /// The row of a kind before anything is read: its name, its value if it has only one, and null where only other kinds have fields.
  private func blank(
    _ kinds: PlannedKinds, _ number: Int, _ mappings: [PlannedMapping], _ traits: FieldTraits,
    _ arena: inout fastmap_arena
  ) -> [fastmap_slot] {
    let (planned, union) = (mappings[number], mappings[kinds.union])
    var row = [fastmap_slot](repeating: fastmap_slot(), count: Int(field_count))
    let own = Set(planned.attributeFields + planned.relationshipFields)
    for field in union.attributeFields where !own.contains(field) { row[field].tag = UInt8(FASTMAP_NULL) }
    for (index, field) in union.relationshipFields.enumerated() where !own.contains(field) {
      row[field].tag = UInt8(FASTMAP_NULL)
      let destination = mappings[union.destinations[index]].mapping
      let ownsAll = destination.primaryKey == nil || destination.isScoped
      guard ownsAll || traits.ownsKeyless(field, of: union.entity) else { continue }
      row[field].policy = UInt8(FASTMAP_REPLACE)
      row[field].spares_keyed = !ownsAll
    }
    if let field = planned.kindField { row[field] = arena.copy(.string(planned.mapping.name)) }
    let values = kinds.values(of: number)
    let isOtherwise = if case .mapping(number) = kinds.otherwise { true } else { false }
    // Without one of the values, an export could not be read.
    if values.count == 1 || values.count > 1 && !isOtherwise, let attribute = planned.choosingAttribute {
      row[planned.attributeFields[attribute]] = arena.copy(.string(values[0]))
    }
    return row
  }
}
