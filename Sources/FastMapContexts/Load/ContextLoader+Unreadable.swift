internal import CFastMap

/// The objects that a use of a context could not show, because a property cannot hold a stored value.
struct UnreadableMembers {
  /// The rule for the objects that are read now.
  var rule = UnreadableRule.fail
  private(set) var first: UnreadableValueError?
  private var objects: Set<ObjectIdentity> = []

  var isEmpty: Bool { objects.isEmpty }

  func contains(_ object: ObjectIdentity) -> Bool { objects.contains(object) }

  mutating func record(_ object: ObjectIdentity, _ error: () -> UnreadableValueError) {
    let isNew = objects.insert(object).inserted
    if case .skip(let unreadable) = rule {
      if isNew { unreadable.record(error) }
    } else if first == nil {
      first = error()
    }
  }

  /// Names the first object by its place, unless it has a key.
  mutating func setTitle(_ title: (UnreadableValueError) -> String?) {
    guard let error = first, error.key == nil, let title = title(error) else { return }
    first?.title = title
  }
}

/// Objects that cannot be shown stay as they are, and so do the relationships that have one: a save of a list without it would lose
/// it. All others are read, and then the call throws.
extension ContextLoader {
  /// Reads, and throws the error of the first object that could not be shown.
  func reading<R>(_ body: () throws -> R) throws -> R {
    unreadable = UnreadableMembers()
    let result = try body()
    try throwUnreadable()
    return result
  }

  /// - Parameter report: The report of a save or an import that is stored already.
  func throwUnreadable(_ report: ImportReport? = nil) throws(UnreadableValueError) {
    guard var error = unreadable.first else { return }
    error.report = report
    throw error
  }

  /// Reads objects, and relationships of them.
  ///
  /// - Parameter rule: The rule for objects that cannot be shown. A target that cannot be shown is always an error.
  func members<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ tree: IncludeTree, _ rule: UnreadableRule, from reader: inout R
  ) throws -> [ContextMember] {
    unreadable.rule = rule
    defer { unreadable.rule = .fail }
    let members = try members(ids, of: entity, from: &reader).compactMap(\.self)
    unreadable.rule = .fail
    try include(tree, of: members, from: &reader)
    return members
  }

  /// Records an object that the context does not have.
  func recordUnreadable(_ field: Int, of row: Row, _ id: ObjectID, _ entity: ContextEntity) {
    let key = row.key(in: graph.plan.traits.keyFields[entity.number])
    unreadable.record(.init(entity: entity.number, id: id)) { [plan = graph.plan] in
      UnreadableValueError(
        field, holding: row[field], of: plan.schema.entities[entity.number], plan.classes[entity.number], id,
        key: key)
    }
  }

  /// Records an object of the context that cannot show a stored value.
  func recordUnreadable(_ field: Int, holding value: Field, of member: ContextMember) {
    unreadable.record(member.object) { [graph] in
      let key = graph.key(of: member)
      return UnreadableValueError(
        field, holding: value, of: graph.schema.entities[member.entity], graph.plan.classes[member.entity],
        member.id, key: key,
        title: ObjectNames(graph).title(of: member, key: key), instance: member.instance)
    }
  }

  /// Leaves out the relationships that have an object which cannot be shown.
  func leaveOutUnreadable(_ found: inout [Found]) {
    if unreadable.isEmpty { return }
    unreadable.setTitle { error in
      for found in found where graph.schema.entities[found.link.target].name == error.entity {
        for (owner, ids) in zip(found.owners, found.lists) {
          guard let index = ids?.firstIndex(of: error.id) else { continue }
          let title = ObjectNames(graph).title(of: owner, key: graph.key(of: owner))
          return title + graph.step(found.link, of: owner.entity, index)
        }
      }
      return nil
    }
    for place in found.indices {
      let target = found[place].link.target
      for (index, ids) in found[place].lists.enumerated() {
        let isOut = ids?.contains { unreadable.contains(.init(entity: target, id: $0)) } ?? false
        if isOut { found[place].lists[index] = nil }
      }
    }
  }
}
