internal import CFastMap

/// Instances that the store keeps. They are its objects, so edits show at once, and what another writer deletes stays behind as an
/// instance that is no object.
extension ContextLoader {
  // MARK: What the store has lost

  /// Notes the objects that are not stored any more. Relationships are not compared with them, nor set back to them.
  ///
  /// - Complexity: O(*n*) in the instances of the context and their targets.
  func lookOver<R: StoreReader>(from reader: inout R) {
    keptNumbers = nil
    let kept = graph.all.filter { $0.isKept && !$0.isGone }
    for member in kept where !member.isLost {
      member.isLost = reader.instance(member.id, of: member.entity) !== member.instance
    }
    for member in kept {
      for (position, link) in graph[member.entity].links.enumerated()
      where !link.isInverse && position < member.keptIDs.count {
        forgetLost(position, of: member, link.target, from: &reader)
      }
    }
    noteInverses(from: &reader)
  }

  private func forgetLost<R: StoreReader>(
    _ position: Int, of member: ContextMember, _ target: Int, from reader: inout R
  ) {
    let ids = member.keptIDs[position]
    let lost = member.keptTargets[position].filter { instance in
      ids[ObjectIdentifier(instance)].map { reader.instance($0, of: target) !== instance } ?? false
    }
    if lost.isEmpty { return }
    for instance in lost where graph.member(of: instance) == nil && graph.goneMember(of: instance) == nil {
      let unread = graph.newMember(instance, of: target)
      unread.id = ids[ObjectIdentifier(instance)] ?? .unset
      graph.noteGone(unread)
    }
    let gone = Set(lost.map { ObjectIdentifier($0) })
    for (index, instance) in member.keptTargets[position].enumerated()
    where gone.contains(ObjectIdentifier(instance)) {
      let target = graph.member(of: instance) ?? graph.goneMember(of: instance)
      target?.lastPlace = .init(owner: member.object, position: position, index: index)
    }
    member.keptTargets[position].removeAll { gone.contains(ObjectIdentifier($0)) }
    member.keptIDs[position] = ids.filter { !gone.contains($0.key) }
  }

  // MARK: Inverses

  /// Takes inverses that a write has set as read.
  private func noteInverses<R: StoreReader>(from reader: inout R) {
    for (members, position, link) in inverses {
      // Two instances with one key are an error of the save.
      guard let changed = try? changed(position, of: members, link, from: &reader) else { continue }
      for (member, now, stored) in changed where !member.hasEditedInverse(position, now, stored: stored) {
        member.keptTargets[position] = now
      }
    }
  }

  /// Shows in inverses what is stored, where the caller or a write has set them since they were read.
  func restoreInverses<R: StoreReader>(from reader: inout R) throws {
    for (members, position, link) in inverses {
      for (member, _, stored) in try changed(position, of: members, link, from: &reader) {
        link.access.set(member.instance, stored.isEmpty ? nil : stored)
        member.keptTargets[position] = stored
      }
    }
  }

  /// The inverses of the instances that the store keeps.
  private var inverses: [(members: [ContextMember], position: Int, link: ClassRelationship)] {
    let kept = graph.all.filter { $0.isKept && !$0.isGone && !$0.isLost }
    return Dictionary(grouping: kept, by: \.entity).flatMap { entity, members in
      graph[entity].links.enumerated().filter(\.element.isInverse).map { (members, $0.offset, $0.element) }
    }
  }

  /// The objects whose inverse is not what was read, with what it shows and what is stored. The store is asked once for all: it
  /// goes over the lists that the caller has edited for each question.
  private func changed<R: StoreReader>(
    _ position: Int, of members: [ContextMember], _ link: ClassRelationship, from reader: inout R
  ) throws -> [(member: ContextMember, now: [AnyObject], stored: [AnyObject])] {
    let changed = members.compactMap { member in
      let now = link.access.get(member.instance)
      return now.elementsEqual(member.keptTargets[position], by: ===) ? nil : (member: member, now: now)
    }
    guard let entity = changed.first?.member.entity else { return [] }
    let lists = try reader.links(
      of: changed.map(\.member.id), entity: entity, [link.field], in: graph.schema)[0]
    return zip(changed, lists).map { changed, ids in
      (changed.member, changed.now, ids.compactMap { reader.instance($0, of: link.target) })
    }
  }

