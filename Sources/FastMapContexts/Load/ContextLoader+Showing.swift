internal import CFastMap

/// The objects whose properties the context sets, and the objects that observers of these properties may change.
struct ObservedChanges {
  /// The caller's edits of an object before the context set any of its properties.
  struct Before {
    let member: ContextMember
    /// The values of its properties; nil for an object without edits.
    var row: OwnedRow?
    /// The targets of edited relationships, and of relationships that the context has set since, by position.
    var targets: [Int: [ObjectIdentifier]] = [:]
  }

  private var all: [Before] = []

  /// Adds an object without edits.
  mutating func add(_ member: ContextMember) { add(Before(member: member)) }

  mutating func add(_ before: Before) {
    before.member.watchPlace = all.count
    all.append(before)
  }

  /// Records the targets of a relationship once the context has set it.
  ///
  /// - Parameter targets: Nil if they are taken as read.
  mutating func recordTargets(_ targets: [AnyObject]?, _ position: Int, of member: ContextMember) {
    guard let place = member.watchPlace, targets != nil || !all[place].targets.isEmpty else { return }
    all[place].targets[position] = targets?.map { ObjectIdentifier($0) }
  }

  /// Keeps the targets of a relationship before other ones are taken as read. Does nothing if they are known.
  mutating func keep(_ targets: @autoclosure () -> [AnyObject], _ position: Int, of member: ContextMember) {
    guard let place = member.watchPlace, all[place].targets[position] == nil else { return }
    all[place].targets[position] = targets().map { ObjectIdentifier($0) }
  }

  mutating func end() -> [Before] {
    for before in all { before.member.watchPlace = nil }
    defer { all = [] }
    return all
  }
}

/// Sets properties of instances. An observer may change the property, other properties, and objects that it refers to.
/// None of these changes is an edit of the caller. Observers that reach further make edits.
///
///     willSet ──▶ set a property ──▶ … ──▶ recordObserved
///     note the edits                       observers have made all changes that the context has not
///
/// Watching reads the loaded lists of each target. Reading one by one the objects that refer to a hub with a loaded
/// inverse takes the square of their number. One read of all takes linear time.
extension ContextLoader {
  /// Sets a relationship to stored targets, and to others after them, and takes these targets as read.
  func set(
    _ targets: [ContextMember], and own: [AnyObject] = [], in owner: ContextMember, _ position: Int,
    _ link: ClassRelationship
  ) throws(SystemError) {
    let instances = own.isEmpty ? targets.map(\.instance) : targets.map(\.instance) + own
    try put(instances, in: owner, link)
    let now = link.access.get(owner.instance)
    watched.recordTargets(own.isEmpty ? nil : now, position, of: owner)
    let ids = targets.map(\.id)
    if link.access.shape.isSame(now, as: instances) { return owner.set(ids, at: position) }
    let callers = Set(own.map { ObjectIdentifier($0) })
    let shown = now.filter { !callers.contains(ObjectIdentifier($0)) }
    owner.set(ids, shown: shown.compactMap { stored($0, of: link)?.id }, at: position)
  }

  /// Marks stored targets as read, and leaves the property alone. The property may show the targets read before.
  func markAsRead(_ ids: [ObjectID], shown: [ObjectID]? = nil, of member: ContextMember, _ position: Int) {
    watched.keep(shownInstances(position, of: member), position, of: member)
    member.set(ids, shown: shown, at: position)
  }

  /// Sets a relationship, and takes nothing as read.
  func set(_ instances: [AnyObject], of member: ContextMember, _ position: Int) throws(SystemError) {
    let link = graph[member.entity].links[position]
    try put(instances, in: member, link)
    watched.recordTargets(link.access.get(member.instance), position, of: member)
  }

  private func put(
    _ instances: [AnyObject], in member: ContextMember, _ link: ClassRelationship
  ) throws(SystemError) {
    try willSet(member, instances)
    link.access.set(member.instance, instances.isEmpty ? nil : instances)
  }

  /// Removes objects that are not stored any more, also from the relationships of the others.
  func remove(_ gone: [ContextMember]) throws(SystemError) {
    try graph.remove(gone) { member, position, left throws(SystemError) in
      try set(left, of: member, position)
    }
  }

  func removeForgotten() throws(SystemError) {
    try remove(Array(graph.forgotten.values))
    graph.forgotten = [:]
    try recordObserved()
  }

