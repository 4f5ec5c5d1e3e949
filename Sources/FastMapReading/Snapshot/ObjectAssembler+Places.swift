extension ObjectAssembler {
  /// The place of a target in messages: `Book 1.chapters[2]`; nil if nothing refers to it.
  ///
  /// - Parameters:
  ///   - lists: The targets of owners, by relationship.
  ///   - owners: The places of the owners among the instances.
  func place(
    of id: ObjectID, _ entity: Int, in lists: some Sequence<(ClassRelationship, [[ObjectID]])>,
    _ owners: [Int?], _ instances: EntityInstances
  ) -> String? {
    for (link, lists) in lists where link.target == entity {
      for (owner, ids) in zip(owners, lists) {
        guard let owner, let index = ids.firstIndex(of: id) else { continue }
        return title(of: instances[owner], entity: instances) + step(link, of: instances.entity, index)
      }
    }
    return nil
  }

  private func title(of instance: AnyObject, entity instances: EntityInstances) -> String {
    var key: PrimaryKey?
    if let access = instances.keyAccess {
      var buffer = RowBuffer()
      buffer.reset(count: 1)
      buffer.set(access, of: instance, at: 0)
      key = buffer.row[0].key
    }
    return ContextError.title(instances.entity.name, key)
  }

  private func step(_ link: ClassRelationship, of entity: Schema.Entity, _ index: Int) -> String {
    let name = entity.inverse(link.field)?.name ?? entity.fields[link.field].name
    return ".\(escaped(name))\(link.isToMany ? "[\(index)]" : "")"
  }
}

extension UnreadableValueError {
  /// - Parameters:
  ///   - row: The stored values of the object.
  ///   - place: The place of an object without a key in messages.
  init(
    _ field: Int, of row: Row, _ id: ObjectID, _ plan: Plan, _ entity: Int, _ place: (ObjectID) -> String?
  ) {
    let layout = plan.schema.entities[entity]
    let key = layout.keyField.flatMap { row[$0].key }
    self.init(
      field, holding: row[field], of: layout, plan.classes[entity], id, key: key,
      title: key == nil ? place(id) : nil)
  }
}