  /// The object of an instance that the store keeps, which the context has not read until now.
  ///
  /// An object without a key is found only through what its owner had.
  func find<R: StoreReader>(
    _ instance: AnyObject, of number: Int, from reader: inout R
  ) throws -> ContextMember? {
    let entity = graph[number]
    guard entity.isKept else { return nil }
    var id: ObjectID?
    if let key = graph.key(of: graph.newMember(instance, of: number)) {
      id = try? reader.find(key, of: number)
    } else {
      let known = keptNumbers ?? keptTargetNumbers()
      keptNumbers = known
      id = known[ObjectIdentifier(instance)]
    }
    guard let id, reader.instance(id, of: number) === instance else { return nil }
    // The context does not read it: what others write to it later is no edit.
    let member = graph.newMember(instance, of: number)
    member.id = id
    return member
  }

  /// The numbers of all targets of the objects of the context.
  private func keptTargetNumbers() -> [ObjectIdentifier: ObjectID] {
    var numbers: [ObjectIdentifier: ObjectID] = [:]
    for member in graph.all where !member.isGone {
      for ids in member.keptIDs { numbers.merge(ids) { first, _ in first } }
    }
    return numbers
  }

  // MARK: Loaded relationships

  /// Reads the targets of loaded relationships again, with what was included behind them. Those that are new belong to the context
  /// then.
  func readTargets<R: StoreReader>(of members: [ContextMember], from reader: inout R) throws {
    let loaded = members.filter { member in
      member.isKept && !member.isGone && member.targets.contains { $0 != nil }
        && reader.instance(member.id, of: member.entity) === member.instance
    }
    var included: [(tree: IncludeTree, owners: [ContextMember])] = []
    for (number, owners) in Dictionary(grouping: loaded, by: \.entity) {
      let entity = graph[number]
      let positions = entity.links.indices.filter { position in
        owners.contains { $0.targets[position] != nil }
      }
      var new = ObjectLevel()
      let found = try ask(positions, of: owners, entity, from: &reader, &new) { owner, position in
        owner.targets[position] != nil
      }
      for number in new.entities { try make(new[number], of: graph[number], from: &reader) }
      for found in found {
        for (owner, ids) in zip(found.owners, found.lists) {
          guard let ids else { continue }
          owner.set(ids.filter { graph[found.link.target].member($0) != nil }, at: found.position)
        }
      }
      let deep = owners.filter(\.included.isDeep)
      included += Dictionary(grouping: deep, by: \.included).map { ($0, $1) }
    }
    if !included.isEmpty { _ = try include(included, from: &reader) }
  }

  // MARK: Imports

  /// Puts back what was read, for an import: it must not take edits for what is stored.
  func withhold(_ done: ContextImport) throws(SystemError) {
    var withheld: [ContextImport.Withheld] = []
    for member in graph.all where member.isKept && !member.isGone {
      let entity = graph[member.entity]
      var now = RowBuffer()
      now.reset(count: entity.fieldCount)
      for property in entity.properties { now.set(property.access, of: member.instance, at: property.field) }
      try now.checkWhole()
      var found = ContextImport.Withheld(member: member, mine: RowCopy(now.slots, count: entity.fieldCount))
      if let shown = member.shown {
        found.properties = entity.properties.indices.filter { place in
          let field = entity.properties[place].field
          return !found.mine.slots[field].isSame(as: shown.slots[field])
        }
      }
      for (position, link) in entity.links.enumerated() where !link.isInverse {
        let targets = link.access.get(member.instance)
        if !targets.elementsEqual(member.keptTargets[position], by: ===) { found.targets[position] = targets }
      }
      if !found.properties.isEmpty || !found.targets.isEmpty { withheld.append(found) }
    }
    done.withheld = withheld
    for found in withheld {
      let (member, entity) = (found.member, graph[found.member.entity])
      if let shown = member.shown { restore(shown, of: member, entity) }
      for position in found.targets.keys { try restore(position, entity.links[position], of: member) }
    }
  }

  /// Keeps what is stored after an import as read.
  func captureKept<R: StoreReader>(from reader: inout R) throws {
    for member in graph.all where member.isKept && !member.isGone {
      if reader.instance(member.id, of: member.entity) === member.instance {
        try capture(member, graph[member.entity], from: &reader)
      }
    }
  }

