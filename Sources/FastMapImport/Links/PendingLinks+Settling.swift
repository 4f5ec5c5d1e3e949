internal import CFastMap

/// Making the links at the end of the payload.
extension PendingLinks {
  /// The targets that one relationship gains.
  private struct ResolvedLinks {
    var holder: Holder
    /// Targets for the list that the payload gave, by position.
    var inserted: [(position: Int, target: ObjectID)] = []
    /// The targets that the relationship has now and that are of that list.
    package var count = 0
    /// Targets for its end. A to-one relationship takes the last one.
    var appended: [ObjectID] = []
    var policy = UInt8(FASTMAP_ASSIGN)
    /// Targets of the payload's list that are still missing.
    var missing = 0

    func list(_ old: [ObjectID]) -> [ObjectID] {
      var base = Array(old.prefix(count))
      for (position, target) in inserted { base.insert(target, at: min(position, base.count)) }
      // A merge may have added an inserted target since. The list has it once.
      let known = Set(inserted.map(\.target))
      var list = base + old.dropFirst(count).filter { !known.contains($0) }
      var met = Set(list)
      for target in appended where met.insert(target).inserted { list.append(target) }
      return list
    }
  }

  /// A custom policy to ask.
  private struct Question {
    var mapping: Int
    var relationship: Int
    package var targets: [ObjectID]
  }

  /// The most owners that are changed at one time.
  private static let ownersAtOnce = 1024

  /// Links unresolved targets that have been stored since.
  ///
  /// - Parameters:
  ///   - unit: Empty; its memory holds the rows.
  ///   - mayBeGone: Whether others may have deleted objects since a batch has met them.
  ///   - apply: Writes the changes of some owners of one entity.
  /// - Returns: The policies to ask, in payload order.
  func link<W: StoreWriter>(
    in unit: ImportUnit, on writer: inout W, mayBeGone: Bool,
    apply: (inout ChangeBatch, inout W) throws -> Void
  ) throws -> [PolicyCall] {
    let (settlements, calls) = replay(
      try find(&writer.reader, without: unit.shared.tombstones, mayBeGone: mayBeGone))
    var rest = settlements[...]
    while !rest.isEmpty {
      var changes = try nextChanges(of: &rest, unit, &writer.reader)
      try apply(&changes, &writer)
      unit.reset()
    }
    return calls
  }

  // MARK: Replaying

  /// Goes over the log.
  ///
  /// - Returns: The relationships that get targets, by owner, and the policies to ask, in payload order.
  private func replay(_ found: Found) -> ([ResolvedLinks], [PolicyCall]) {
    var settlements: [Holder: ResolvedLinks] = [:]
    var questions: [Holder: [Question]] = [:]
    var order: [Holder] = []
    for link in links {
      let holder = link.holder
      guard let entity = targetEntity(of: holder) else { continue }
      func target(_ key: PrimaryKey) -> ObjectID? { found.target(.unresolved(key), of: entity) }
      func change(_ body: (inout ResolvedLinks) -> Void) {
        body(&settlements[holder, default: ResolvedLinks(holder: holder)])
      }
      switch link.says {
      case .new(let count, _):
        settlements[holder] = ResolvedLinks(holder: holder, count: count)
        questions[holder] = nil
      case .unresolved(let key, let position, let policy):
        change { settlement in
          if let found = target(key) {
            settlement.policy = policy
            if let position {
              settlement.inserted.append((position - settlement.missing, found))
            } else {
              settlement.appended.append(found)
            }
          } else if position != nil {
            settlement.missing += 1
          }
        }
      case .merged(let keys):
        change { $0.appended += keys.compactMap(target) }
      case .ask(let mapping, let relationship, let targets):
        var isFound = false
        let ids = targets.compactMap { given -> ObjectID? in
          let id = found.target(given, of: entity)
          if case .unresolved = given, id != nil { isFound = true }
          return id
        }
        guard isFound, found.has(holder.owner, of: holder.entity) else { continue }
        if questions[holder] == nil { order.append(holder) }
        questions[holder, default: []].append(
          Question(mapping: mapping, relationship: relationship, targets: ids))
      }
    }
    let changed = settlements.values.filter { !$0.inserted.isEmpty || !$0.appended.isEmpty }.sorted {
      let (a, b) = ($0.holder, $1.holder)
      return (a.entity, a.owner, a.field) < (b.entity, b.owner, b.field)
    }
    var asked: Set<Holder> = []
    let calls = order.filter { asked.insert($0).inserted }.flatMap { holder in
      (questions[holder] ?? []).map {
        PolicyCall(
          planned: plan.mappings[$0.mapping], relationship: $0.relationship, owner: holder.owner,
          new: $0.targets, isNull: false)
      }
    }
    return (changed, calls)
  }

