#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// The changes of a batch that were sent, until `finish`.
  struct PendingBatch {
    /// The updates of one entity: the answer, and the changes by the places in the question.
    var updates: [(ticket: Ticket, changes: ArraySlice<Int>)] = []
    /// The changes whose lists changed.
    var changed: [Int] = []
  }

  extension PostgresWriter {
    /// Sends the changes of a batch.
    ///
    /// Takes no trip for a few new objects, one for many, and one more for each of their tables. One more if the batch sets
    /// lists of stored objects.
    public mutating func apply(_ changes: inout ChangeBatch) throws {
      reader.dropAnticipated()  // from before the change
      try reader.verify()
      try refuseLargeRows(changes.changes)
      try lock(changes)
      state.touch(changes.changes, reader.schema, binding)
      var pending = PendingBatch()
      let groups = EntityChanges.groups(of: changes.changes)
      if let addition = addition(for: groups, changes) { try add(addition) }
      let old = try oldTargets(of: changes.changes)
      var links = NewLinks()
      for group in groups {
        guard let bound = binding[group.entity] else { continue }
        try update(group, bound, &changes, old, &links, &pending)
        links.addAll(of: group.new, changes.changes, bound)
      }
      try links.sendRemovals(connection, reader.maxRowsPerStatement)
      let insertions = groups.flatMap { group in
        binding[group.entity].map { Insertion.all($0, group.new, changes.changes, reader.bounds) } ?? []
      }
      try insert(insertions, links, changes.changes)
      state.pending.append(pending)
      state.fingerprinted.removeAll(keepingCapacity: true)
    }

    public mutating func finish(_ changes: inout ChangeBatch) throws {
      guard !state.pending.isEmpty else { return }
      let pending = state.pending.removeFirst()
      for (ticket, indices) in pending.updates {
        let answer = try connection.answer(to: ticket)
        for row in 0..<answer.rowCount where answer.boolean(row, 1) {
          changes.changes[indices[indices.startIndex + Int(answer.int8(row, 0)) - 1]].isChanged = true
        }
      }
      for index in pending.changed { changes.changes[index].isChanged = true }
    }

    /// PostgreSQL has no row of 1 GB or more, nor a value.
    private func refuseLargeRows(_ changes: [ObjectChange]) throws {
      for change in changes {
        let entity = reader.schema.entities[change.entity]
        guard let reason = change.refusal(entity, most: StatementBounds.mostBytes) else { continue }
        throw PostgresError(
          server: connection.place, message: reason, schema: reader.session.layout?.schema,
          table: binding[change.entity]?.stored.sqlName)
      }
    }

    /// Sends the updates of one entity, and finds out how lists change.
    private func update(
      _ group: EntityChanges, _ bound: Binding.Entity, _ batch: inout ChangeBatch, _ old: SQLOldTargets,
      _ links: inout NewLinks, _ pending: inout PendingBatch
    ) throws {
      guard !group.updates.isEmpty else { return }
      let fingerprinted = Set(state.fingerprinted)
      let isSharded = connection.server.flavour == .citus
      // By whether rows may gain a fingerprint. Citus takes that statement for all, in which it joins each row within its shard.
      var updates: [Bool: (indices: [Int], isForced: [Bool])] = [:]
      for index in group.updates {
        let hasNewList = links.change(listsOf: index, &batch, bound, old)
        if hasNewList { pending.changed.append(index) }
        let change = batch.changes[index]
        let gains = isSharded || change.fingerprint != nil && !fingerprinted.contains(change.id)
        updates[gains, default: ([], [])].indices.append(index)
        updates[gains, default: ([], [])].isForced.append(hasNewList)
      }
      let doubled = bound.doubledFields
      for gains in [false, true] {
        guard let (indices, isForced) = updates[gains] else { continue }
        let update = Update(bound, indices, batch.changes, gainsFingerprints: gains)
        let ranges = reader.bounds.ranges(
          indices.indices, size: { batch.changes[indices[$0]].byteCount(doubled) })
        for range in ranges {
          let ticket = try update.send(indices[range], isForced[range], batch.changes, connection)
          pending.updates.append((ticket, indices[range]))
        }
      }
    }

    /// Inserts rows and links: with the next question if they are few, else by COPY.
    private func insert(_ insertions: [Insertion], _ links: NewLinks, _ changes: [ObjectChange]) throws {
      let rowCount = insertions.reduce(links.addedCount) { $0 + $1.changes.count }
      guard rowCount > 0 else { return }
      let tables = links.additions(reader.bounds)
      guard rowCount >= Self.copyThreshold else {
        for insertion in insertions { try insertion.send(changes, connection) }
        for table in tables { try table.send(connection) }
        return
      }
      var subject: Subject?
      do {
        try connection.copyIn(insertions.map(\.copyText) + tables.map(\.copyText)) { index, writer in
          if index < insertions.count {
            subject = insertions[index].subject
            try insertions[index].copy(changes, to: writer)
          } else {
            subject = nil
            try tables[index - insertions.count].copy(to: writer)
          }
        }
      } catch let error as PostgresError {
        throw error.named(subject)
      }
    }

    /// The number of rows from which a COPY, which waits for each table, is faster than an INSERT.
    private static let copyThreshold = 500

    /// The first entity or field that changes have values for and the store does not have; nil if it has all.
    private func addition(for groups: [EntityChanges], _ batch: ChangeBatch) -> String? {
      for group in groups {
        let entity = reader.schema.entities[group.entity]
        guard let bound = binding[group.entity] else { return "table for the entity \(escaped(entity.name))" }
        for field in bound.fields.indices where bound.fields[field] == nil {
          let isSet = (group.new + group.updates).contains { !batch.changes[$0].row[field].isMissing }
          guard isSet else { continue }
          return "column for \(escaped(entity.fields[field].name)) of the entity \(escaped(entity.name))"
        }
      }
      return nil
    }

    /// Makes the tables of new entities and lists, for a dry run, which rolls them back.
    private mutating func add(_ addition: String) throws {
      state.addition = state.addition ?? addition
      state.before.layout = state.before.layout ?? reader.session.layout
      try reader.session.addTables(for: reader.schema, state.store.configuration)
      try reader.rebind()
    }
  }

  /// The changes of one entity in a batch, by their indices.
  struct EntityChanges {
    let entity: Int
    var new: [Int] = []
    var updates: [Int] = []

    /// - Parameter changes: Sorted by entity.
    static func groups(of changes: [ObjectChange]) -> [EntityChanges] {
      var groups: [EntityChanges] = []
      for (index, change) in changes.enumerated() {
        if groups.last?.entity != change.entity { groups.append(EntityChanges(entity: change.entity)) }
        if change.isNew {
          groups[groups.count - 1].new.append(index)
        } else {
          groups[groups.count - 1].updates.append(index)
        }
      }
      return groups
    }
  }
#endif