  /// Shows the edits again that were withheld from an import.
  ///
  /// - Parameter isStored: Whether something was stored. Then some fields have the payload's value.
  func showEdits(_ done: ContextImport, isStored: Bool) {
    func isTheirs(_ field: Int, _ member: ContextMember) -> Bool {
      isStored && done.found.theirs.contains(.init(object: member.object, field: field))
    }
    /// What the import has deleted does not come back.
    func left(_ targets: [AnyObject]) -> [AnyObject] {
      if !isStored || done.found.deleted.isEmpty { return targets }
      return targets.filter { instance in
        graph.goneMember(of: instance).map { !done.found.deleted.contains($0.object) } ?? true
      }
    }
    for found in done.withheld {
      let entity = graph[found.member.entity]
      for property in found.properties.map({ entity.properties[$0] })
      where !isTheirs(property.field, found.member) {
        property.access.set(found.member.instance, found.mine[property.field])
      }
      show(found.targets.mapValues(left), in: found.member) { isTheirs($0, found.member) }
    }
    for edited in done.blanked.keys.compactMap({ done.new[$0] }) {
      let member = edited.edit.member
      let entity = graph[member.entity]
      let isObject = isStored && done.found.kept.contains(ObjectIdentifier(member.instance))
      for (place, property) in entity.properties.enumerated() {
        // All is put back of an instance that stays new. An object has the payload's key, and its other values where nothing was set.
        let isKey = graph.plan.traits.keyFields[entity.number].contains(property.field)
        let isMine = edited.edit.properties.contains(place) && !isKey && !isTheirs(property.field, member)
        if isMine || !isObject { property.access.set(member.instance, edited.mine[property.field]) }
      }
      let mine = Set(edited.edit.links.map(\.position))
      let targets = (done.blanked[ObjectIdentifier(member.instance)] ?? [:]).filter { position, _ in
        !isObject || mine.contains(position)
      }
      show(targets.mapValues(left), in: member) { isObject && isTheirs($0, member) }
    }
  }

  private func show(_ targets: [Int: [AnyObject]], in member: ContextMember, except isTheirs: (Int) -> Bool) {
    for (position, mine) in targets {
      let link = graph[member.entity].links[position]
      if !isTheirs(link.field) { link.access.set(member.instance, mine.isEmpty ? nil : mine) }
    }
  }
}

extension ContextImport {
  /// Makes new instances objects of the store, if it keeps instances and the payload has their keys. They have nothing but their
  /// keys then: the rest of what the caller has set is an edit.
  ///
  /// - Parameter unit: A batch that is not resolved yet.
  /// - Returns: The number of the instance that is filled, if its payload has no key.
  func keepNew<W: StoreWriter>(
    _ unit: ImportUnit, on writer: inout W, _ tally: inout ObjectTally
  ) throws -> ObjectID? {
    guard graph.keepsInstances, !new.isEmpty else { return nil }
    var root: ObjectID?
    var index = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      let number = imported.mappings[Int(occurrence.mapping)].entity
      let key = PrimaryKey(slot: occurrence.key)
      let id = try key.flatMap { try writer.find($0, of: number) }
      let isWeak = occurrence.flags & UInt32(FASTMAP_WEAK) != 0 && id == nil
      if isWeak || occurrence.flags & UInt32(FASTMAP_SKIPPED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      index += 1
      guard id == nil, let names = names[number], graph[names.entity].isKept,
        let instance = newInstance(key, names.entity, occurrence.owner),
        found.kept.insert(ObjectIdentifier(instance)).inserted
      else { continue }
      if blanked[ObjectIdentifier(instance)] == nil {
        let links = graph[names.entity].links.enumerated().filter { !$0.element.isInverse }
        blanked[ObjectIdentifier(instance)] = Dictionary(
          uniqueKeysWithValues: links.map { ($0.offset, $0.element.access.get(instance)) })
      }
      blank(instance, of: graph[names.entity], key: key == nil ? nil : Field(occurrence.key))
      guard let new = try writer.adopt(instance, of: number) else { continue }
      tally.note(new, of: number, isNew: true, isChanged: true)
      if key == nil { root = new }
    }
    return root
  }

  /// Sets an instance to what a new one has, and its key.
  private func blank(_ instance: AnyObject, of entity: ContextEntity, key: Field?) {
    let blank = entity.make()
    let keyField = graph.schema.entities[entity.number].keyField
    var values = RowBuffer()
    for property in entity.properties {
      if let key, property.field == keyField {
        property.access.set(instance, key)
        continue
      }
      values.reset(count: 1)
      values.set(property.access, of: blank, at: 0)
      property.access.set(instance, values.row[0].isMissing ? .null : values.row[0])
    }
    for link in entity.links where !link.access.get(instance).isEmpty { link.access.set(instance, nil) }
  }
}

extension ContextMember {
  /// Whether the caller has edited an inverse of an instance that the store keeps: it shows what is not stored, or lacks what was read
  /// and is stored. Writes set inverses too, by what the store knew then.
  func hasEditedInverse(_ position: Int, _ now: [AnyObject], stored: [AnyObject]) -> Bool {
    let read = keptTargets.isEmpty ? [] : Set(keptTargets[position].map { ObjectIdentifier($0) })
    let (now, stored) = (Set(now.map { ObjectIdentifier($0) }), Set(stored.map { ObjectIdentifier($0) }))
    return !now.subtracting(read).isSubset(of: stored) || !read.intersection(stored).isSubset(of: now)
  }
}
