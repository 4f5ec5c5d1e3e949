/// Shows the results of an import in the instances of a context.
extension ContextLoader {
  /// Makes new instances the objects that are stored with their keys, and reads all objects again.
  func take<R: StoreReader>(_ done: ContextImport, from reader: inout R) throws {
    writes += 1
    var adopted: [ContextMember] = []
    for (member, id) in done.adopted where graph[member.entity].member(id) == nil {
      graph.inserted.remove(member.instance)
      member.id = id
      graph.add(member, to: graph[member.entity])
      adopted.append(member)
    }
    var blanks = InitialValues(graph)
    for member in adopted { try adopt(member, &blanks) }
    _ = try refresh(graph.all.filter { !$0.isGone }, from: &reader, settle: forget)
  }

  /// Takes a new object as one that was read with its defaults, and without targets. Values that the caller has set are
  /// edits then.
  private func adopt(_ member: ContextMember, _ blanks: inout InitialValues) throws {
    let entity = graph[member.entity]
    let keys = graph.plan.traits.keyFields[entity.number]
    var now = RowBuffer()
    now.reset(count: entity.fieldCount)
    var unset: Set<Int> = []
    for property in entity.properties {
      now.set(property.access, of: member.instance, at: property.field)
      if blanks.isBlank(property, of: member.instance, entity) { unset.insert(property.field) }
    }
    try now.checkWhole()
    try note(member, entity) { field in
      let (initial, now) = (entity.defaults[field] ?? .null, now.row[field])
      return keys.contains(field) ? (now, now) : (initial, unset.contains(field) ? now : initial)
    }
    for (position, link) in entity.links.enumerated() {
      member.set([], at: position)
      // Targets that the initialiser has made.
      let isSet = !link.access.get(member.instance).isEmpty
      if isSet, !link.isInverse, blanks.isBlank(link, of: member.instance, entity) {
        try set([], of: member, position)
      }
    }
  }

  /// Removes objects that are not stored any more.
  ///
  /// An object that the caller has edited stays, and so does an edited relationship that refers to one. The next save
  /// reports both.
  func forget(_ gone: [ContextMember]) throws {
    try noteObserved()
    let gone = try gone.filter { try !$0.isGone && !isEdited($0) }
    try graph.remove(gone) { member, position, left throws(SystemError) in
      let link = graph[member.entity].links[position]
      if link.isInverse || isShown(link.access.get(member.instance), position, link, of: member) {
        try set(left, of: member, position)
      }
    }
    try noteObserved()
  }

  /// Whether the next save would write or delete an object.
  private func isEdited(_ member: ContextMember) throws(SystemError) -> Bool {
    if member.isDeleted { return true }
    if try values(of: member, unlike: member.shown) != nil { return true }
    return graph[member.entity].links.enumerated().contains { position, link in
      !link.isInverse && !isShown(link.access.get(member.instance), position, link, of: member)
    }
  }
}

extension ContextGraph {
  /// Objects to read with their loaded relationships.
  func roots(of members: [ContextMember]) -> [GatheredReader.Root] {
    Dictionary(grouping: members, by: \.entity).map { number, members in
      let loaded = self[number].links.indices.filter { position in members.contains { $0.isLoaded(position) }
      }
      return GatheredReader.Root(
        entity: number, ids: members.map(\.id).sortedUnique(),
        tree: IncludeTree(loaded.map { [$0] }, joining: members))
    }
  }
}
