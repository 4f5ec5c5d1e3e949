internal import CFastMap

extension CompiledPlan {
  /// The values that say of an object that it is deleted; nil where a mapping has none.
  static func deletion(
    of mapping: MappingDefinition, _ arena: inout fastmap_arena
  ) -> UnsafePointer<fastmap_plan_deletion>? {
    func place(of name: String?) -> Int? {
      name.flatMap { name in mapping.attributes.firstIndex { NameIndex.isSame($0.name, name) } }
    }
    guard let deletedBy = mapping.deletedBy, let attribute = place(of: deletedBy.attribute) else {
      return nil
    }
    let isBoolean = mapping.attributes[attribute].type.kind == .boolean
    let values = (deletedBy.values ?? (isBoolean ? [true] : [])).map { arena.copy($0) }
    let deletion = fastmap_plan_deletion(
      attribute: UInt32(attribute),
      path: compile(MemberTree.members(of: [.attribute(attribute)], mapping), &arena),
      newer: place(of: mapping.newerBy).map(Int32.init) ?? -1, count: UInt32(values.count),
      values: arena.copy(values))
    return UnsafePointer(arena.copy([deletion]))
  }
}