  // MARK: Writing

  /// The changes of the next owners, all of one entity. Owners that are no longer stored are left out.
  ///
  /// - Parameter settlements: By owner. The call removes the settlements of the returned changes.
  private func nextChanges<R: StoreReader>(
    of settlements: inout ArraySlice<ResolvedLinks>, _ unit: ImportUnit, _ reader: inout R
  ) throws -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    guard let entity = settlements.first?.holder.entity else { return batch }
    let fields = plan.schema.entities[entity].fields
    var owners: [(id: ObjectID, own: ArraySlice<ResolvedLinks>)] = []
    while let first = settlements.first?.holder, first.entity == entity, owners.count < Self.ownersAtOnce {
      let own = settlements.prefix { $0.holder.owner == first.owner && $0.holder.entity == entity }
      settlements = settlements.dropFirst(own.count)
      owners.append((first.owner, own))
    }
    let old = try OldLists(of: owners, entity, fields, &reader)
    for (place, owner) in owners.enumerated() where old.isStored[place] {
      let row = try unit.makeSlots(fields.count)
      for settlement in owner.own {
        let field = settlement.holder.field
        row[field] = try slot(for: settlement, fields[field].kind, unit, old.lists[field]?[place] ?? [])
      }
      batch.append(
        ObjectChange(
          id: owner.id, entity: entity, isNew: false, keyField: nil,
          row: Row(slots: row, count: fields.count)),
        mixed: owner.own.map(\.holder.field))
    }
    return batch
  }

  /// The stored owners, and their lists before the change.
  private struct OldLists {
    var isStored: [Bool]
    /// The lists of all owners, by field. Only to-many relationships that gain targets are here.
    package var lists: [Int: [[ObjectID]]] = [:]

    init<R: StoreReader>(
      of owners: [(id: ObjectID, own: ArraySlice<ResolvedLinks>)], _ entity: Int, _ fields: [Schema.Field],
      _ reader: inout R
    ) throws {
      let ids = owners.map(\.id)
      let stored = try reader.stored(ids, of: entity)
      isStored = ids.map(stored.contains)
      let asked = Set(owners.lazy.flatMap(\.own).map(\.holder.field)).filter { fields[$0].kind.isToMany }
      if asked.isEmpty { return }
      let numbers = asked.sorted()
      let all = try reader.checkedTargets(of: ids, entity: entity, fields: numbers)
      lists = Dictionary(uniqueKeysWithValues: zip(numbers, all))
    }
  }

  private func slot(
    for settlement: ResolvedLinks, _ kind: Schema.Kind, _ unit: ImportUnit, _ old: [ObjectID]
  ) throws -> fastmap_slot {
    let holder = settlement.holder
    if case .toMany = kind {
      return try unit.makeSlot(settlement.list(old), isToMany: true)
    }
    var slot = try unit.makeSlot(settlement.appended, isToMany: false)
    let isMixed = plan.traits.ownsKeyless(holder.field, of: holder.entity)
    slot.spares_keyed = isMixed && settlement.policy == FASTMAP_ASSIGN
    slot.policy = slot.spares_keyed ? UInt8(FASTMAP_REPLACE) : settlement.policy
    return slot
  }
}
