internal import CFastMap

/// The values and the targets that the properties of an instance had at some moment.
struct InstanceState {
  private let row: OwnedRow
  private let targets: [[ObjectIdentifier]]

  init(_ member: ContextMember, in graph: ContextGraph) throws(SystemError) {
    row = try graph.values(of: member)
    targets = graph[member.entity].links.map { $0.access.get(member.instance).map { ObjectIdentifier($0) } }
  }

  /// The attributes and relationships that have other values now.
  func changes(of member: ContextMember, in graph: ContextGraph) throws(SystemError) -> [Int] {
    let entity = graph[member.entity]
    let edited = try graph.edits(of: member) { row.slots[$0] }.map { entity.properties[$0].field }
    return edited
      + zip(entity.links, targets).filter { link, targets in
        !link.isInverse
          && !link.access.shape.isSame(
            link.access.get(member.instance).map { ObjectIdentifier($0) }, as: targets)
      }.map(\.0.field)
  }
}

extension ContextGraph {
  /// Refuses edits of objects after they were deleted. A save could not store them.
  ///
  /// An instance that the caller has made is theirs again once its object is deleted.
  ///
  /// - Throws: ``ContextError``.
  func checkDeleted() throws {
    for member in all where member.isDeleted { try checkDeleted(member) }
    for member in gone.values where !member.isCallers && !inserted.contains(member.instance) {
      try checkDeleted(member)
    }
  }

  private func checkDeleted(_ member: ContextMember) throws {
    guard let changed = try member.lastState?.changes(of: member, in: self), !changed.isEmpty else { return }
    // The context may have shown other stored values since.
    let edited = Set(try editedFields(of: member))
    guard let field = changed.first(where: edited.contains) else { return }
    let (entity, key) = (schema.entities[member.entity], key(of: member))
    throw ContextError.deletedEdit(
      entity: entity.name, key: key, title: ObjectNames(self).title(of: member, key: key),
      field: entity.fields[field].name)
  }
}
