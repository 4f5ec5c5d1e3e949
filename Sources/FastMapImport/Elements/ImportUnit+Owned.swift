internal import CFastMap

/// The owned objects of a batch.
struct OwnedObjects {
  /// Their occurrences, in payload order.
  var occurrences: [Int] = []
  /// The objects by the relationship that holds them: the target, or the elements that the list has had.
  var before: [ImportUnit.Holder: [Int]] = [:]
  /// Objects that earlier batches removed.
  var detached = DetachedOwnedObjects()
  /// The objects that their owners do not have in the end; set by `changes`.
  var orphaned: [ChangeBatch.Holder: [ChangeBatch.Removed]] = [:]
  /// The new objects with a scoped key that their owners do not have in the end.
  var orphanedScoped: [ChangeBatch.Removed] = []
}

/// Objects without a key in a relationship. They belong to their owner.
///
/// A to-one target is the same object in each payload. An element of a list is a value: it is the stored object with the same
/// value, or a new one. So is all that an element owns.
extension ImportUnit {
  /// A relationship of one entity.
  private struct Relation: Hashable {
    var entity: Int
    var field: Int
  }

  /// Gives every occurrence of an owned object its object: a stored one, an object of this batch, or a new one.
  /// A custom policy gets a new one each time.
  ///
  /// This goes level by level, as an owner must be known before its targets. The store is asked once for each relationship
  /// of a level.
  func findOwned<R: StoreReader>(in reader: inout R) throws {
    for level in levels() {
      try readStored(level, &reader)
      for index in inOrderOfOwners(level) where occurrences[index].object == FASTMAP_NONE {
        if isElement(index) {
          findElements(of: Int(occurrences[index].owner), Int(occurrences[index].relationship))
        } else {
          findTarget(index)
        }
      }
    }
  }

  /// The occurrences of owned objects outside of elements, by the number of owned objects around them.
  private func levels() -> [[Int]] {
    var depth: [Int: Int] = [:]
    var levels: [[Int]] = []
    for index in owned.occurrences where !isInsideElement(index) {
      let level = depth[Int(occurrences[index].owner)].map { $0 + 1 } ?? 0
      depth[index] = level
      if level == levels.count { levels.append([]) }
      levels[level].append(index)
    }
    return levels
  }

  /// The occurrences of a level as their owners come in the payload: the last list of an object counts. An owner inside another
  /// one has its elements before a later list of that.
  private func inOrderOfOwners(_ level: [Int]) -> [Int] {
    func precedes(_ a: Int, _ b: Int) -> Bool { (occurrences[a].owner, a) < (occurrences[b].owner, b) }
    let isSorted = zip(level, level.dropFirst()).allSatisfy { precedes($0, $1) }
    return isSorted ? level : level.sorted(by: precedes)
  }

  /// Finds the object of a to-one relationship.
  private func findTarget(_ index: Int) {
    let (holder, entity) = holder(of: index)
    let owner = Int(occurrences[index].owner)
    if !isAsked(index), let known = owned.before[holder]?.first {
      occurrences[index].object = UInt32(known)
      objects[known].isPresent = true
      let isRevived = holder.owner < decisions.facts.count && decisions.facts[holder.owner].revivals > 0
      decisions.revivals.addOwned(index, of: known, holder, at: owner, isRevived: isRevived)
      return
    }
    if !isAsked(index) {
      owned.before[holder, default: []].insert(objects.count, at: 0)
      decisions.revivals.recordNew(of: holder, at: owner)
    }
    occurrences[index].object = UInt32(objects.count)
    objects.append(Object(entity: entity, isPresent: true))
  }

