#if Postgres
  public import FastMapCore
  internal import FastMapSQL

  extension PostgresWriter {
    public mutating func references(
      to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
    ) throws -> [[Reference]] {
      var result = [[Reference]](repeating: [], count: ids.count)
      if ids.isEmpty { return result }
      try reader.verify()
      let writer = self
      let sent = try reader.send(about: entity) { bound, connection in
        try writer.referrers(to: bound).compactMap { referrer -> (referrer: Referrer, ticket: Ticket)? in
          let number = Int(referrer.field.number)
          // Those of the last one's field begin behind it. Owners' numbers are positive.
          if let last, number < last.field { return nil }
          let after = last.map { $0.field == number ? $0.owner.column : 0 } ?? 0
          var parameters = Parameters(ArrayColumn(numbers: ids))
          parameters.int8(after)
          parameters.int8(Int64(limit))
          return (referrer, try connection.send(referrer.listing, parameters))
        }
      }
      for (referrer, ticket) in sent ?? [] {
        let answer = try connection.answer(to: ticket)
        for row in 0..<answer.rowCount {
          let place = Int(answer.int8(row, 0)) - 1
          guard result[place].count < limit else { continue }
          result[place].append(
            Reference(owner: answer.id(row, 1), entity: referrer.entity, field: Int(referrer.field.number)))
        }
      }
      return result
    }

    /// The relationships that may have objects of an entity, also those that the schema does not name, ascending by number.
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
    /// The table of the owners.
    let owners: String
    /// The table of the links; nil for a column.
    let links: String?

    /// Finds the first owners of each target behind a number, ascending.
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