  /// Watches an object, its targets and its future targets, before a property is set.
  func willSet(_ member: ContextMember, _ instances: [AnyObject] = []) throws(SystemError) {
    guard member.hasObservers else { return }
    if member.watchPlace == nil {
      try watch(member)
      for link in graph[member.entity].links { try watch(link.access.get(member.instance)) }
    }
    try watch(instances)
  }

  private func watch(_ instances: [AnyObject]) throws(SystemError) {
    for instance in instances {
      if let member = graph.member(of: instance), member.hasObservers, member.watchPlace == nil {
        try watch(member)
      }
    }
  }

  private func watch(_ member: ContextMember) throws(SystemError) {
    // The caller cannot have edited an object that this use has made.
    if member.madeAt == use { return watched.add(member) }
    var before = ObservedChanges.Before(member: member)
    // The values read may change before a property does, so they are kept.
    before.row = try values(of: member, unlike: member.shown) ?? member.shown
    for (position, link) in graph[member.entity].links.enumerated() {
      let now = link.access.get(member.instance)
      if !isShown(now, position, link, of: member) {
        before.targets[position] = now.map { ObjectIdentifier($0) }
      }
    }
    watched.add(before)
  }

  /// Records observers' changes of watched objects: values that were neither read, nor edited by the caller, nor set by
  /// the context.
  func recordObserved() throws(SystemError) {
    for before in watched.end() where !before.member.isGone && before.member.hasObservers {
      let member = before.member
      try recordValues(of: member, since: before.row)
      for (position, link) in graph[member.entity].links.enumerated() {
        let now = link.access.get(member.instance)
        let isSame =
          if let old = before.targets[position] {
            link.access.shape.hasSame(now.map { ObjectIdentifier($0) }, as: old)
          } else {
            isShown(now, position, link, of: member)
          }
        if !isSame { recordObserved(position, link, of: member) }
      }
    }
  }

  /// Records the present targets of a relationship as shown by observers. If one is not stored, they stay the caller's to
  /// save.
  func recordObserved(_ position: Int, _ link: ClassRelationship, of member: ContextMember) {
    let now = link.access.get(member.instance)
    let shown = now.compactMap { stored($0, of: link)?.id }
    if shown.count == now.count { member.setShown(shown, at: position) }
  }

  private func recordValues(of member: ContextMember, since before: OwnedRow?) throws(SystemError) {
    guard let stored = member.stored, let shown = member.shown else { return }
    let before = before ?? shown
    guard let now = try values(of: member, unlike: before) else { return }
    try keepValues(member, graph[member.entity]) { field in
      let isObserved = !now.slots[field].isSame(as: before.slots[field])
      return (stored[field], isObserved ? now[field] : shown[field])
    }
  }

  /// The object of an instance that may be a target of a relationship.
  func stored(_ instance: AnyObject, of link: ClassRelationship) -> ContextMember? {
    graph.member(of: instance).flatMap { $0.entity == link.target && !$0.isNew ? $0 : nil }
  }

  /// Whether instances equal a property's targets when it was read.
  func isShown(
    _ now: [AnyObject], _ position: Int, _ link: ClassRelationship, of member: ContextMember
  ) -> Bool {
    guard let ids = member.shownTargets(position), !ids.isEmpty else { return now.isEmpty }
    let targets = graph[link.target]
    return link.access.shape.isSame(now, as: ids.lazy.compactMap { targets.member($0)?.instance })
  }

  private func shownInstances(_ position: Int, of member: ContextMember) -> [AnyObject] {
    let targets = graph[graph[member.entity].links[position].target]
    return (member.shownTargets(position) ?? []).compactMap { targets.member($0)?.instance }
  }

  /// The values of an instance's properties; nil if they equal a row.
  ///
  /// - Parameter row: Nil for a new object, before anything of it is read. All its values are the caller's.
  func values(of member: ContextMember, unlike row: OwnedRow?) throws(SystemError) -> OwnedRow? {
    let entity = graph[member.entity]
    var isSame = row != nil
    before.reset(count: entity.fieldCount)
    for property in entity.properties {
      before.set(property.access, of: member.instance, at: property.field)
      if let row, !before.slots[property.field].isSame(as: row.slots[property.field]) { isSame = false }
    }
    try before.checkWhole()
    return isSame ? nil : OwnedRow(before.slots, count: entity.fieldCount)
  }
}

extension ContextMember {
  /// Whether properties of its instance may have observers. Records have none.
  fileprivate var hasObservers: Bool { record == nil }
}
