internal import CFastMap

/// Reads the objects of a context, level by level, in sets.
///
/// Each level takes two questions for each of its entities: the targets of the relationships that are included, and the rows of
/// targets that the context does not have. Nesting uses the heap, not the stack.
final class ContextLoader {
  let graph: ContextGraph
  /// Whether a save or an import waits for its transaction. Until then, nothing else may use the graph.
  var isSaving = false { didSet { wake() } }
  /// Whether an awaiting read waits for the store. Until then, other awaiting reads wait for their turn.
  var isReading = false { didSet { wake() } }
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The save that is on a thread of its own; nil for none.
  var running: SaveApart?
  var turns = Turns()
  /// How often this context was used.
  var uses = 0
  /// Values as stored, and as properties show them. They keep their memory.
  var stored = RowBuffer()
  var shown = RowBuffer()

  /// The most owners of one question about their targets.
  private static let questionSize = 16_384

  /// The objects that the present use could not show. See ContextLoader+Unreadable.swift.
  var unreadable = UnreadableMembers()

  init(_ graph: ContextGraph) { self.graph = graph }

  /// Waits until a save, an import or an awaiting read is done. Another one may have begun before this task runs again.
  nonisolated(nonsending) func wait() async { await withCheckedContinuation { waiting.append($0) } }

  private func wake() {
    for waiter in waiting { waiter.resume() }
    waiting = []
  }

  // MARK: Objects

  /// The objects with some numbers, in order; nil for each that is not stored. Known objects stay as they are.
  func members<R: StoreReader>(
    _ ids: [ObjectID], of number: Int, from reader: inout R
  ) throws -> [ContextMember?] {
    let entity = graph[number]
    try make(ids, of: entity, from: &reader)
    return ids.map { entity.present($0) }
  }

  /// Makes instances of objects that the context does not have.
  func make<R: StoreReader>(
    _ ids: [ObjectID], of entity: ContextEntity, from reader: inout R
  ) throws {
    let missing = ids.filter { entity.present($0) == nil }
    if missing.count == 1, !reader.prefersSets {
      try reader.withRow(missing[0], of: entity.number) { row in
        try row.check(fields: entity.fieldCount)
        try make(missing[0], row, entity)
      }
    } else if !missing.isEmpty {
      // Where questions are cheap, objects are read in their order in the store's answer: the store may remember them.
      let missing = reader.prefersSets ? missing.sortedUnique() : missing
      try reader.read(missing, of: entity.number) { index, row in
        try row.check(index, of: missing, fields: entity.fieldCount)
        if entity.present(missing[index]) == nil { try make(missing[index], row, entity) }
      }
    }
  }

  private func make(_ id: ObjectID, _ row: Row, _ entity: ContextEntity) throws {
    let instance = entity.make(row)
    // Targets from the initialiser are no edits of the caller.
    for link in entity.links where !link.access.get(instance).isEmpty { link.access.set(instance, nil) }
    stored.copy(row)
    shown.reset(count: entity.fieldCount)
    var isApart = false
    for property in entity.properties {
      // Null and missing are the same in a store: an optional property becomes nil, and any other shows its default.
      guard property.access.set(instance, property.shown(stored.row[property.field])) else {
        return recordUnreadable(property.field, of: stored.unsafeRow, id, entity)
      }
      shown.set(property.access, of: instance, at: property.field)
      if !shown.slots[property.field].isSame(as: stored.slots[property.field]) { isApart = true }
    }
    try keepValues(graph.add(instance, id, to: entity), entity, isApart: isApart)
  }

  /// Keeps the value of each field when it was read, and the value that its property showed then.
  func keepValues(
    _ member: ContextMember, _ entity: ContextEntity, _ values: (Int) -> (stored: Field, shown: Field)
  ) throws(SystemError) {
    stored.reset(count: entity.fieldCount)
    shown.reset(count: entity.fieldCount)
    var isApart = false
    for field in 0..<entity.fieldCount { stored.borrow(values(field).stored, at: field) }
    for property in entity.properties {
      shown.borrow(values(property.field).shown, at: property.field)
      if !shown.slots[property.field].isSame(as: stored.slots[property.field]) { isApart = true }
    }
    try keepValues(member, entity, isApart: isApart)
  }

  /// Keeps the values of both buffers.
  func keepValues(_ member: ContextMember, _ entity: ContextEntity, isApart: Bool) throws(SystemError) {
    try stored.checkWhole()
    try shown.checkWhole()
    member.set(
      stored: OwnedRow(stored.slots, count: entity.fieldCount),
      shown: isApart ? OwnedRow(shown.slots, count: entity.fieldCount) : nil)
  }

  // MARK: Relationships

  /// The targets of some owners, as the store has them.
  struct Found {
    let link: ClassRelationship
    let position: Int
    let owners: ArraySlice<ContextMember>
    /// Nil for an owner that is left out.
    var lists: [[ObjectID]?]

    mutating func leaveOut(_ ids: Set<ObjectID>) {
      for (place, owner) in owners.enumerated() where ids.contains(owner.id) { lists[place] = nil }
    }
  }

  /// Loads the relationships of a tree, unless they were loaded before.
  ///
  /// - Returns: The objects whose relationships cannot be loaded, because they are not stored any more.
  @discardableResult
  func include<R: StoreReader>(
    _ tree: IncludeTree, of roots: [ContextMember], from reader: inout R
  ) throws -> [ContextMember] {
    try include([(tree, roots)], from: &reader)
  }

