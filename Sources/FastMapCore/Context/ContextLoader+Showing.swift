internal import CFastMap

/// Notes what properties show when the context has set them. An observer may have changed what was set, and other properties. That
/// is no edit of the caller.
extension ContextLoader {
  /// Sets a relationship to stored targets, and to others behind them, and notes what its property shows of the stored ones.
  func set(
    _ targets: [ContextMember], and own: [AnyObject] = [], in owner: ContextMember, _ position: Int,
    _ link: ClassRelationship
  ) {
    let instances = targets.map(\.instance) + own
    link.access.set(owner.instance, instances.isEmpty ? nil : instances)
    let now = link.access.get(owner.instance)
    let isAsSet = link.access.shape.hasSame(
      now.map { ObjectIdentifier($0) }, as: instances.map { ObjectIdentifier($0) })
    let ids = targets.map(\.id)
    if isAsSet { return owner.set(ids, at: position) }
    let known = Set(ids)
    let shown = now.compactMap { graph.member(of: $0)?.id }.filter { known.contains($0) }
    owner.set(ids, shown: shown, at: position)
  }

  /// The values of properties that the caller has edited, before the context sets others of the same instances.
  func edited(_ members: [ContextMember]) throws(SystemError) -> [ObjectIdentifier: RowCopy] {
    var edited: [ObjectIdentifier: RowCopy] = [:]
    for member in members where member.hasObservers && member.madeAt != use {
      if let read = member.shown, let now = try values(of: member, unlike: read) {
        edited[ObjectIdentifier(member)] = now
      }
    }
    return edited
  }

  /// Notes what properties show that differ from what they showed before.
  ///
  /// - Parameter edited: What those showed that the caller had edited.
  func noteObserved(
    _ members: [ContextMember], _ edited: [ObjectIdentifier: RowCopy] = [:]
  ) throws(SystemError) {
    for member in members where member.hasObservers {
      guard let stored = member.stored, let shown = member.shown else { continue }
      let before = edited[ObjectIdentifier(member)] ?? shown
      guard let now = try values(of: member, unlike: before) else { continue }
      try note(member, graph[member.entity]) { field in
        let isObserved = !now.slots[field].isSame(as: before.slots[field])
        return (stored[field], isObserved ? now[field] : shown[field])
      }
    }
  }

  /// The values of the properties of an instance; nil if they are those of a row.
  private func values(of member: ContextMember, unlike row: RowCopy) throws(SystemError) -> RowCopy? {
    let entity = graph[member.entity]
    var isSame = true
    shown.reset(count: entity.fieldCount)
    for property in entity.properties {
      shown.set(property.access, of: member.instance, at: property.field)
      if !shown.slots[property.field].isSame(as: row.slots[property.field]) { isSame = false }
    }
    try shown.checkWhole()
    return isSame ? nil : RowCopy(shown.slots, count: entity.fieldCount)
  }
}

extension ContextMember {
  /// Whether properties of its instance may have observers. Records have none, and those of kept instances are not the context's.
  fileprivate var hasObservers: Bool { !isKept && record == nil }
}
