internal import CFastMap

extension ImportUnit {
  /// Finds the new objects with a scoped key that a later occurrence of their owner has dropped. Only while the rows refer to
  /// objects of the unit.
  func findDropped() {
    var linked: Set<Int> = []
    for object in objects {
      guard let row = object.row else { continue }
      for (field, layout) in plan.schema.entities[object.entity].fields.enumerated() {
        guard let target = layout.kind.target?.entity, plan.traits.isScoped[target] else { continue }
        linked.formUnion(self.linked(row[field].link))
      }
    }
    for (number, object) in objects.enumerated()
    where object.isMet && !object.isStored && plan.traits.isScoped[object.entity] && !linked.contains(number)
    {
      let holder = ChangeBatch.Holder(owner: .unset, entity: object.entity, field: -1)
      dropped.append(.init(id: object.id, entity: object.entity, isOwned: false, holder: holder))
    }
  }
}