  func include<R: StoreReader>(
    _ trees: [(tree: IncludeTree, owners: [ContextMember])], from reader: inout R
  ) throws -> [ContextMember] {
    var level = trees
    var gone: [ContextMember] = []
    while !level.isEmpty {
      var found: [Found] = []
      var new = ObjectLevel()
      for (tree, owners) in level {
        guard let entity = owners.first?.entity else { continue }
        let positions = tree.branches.map(\.position)
        if tree.isDeep { for owner in owners where owner.included != tree { owner.included.join(tree) } }
        var met: Set<ObjectID> = []
        let open = owners.filter { owner in
          positions.contains { owner.targets[$0] == nil } && met.insert(owner.id).inserted
        }
        var asked = try ask(positions, of: open, graph[entity], from: &reader, &new) { owner, position in
          owner.targets[position] == nil
        }
        let lost = try notStored(asked, entity, from: &reader)
        if !lost.isEmpty {
          gone += open.filter { lost.contains($0.id) }
          for place in asked.indices { asked[place].leaveOut(lost) }
        }
        found += asked
      }
      for entity in new.entities { try make(new[entity], of: graph[entity], from: &reader) }
      leaveOutUnreadable(&found)
      for found in found {
        for (owner, ids) in zip(found.owners, found.lists) {
          if let ids { show(ids, in: owner, found.position, found.link) }
        }
      }
      level = level.flatMap { tree, owners in
        tree.branches.compactMap { branch in
          branch.tree.branches.isEmpty
            ? nil : (branch.tree, reached(from: owners, branch.position))
        }
      }
    }
    return gone
  }

  /// The targets of relationships and inverses.
  ///
  /// - Parameters:
  ///   - new: Receives the targets that the context does not have.
  ///   - isWanted: Whether the relationship of an owner is asked for.
  func ask<R: StoreReader>(
    _ positions: [Int], of owners: [ContextMember], _ entity: ContextEntity, from reader: inout R,
    _ new: inout ObjectLevel, _ isWanted: (ContextMember, Int) -> Bool
  ) throws -> [Found] {
    if positions.isEmpty { return [] }
    var found: [Found] = []
    for start in stride(from: 0, to: owners.count, by: Self.questionSize) {
      let some = owners[start..<min(start + Self.questionSize, owners.count)]
      let links = positions.map { entity.links[$0] }
      let lists = try reader.links(
        of: some.map(\.id), entity: entity.number, links.map(\.field), in: graph.schema)
      for ((position, link), lists) in zip(zip(positions, links), lists) {
        let targets = graph[link.target]
        let wanted = zip(some, lists).map { owner, ids in isWanted(owner, position) ? ids : nil }
        for case let ids? in wanted {
          for id in ids where targets.present(id) == nil { new.append(id, of: link.target) }
        }
        found.append(Found(link: link, position: position, owners: some, lists: wanted))
      }
    }
    return found
  }

  /// Shows the targets of a relationship, and keeps targets that the caller had set before they were loaded.
  private func show(
    _ ids: [ObjectID], in owner: ContextMember, _ position: Int, _ link: ClassRelationship
  ) {
    let targets = graph[link.target]
    // Some may be gone: a reader that has no snapshot may see a deletion between two questions.
    let stored = ids.compactMap { targets.present($0) }
    owner.set(stored.map(\.id), at: position)
    let now = link.access.get(owner.instance)
    if now.isEmpty || link.isInverse {
      if !now.isEmpty || !stored.isEmpty { set(stored, in: owner, position, link) }
    } else if link.isToMany {
      let known = Set(stored.map { ObjectIdentifier($0.instance) })
      link.access.set(
        owner.instance, stored.map(\.instance) + now.filter { !known.contains(ObjectIdentifier($0)) })
    }
  }

  /// Sets a relationship to stored targets, and takes these as read.
  func set(
    _ targets: [ContextMember], in owner: ContextMember, _ position: Int, _ link: ClassRelationship
  ) {
    owner.set(targets.map(\.id), at: position)
    link.access.set(owner.instance, targets.isEmpty ? nil : targets.map(\.instance))
  }

  /// The objects that a loaded relationship had when it was read.
  func targets(of owner: ContextMember, _ position: Int) -> [ContextMember] {
    let link = graph[owner.entity].links[position]
    return owner.targets[position]?.compactMap { graph[link.target].member($0) } ?? []
  }

  /// The stored targets of a relationship of several owners, each once: the targets when it was read, and the
  /// targets that the caller has set since.
  func reached(from owners: [ContextMember], _ position: Int) -> [ContextMember] {
    owners.flatMap { targets(of: $0, position) + shown(by: $0, position) }.withoutRepeats
  }

  /// Whether each step of a path is loaded, for all stored objects on the way that the properties have now.
  func isLoaded(_ path: [Int], of member: ContextMember) -> Bool {
    var members = [member]
    for position in path {
      guard members.allSatisfy({ $0.isLoaded(position) }) else { return false }
      members = members.flatMap { shown(by: $0, position) }.withoutRepeats
    }
    return true
  }

  /// The stored objects that a relationship has now.
  func shown(by owner: ContextMember, _ position: Int) -> [ContextMember] {
    let link = graph[owner.entity].links[position]
    return link.access.get(owner.instance).compactMap { instance in
      graph.member(of: instance).flatMap { $0.entity == link.target ? $0 : nil }
    }
  }
}

extension fastmap_slot {
  /// Whether two values are the same, null and missing included.
  func isSame(as other: fastmap_slot) -> Bool {
    let (isEmpty, isOtherEmpty) = (
      kind == .missing || kind == .null, other.kind == .missing || other.kind == .null
    )
    return isEmpty || isOtherEmpty ? isEmpty == isOtherEmpty : isIdentical(to: other)
  }
}
