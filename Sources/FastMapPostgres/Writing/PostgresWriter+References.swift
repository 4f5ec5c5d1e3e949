#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresWriter {
    public mutating func references(
      to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
    ) throws -> [[Reference]] {
      if ids.isEmpty { return [] }
      try reader.verify()
      // One trip for each of these; a search for references asks for far fewer objects.
      return try ids.chunks(of: reader.maxRowsPerStatement).flatMap {
        try references(toFew: Array($0), of: entity, after: last, limit: limit)
      }
    }

    private mutating func references(
      toFew ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
    ) throws -> [[Reference]] {
      var result = [[Reference]](repeating: [], count: ids.count)
      let writer = self
      let isSharded = connection.server.flavour == .citus
      let sent = try reader.send(about: entity) { bound, connection in
        try writer.reader.session.lock(ids)
        return try writer.referrers(to: bound).compactMap {
          referrer -> (referrer: Referrer, after: Int64, ticket: Ticket)? in
          let number = Int(referrer.field.number)
          // In the field of the last reference, continue after its owner. Owners' numbers are positive.
          if let last, number < last.field { return nil }
          let after = last.map { $0.field == number ? $0.owner.column : 0 } ?? 0
          let ticket = try referrer.send(
            isSharded ? referrer.shardedListing : referrer.listing, ids[...], after,
            limit: isSharded ? Referrer.shardedLimit(ids.count, limit) : limit, connection)
          return (referrer, after, ticket)
        }
      }
      for (referrer, after, ticket) in sent ?? [] {
        let answer = try connection.answer(to: ticket)
        var found = [[Reference]](repeating: [], count: ids.count)
        referrer.add(answer, at: 0, to: &found)
        if isSharded, answer.rowCount == Referrer.shardedLimit(ids.count, limit) {
          // The limit was for all objects together. Ask one by one for the last row's object and the objects after it.
          let first = Int(answer.int8(answer.rowCount - 1, 0)) - 1
          let tickets = try (first..<ids.count).map { place in
            found[place] = []
            return try referrer.send(
              referrer.shardedListing, ids[place...place], after, limit: limit, connection)
          }
          for (place, ticket) in zip(first..., tickets) {
            try referrer.add(connection.answer(to: ticket), at: place, to: &found)
          }
        }
        for place in ids.indices where result[place].count < limit {
          result[place] += found[place].prefix(limit - result[place].count)
        }
      }
      return result
    }

    /// The relationships that may have objects of an entity, ascending by number. Includes relationships that the
    /// schema does not name.
    func referrers(to bound: Binding.Entity) -> [Referrer] {
      guard let layout = reader.session.layout else { return [] }
      return layout.catalog.referrers(to: bound.stored).sorted { $0.field.number < $1.field.number }.map {
        Referrer(
          entity: binding.sql.number(of: $0.owner), field: $0.field,
          owners: layout.qualified($0.owner.sqlName),
          links: $0.field.isToMany ? layout.qualified($0.field.sqlName) : nil)
      }
    }
  }

  /// A relationship that may have a target.
  struct Referrer {
    /// The schema's number of the owners' entity; nil if the schema does not name it.
    let entity: Int?
    let field: SQLCatalog.Field
    let owners: String
    /// The table of the links; nil for a column.
    let links: String?

    /// Asks for the owners of targets after a number.
    fileprivate func send(
      _ statement: Statement, _ ids: ArraySlice<ObjectID>, _ after: Int64, limit: Int,
      _ connection: Connection
    ) throws -> Ticket {
      var parameters = Parameters(ArrayColumn(numbers: ids))
      parameters.int8(after)
      parameters.int8(Int64(limit))
      return try connection.send(statement, parameters)
    }

    /// Adds the owners of an answer to the lists of their targets, which begin at a place.
    fileprivate func add(_ answer: Answer, at first: Int, to found: inout [[Reference]]) {
      for row in 0..<answer.rowCount {
        found[first + Int(answer.int8(row, 0)) - 1].append(
          Reference(owner: answer.id(row, 1), entity: entity, field: Int(field.number)))
      }
    }

    /// Finds the first owners of all targets together, by target and owner. Citus refuses a limit for each target.
    fileprivate var shardedListing: Statement {
      let text =
        if let links {
          """
          SELECT n.i, l.owner FROM unnest($1) WITH ORDINALITY n (id, i) JOIN \(links) l ON l.target = n.id
          WHERE l.owner > $2 GROUP BY n.i, l.owner, l.owner_shard ORDER BY n.i, l.owner LIMIT $3
          """
        } else {
          """
          SELECT n.i, t.fastmap_id FROM unnest($1) WITH ORDINALITY n (id, i)
          JOIN \(owners) t ON t.\(field.identifier) = n.id
          WHERE t.fastmap_id > $2 ORDER BY n.i, t.fastmap_id LIMIT $3
          """
        }
      return Statement(text, .int8.array, .int8, .int8)
    }

    /// The limit for all targets together: most have few owners.
    fileprivate static func shardedLimit(_ targets: Int, _ limit: Int) -> Int {
      max(targets * min(limit, 16), limit, 4096)
    }

    /// Finds the first owners of each target after a number, ascending.
    fileprivate var listing: Statement {
      let question =
        if let links {
          """
          SELECT DISTINCT l.owner FROM \(links) l WHERE l.target = n.id AND l.owner > $2 ORDER BY l.owner LIMIT $3
          """
        } else {
          """
          SELECT t.fastmap_id AS owner FROM \(owners) t WHERE t.\(field.identifier) = n.id AND t.fastmap_id > $2
          ORDER BY t.fastmap_id LIMIT $3
          """
        }
      return Statement(
        """
        SELECT n.i, r.owner FROM unnest($1) WITH ORDINALITY n (id, i) CROSS JOIN LATERAL (\(question)) r
        ORDER BY n.i, r.owner
        """, .int8.array, .int8, .int8)
    }
  }
#endif