  private func readStored<R: StoreReader>(_ level: [Int], _ reader: inout R) throws {
    var asked: [Relation: [Int]] = [:]
    var order: [Relation] = []
    for index in level where !isAsked(index) {
      let (holder, _) = holder(of: index)
      guard objects[holder.owner].isStored, owned.before[holder] == nil else { continue }
      owned.before[holder] = []
      let relation = Relation(entity: objects[holder.owner].entity, field: holder.field)
      if asked[relation] == nil { order.append(relation) }
      asked[relation, default: []].append(holder.owner)
    }
    for relation in order {
      let all = asked[relation] ?? []
      let kind = plan.schema.entities[relation.entity].fields[relation.field].kind
      guard let entity = kind.target?.entity else { continue }
      let isKept = kind.isToMany && shared.known.keeps(relation.field, of: relation.entity)
      let owners = isKept ? all.filter { !shared.known.hasList(holder(of: $0, relation)) } : all
      let stored =
        owners.isEmpty
        ? []
        : try reader.targets(
          of: owners.map { objects[$0].id }, entity: relation.entity, field: relation.field)
      let again =
        kind.isToMany
        ? [:] : try owned.detached.stored(owners.map { holder(of: $0, relation) }, of: entity, in: &reader)
      let isMixed = plan.traits.ownsKeyless(relation.field, of: relation.entity)
      let keyless = isMixed ? try reader.keyless(stored.joined(), of: entity, plan) : nil
      for (owner, all) in zip(owners, stored) {
        let ids = keyless.map { keyless in all.filter(keyless.contains) } ?? all
        func add(_ ids: [ObjectID]) -> Range<Int> {
          objects += ids.map { Object(id: $0, entity: entity, isStored: true) }
          return objects.count - ids.count..<objects.count
        }
        let own = Holder(owner: owner, field: relation.field)
        owned.before[own] = Array(add(ids))
        guard let again = again[holder(of: owner, relation)] else { continue }
        let lost = add(again.filter { !ids.contains($0) })
        owned.before[own]? += lost
        decisions.revivals.addLost(lost)
      }
      guard kind.isToMany else { continue }
      var lists: [Holder: ChangeBatch.Holder] = [:]
      for owner in all { lists[Holder(owner: owner, field: relation.field)] = holder(of: owner, relation) }
      try readElements(of: owners.map { Holder(owner: $0, field: relation.field) }, lists, entity, &reader)
      try findKnown(level, lists, entity, &reader)
    }
  }

  private func holder(of owner: Int, _ relation: Relation) -> ChangeBatch.Holder {
    ChangeBatch.Holder(owner: objects[owner].id, entity: relation.entity, field: relation.field)
  }

  /// Finds the owned objects that their owners do not have in the end. Only while the rows refer to objects of the unit.
  func findOrphaned() {
    for (place, members) in owned.before {
      let owner = objects[place.owner]
      guard let row = owner.row, row[place.field].tag != FASTMAP_MISSING,
        row[place.field].link.policy != FASTMAP_MERGE  // which removes nothing
      else { continue }
      let holder = ChangeBatch.Holder(owner: owner.id, entity: owner.entity, field: place.field)
      let linked = Set(linkedTargets(of: owner, place.field))
      let gone = members.map { objects[$0] }.filter {
        ($0.isStored || $0.isPresent) && !linked.contains($0.id)
      }
      owned.orphaned[holder] = gone.map { .init(id: $0.id, entity: $0.entity, isOwned: true, holder: holder) }
    }
  }

  /// Finds the new objects with a scoped key that a later occurrence of their owner leaves out. Only while the rows refer to
  /// objects of the unit.
  func findOrphanedScoped() {
    var linked: Set<Int> = []
    for object in objects {
      guard let row = object.row else { continue }
      for (field, layout) in plan.schema.entities[object.entity].fields.enumerated() {
        guard let target = layout.kind.target?.entity, plan.traits.isScoped[target] else { continue }
        linked.formUnion(self.linked(row[field].link))
      }
    }
    for (number, object) in objects.enumerated()
    where object.isPresent && !object.isStored && plan.traits.isScoped[object.entity]
      && !linked.contains(number)
    {
      let holder = ChangeBatch.Holder(owner: .unset, entity: object.entity, field: -1)
      owned.orphanedScoped.append(.init(id: object.id, entity: object.entity, isOwned: false, holder: holder))
    }
  }

  private func linkedTargets(of owner: Object, _ field: Int) -> [ObjectID] {
    owner.row.map { linked($0[field].link).map { objects[$0].id } } ?? []
  }

  func holder(of index: Int) -> (Holder, entity: Int) {
    let occurrence = occurrences[index]
    let owner = occurrences[Int(occurrence.owner)]
    let field = plan.mappings[Int(owner.mapping)].relationshipFields[Int(occurrence.relationship)]
    return (Holder(owner: Int(owner.object), field: field), plan.mappings[Int(occurrence.mapping)].entity)
  }

  /// Whether a custom policy decides on the relationship of an occurrence.
  func isAsked(_ index: Int) -> Bool {
    let occurrence = occurrences[index]
    let mapping = mappings[Int(occurrences[Int(occurrence.owner)].mapping)]
    return mapping.relationships[Int(occurrence.relationship)].is_custom
  }
}
