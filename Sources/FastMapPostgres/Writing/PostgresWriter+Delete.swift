#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresWriter {
    /// Takes one trip, however many objects and relationships there are.
    public mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
      if ids.isEmpty { return [] }
      reader.dropAnticipated()  // from before the change
      let limit = reader.maxRowsPerStatement
      try reader.verify()
      let writer = self
      let sent = try reader.send(about: entity) { bound, connection in
        try writer.reader.session.lock(ids)
        let own = writer.ownLists(of: bound)
        let referrers = writer.referrers(to: bound)
        let deletion = Statement(
          "DELETE FROM \(bound.table) t WHERE t.fastmap_id = ANY ($1) RETURNING t.fastmap_id", .int8.array)
        return try ids.chunks(of: limit).map { chunk in
          let column = Parameters(ArrayColumn(numbers: chunk))
          for referrer in referrers {
            for statement in referrer.removals { try connection.sendQuietly(statement, column) }
          }
          for links in own {
            let statement = Statement("DELETE FROM \(links) WHERE owner = ANY ($1)", .int8.array)
            try connection.sendQuietly(statement, column)
          }
          return try connection.send(deletion, column)
        }
      }
      var deleted: [ObjectID] = []
      for ticket in sent ?? [] {
        let answer = try connection.answer(to: ticket)
        for row in 0..<answer.rowCount { deleted.append(answer.id(row, 0)) }
      }
      return deleted.sorted()
    }

    /// The tables of the entity's lists, including lists that the schema does not name.
    private func ownLists(of bound: Binding.Entity) -> [String] {
      guard let layout = reader.session.layout else { return [] }
      return bound.stored.fields.filter(\.isToMany).map { layout.qualified($0.sqlName) }
    }
  }

  extension Referrer {
    /// Remove the targets `$1`. An owner has other values then, so it loses its fingerprint.
    fileprivate var removals: [Statement] {
      guard let links else {
        return [
          Statement(
            "UPDATE \(owners) SET \(field.identifier) = NULL, fastmap_fingerprint = NULL "
              + "WHERE \(field.identifier) = ANY ($1)", .int8.array)
        ]
      }
      return [
        Statement(
          """
          UPDATE \(owners) t SET fastmap_fingerprint = NULL FROM \(links) l
          WHERE l.target = ANY ($1) AND t.fastmap_id = l.owner AND t.fastmap_shard = l.owner_shard
          """, .int8.array),
        Statement("DELETE FROM \(links) WHERE target = ANY ($1)", .int8.array),
      ]
    }
  }
#endif
