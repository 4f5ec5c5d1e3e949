/// Shows the results of an import in the instances of a context.
extension ContextLoader {
  /// Makes new instances the objects that are stored with their keys, and reads all objects again.
  func adoptImported<R: StoreReader>(_ done: ContextImport, from reader: inout R) throws {
    var adopted: [Int: [ContextMember]] = [:]
    for (member, id, _) in keepingKeys(done.adopted) where graph[member.entity].present(id) == nil {
      graph.inserted.remove(member.instance)
      member.id = id
      graph.add(member, to: graph[member.entity])
      adopted[member.entity, default: []].append(member)
    }
    var blanks = InitialValues(graph)
    for (number, members) in adopted.sorted(by: { $0.key < $1.key }) {
      var rows: [ObjectID: OwnedRow] = [:]
      try reader.copyRows(members.map(\.id).sortedUnique(), of: number, fields: graph[number].fieldCount) {
        rows[$0] = $1
      }
      for member in members {
        guard let row = rows[member.id] else { continue }
        try adopt(member, row, done.answered(member), &blanks)
      }
    }
    _ = try refresh(graph.all.filter { !$0.isGone }, from: &reader, settle: forget)
  }

  /// Leaves out new objects that have another key now, as the caller has edited them meanwhile.
  private func keepingKeys(_ adopted: [ContextImport.Adopted]) -> [ContextImport.Adopted] {
    if adopted.allSatisfy({ $0.key == nil }) { return adopted }
    // Edits that no save could write may hide a new key. The next import finds the objects again.
    var keys = (try? ContextChanges(graph)).map { NewObjectKeys($0) }
    return adopted.filter { $0.key == nil || keys?.key(of: $0.member) == $0.key }
  }

  /// Shows the stored values of a new object. Values that the caller has set are edits of its defaults, and of relationships
  /// without targets.
  ///
  /// - Parameter answered: The fields that the payload has for a filled instance. The instance shows these.
  private func adopt(
    _ member: ContextMember, _ row: OwnedRow, _ answered: Set<Int>, _ blanks: inout InitialValues
  ) throws {
    let entity = graph[member.entity]
    let traits = graph.plan.traits
    let shown = traits.keyFields[entity.number] + traits.partFields[entity.number] + answered
    var now = RowBuffer()
    now.reset(count: entity.fieldCount)
    var edited: Set<Int> = []
    for property in entity.properties {
      let field = property.field
      if !shown.contains(field), !blanks.isBlank(property, of: member.instance, entity) {
        edited.insert(field)
      } else if !property.access.set(member.instance, property.shown(row[field])) {
        recordUnreadable(field, holding: row[field], of: member)
      }
      now.set(property.access, of: member.instance, at: field)
    }
    try now.checkWhole()
    try keepValues(member, entity) { field in
      let initial = entity.defaults[field] ?? .null
      return edited.contains(field) ? (initial, initial) : (row[field], now.row[field])
    }
    for (position, link) in entity.links.enumerated() {
      member.set([], at: position)
      // Targets that the initialiser has made, or that the payload has.
      let isSet = !link.access.get(member.instance).isEmpty
      let isShown = shown.contains(link.field) || blanks.isBlank(link, of: member.instance, entity)
      if isSet, !link.isInverse, isShown { link.access.set(member.instance, nil) }
    }
  }

  /// Removes objects that are not stored any more.
  ///
  /// An object that the caller has edited stays, and so does an edited relationship that refers to one. The next save
  /// reports both.
  ///
  /// - Parameter isEdited: Whether the next save would write or delete an object.
  func forget(
    _ gone: [ContextMember], isEdited: (ContextMember) throws -> Bool
  ) throws {
    try graph.remove(gone.filter { try !$0.isGone && !isEdited($0) }, keepsEdited: true)
  }

  func forget(_ gone: [ContextMember]) throws { try forget(gone, isEdited: graph.isEdited) }
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
