internal import FastMapCore

/// The targets that the objects of a batch have, of the relationships that the batch is about: one round trip for each
/// relationship, however many objects.
struct OldTargets {
  private var targets: [Relationship: [ObjectID: [ObjectID]]] = [:]

  private struct Relationship: Hashable {
    let entity: Int
    let field: Int
  }

  init(_ changes: [ObjectChange], _ reader: SQLiteReader) throws {
    var owners: [Relationship: [ObjectID]] = [:]
    for change in changes where !change.isNew {
      for (field, stored) in (reader.binding.entities[change.entity]?.fields ?? []).enumerated() {
        guard let stored, stored.target != nil, !change.row[field].isMissing else { continue }
        // What a to-one relationship had is asked for only where it goes.
        guard stored.isToMany || change.policy(of: field) == .replace else { continue }
        owners[Relationship(entity: change.entity, field: field), default: []].append(change.id)
      }
    }
    for (relationship, owners) in owners {
      let lists = try reader.targets(
        of: owners, entity: relationship.entity, fields: [relationship.field])[0]
      targets[relationship] = Dictionary(uniqueKeysWithValues: zip(owners, lists))
    }
  }

  func of(_ change: ObjectChange, _ field: Int) -> [ObjectID] {
    targets[Relationship(entity: change.entity, field: field)]?[change.id] ?? []
  }
}

extension SQLiteWriter {
  /// Tells the core what relationships with the policy `replace` no longer have: it deletes what nothing refers to.
  func noteRemovedTargets(of change: ObjectChange, _ old: OldTargets, _ batch: inout ChangeBatch) {
    for (field, stored) in bound(change.entity).fields.enumerated() {
      guard let stored, stored.target != nil, !change.row[field].isMissing,
        change.policy(of: field) == .replace
      else { continue }
      var kept = Set(stored.isToMany ? Array(change.row[field].targets) : [])
      if let target = change.row[field].target { kept.insert(target) }
      for target in old.of(change, field) where kept.insert(target).inserted {
        batch.noteRemoved(target, from: field, of: change)
      }
    }
  }

  // MARK: Relationships to many

  /// - Returns: Whether any relationship became different.
  func setLinks(_ change: ObjectChange, _ old: OldTargets) throws -> Bool {
    var isDifferent = false
    for (field, stored) in bound(change.entity).fields.enumerated() {
      guard let stored, stored.isToMany, !change.row[field].isMissing else { continue }
      let oldTargets = old.of(change, field)
      let given = change.row[field].targets
      if change.policy(of: field) == .merge {
        var known = Set(oldTargets)
        let added = given.filter { known.insert($0).inserted }
        if added.isEmpty { continue }
        try append(added, to: change.id, stored)
      } else {
        if given.elementsEqual(oldTargets) { continue }
        if !oldTargets.isEmpty { try removeAll(of: change.id, stored) }
        try append(Array(given), to: change.id, stored)
      }
      isDifferent = true
    }
    return isDifferent
  }

  /// Deleted targets leave gaps between positions, which nobody minds.
  private func append(_ targets: [ObjectID], to owner: ObjectID, _ field: Layout.Field) throws {
    let last = "SELECT max(position) FROM \(field.linkTable) WHERE owner = ?1"
    var position = try connection.query(last) { statement in
      try statement.bind(owner, at: 1)
      return try statement.step() && !statement.isNull(0) ? statement.integer(0) + 1 : 0
    }
    for target in targets {
      try connection.query("INSERT INTO \(field.linkTable) VALUES (?1, ?2, ?3)") { statement in
        try statement.bind(owner, at: 1)
        try statement.bind(position, at: 2)
        try statement.bind(target, at: 3)
        try statement.step()
      }
      position += 1
    }
  }

  private func removeAll(of owner: ObjectID, _ field: Layout.Field) throws {
    try connection.query("DELETE FROM \(field.linkTable) WHERE owner = ?1") { statement in
      try statement.bind(owner, at: 1)
      try statement.step()
    }
  }
}
