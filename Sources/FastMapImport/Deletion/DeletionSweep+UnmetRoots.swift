/// Objects that go together: a reference from one to another keeps neither of them.
extension DeletionSweep {
  /// Adds the objects of a set that nothing outside of it needs.
  ///
  /// The sweep first finds all that would be deleted with the whole set. An object of the set stays if a reference leads to it
  /// from anywhere else, or from an object that stays. Objects that are deleted without the set keep nothing of it.
  ///
  /// - Parameter ids: Stored objects of one entity.
  /// - Complexity: O(*n*) in the objects, the objects deleted with them, and the references to and from all of these.
  mutating func addUnmet<W: StoreWriter>(
    _ ids: [ObjectID], of entity: Int, on writer: inout W, _ tally: ChangeCounts
  ) throws {
    if ids.isEmpty { return }
    var others = self
    let gone = try others.findDeleted(on: &writer, tally).going
    var whole = self
    // A reference from one of them keeps its target.
    whole.sparesDependents = true
    whole.addDeleted(ids, of: entity)
    let going = try whole.findDeleted(on: &writer, tally).going
    let kept = try keep(
      ids.filter { going.objects[entity].contains($0) && !gone.objects[entity].contains($0) }, of: entity,
      going, gone, on: &writer)
    addDeleted(kept.isEmpty ? ids : ids.filter { !kept.contains($0) }, of: entity)
  }

  /// The objects of the set that stay.
  ///
  /// - Parameter gone: The deletions without the set.
  private func keep<W: StoreWriter>(
    _ ids: [ObjectID], of entity: Int, _ going: CascadeDeletion, _ gone: CascadeDeletion, on writer: inout W
  ) throws -> Set<ObjectID> {
    var kept: Set<ObjectIdentity> = []
    var open: [ObjectIdentity] = []
    for id in try referenced(ids, of: entity, outside: [going, gone], on: &writer) {
      let object = ObjectIdentity(entity: entity, id: id)
      kept.insert(object)
      open.append(object)
    }
    // All that an object refers to stays with it.
    while !open.isEmpty {
      let round = Dictionary(grouping: open, by: \.entity)
      open = []
      for (owner, objects) in round.sorted(by: { $0.key < $1.key }) {
        let fields = plan.schema.entities[owner].fields
        let links = fields.indices.filter { fields[$0].kind.target != nil }
        if links.isEmpty { continue }
        let lists = try writer.reader.checkedTargets(
          of: objects.map(\.id).sorted(), entity: owner, fields: links)
        for (link, lists) in zip(links, lists) {
          guard let target = fields[link].kind.target?.entity else { continue }
          for id in lists.joined()
          where going.objects[target].contains(id) && !gone.objects[target].contains(id) {
            let object = ObjectIdentity(entity: target, id: id)
            if kept.insert(object).inserted { open.append(object) }
          }
        }
      }
    }
    return Set(kept.lazy.filter { $0.entity == entity }.map(\.id))
  }

  /// The objects that a relationship has of an object that does not go.
  private func referenced<W: StoreWriter>(
    _ ids: [ObjectID], of entity: Int, outside deletions: [CascadeDeletion], on writer: inout W
  ) throws -> [ObjectID] {
    func isOutside(_ reference: Reference) -> Bool {
      guard let entity = reference.entity else { return true }
      return !deletions.contains { $0.objects[entity].contains(reference.owner) }
    }
    var found: [ObjectID] = []
    let ids = ids.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.objectsAtOnce) {
      let some = Array(ids[start..<min(start + Self.objectsAtOnce, ids.count)])
      let lists = try writer.checkedReferences(to: some, of: entity, limit: Self.firstReferences)
      for (id, first) in zip(some, lists) {
        var references = first
        var limit = Self.firstReferences
        while !references.contains(where: isOutside), references.count == limit {
          limit = Self.moreReferences
          references =
            try writer.references(to: [id], of: entity, after: references.last, limit: limit)
            .first ?? []
        }
        if references.contains(where: isOutside) { found.append(id) }
      }
    }
    return found
  }

  private static let objectsAtOnce = 4096
  private static let (firstReferences, moreReferences) = (16, 4096)
}

/// Objects to which nothing refers.
extension DeletionSweep {
  /// The targets of deleted objects that stay and that the payload does not have, by entity.
  func remainingTargets<R: StoreReader>(
    of going: CascadeDeletion, _ tally: ChangeCounts, in reader: inout R
  ) throws -> [Int: Set<ObjectID>] {
    var found: [Int: Set<ObjectID>] = [:]
    for (owner, owners) in going.objects.enumerated() where !owners.isEmpty {
      let fields = plan.schema.entities[owner].fields
      let links = fields.indices.filter { fields[$0].kind.target != nil }
      let owners = owners.sorted()
      for start in stride(from: 0, to: links.isEmpty ? 0 : owners.count, by: Self.objectsAtOnce) {
        let some = Array(owners[start..<min(start + Self.objectsAtOnce, owners.count)])
        let lists = try reader.checkedTargets(of: some, entity: owner, fields: links)
        for (link, targets) in zip(links, lists) {
          guard let entity = fields[link].kind.target?.entity else { continue }
          for id in targets.joined()
          where !going.objects[entity].contains(id) && !tally.hasMet(id, of: entity) {
            found[entity, default: []].insert(id)
          }
        }
      }
    }
    return found
  }

  /// The given objects that no relationship has, not even a relationship that the schema does not know.
  ///
  /// - Parameter ids: Stored objects of one entity, without repeats.
  static func unreferenced<W: StoreWriter>(
    _ ids: [ObjectID], of entity: Int, in writer: inout W
  ) throws -> [ObjectID] {
    var found: [ObjectID] = []
    for start in stride(from: 0, to: ids.count, by: objectsAtOnce) {
      let some = Array(ids[start..<min(start + objectsAtOnce, ids.count)])
      let lists = try writer.checkedReferences(to: some, of: entity, limit: 1)
      found += zip(some, lists).filter { $1.isEmpty }.map(\.0)
    }
    return found
  }
}
