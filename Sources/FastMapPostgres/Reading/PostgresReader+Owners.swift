#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresReader {
    /// The indexes by target find the owners.
    public mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
      var result = [[ObjectID]](repeating: [], count: targets.count)
      if targets.isEmpty { return result }
      var places = ObjectPlaces(targets)
      let ids = places.ids
      let limit = maxRowsPerStatement
      let session = self.session
      let tickets = try send(about: entity) { bound, connection -> [Ticket]? in
        guard let statement = bound.ownersStatement(field) else { return nil }
        // They may be anywhere.
        try session.lockAll()
        if ids.count > Self.fewObjects { try session.useIndexes() }
        return try ids.chunks(of: limit).map {
          try connection.send(statement, Parameters(ArrayColumn(numbers: $0)))
        }
      }
      try connection.forEachAnswer(to: (tickets ?? nil) ?? []) { _, answer in
        var row = 0
        while row < answer.rowCount {
          let target = answer.id(row, 0)
          var owners: [ObjectID] = []
          while row < answer.rowCount, answer.id(row, 0) == target {
            let owner = answer.id(row, 1)
            // A list may have an object twice.
            if owners.last != owner { owners.append(owner) }
            row += 1
          }
          places.forEachPlace(of: target) { result[$0] = owners }
        }
      }
      return result
    }
  }

  extension Binding.Entity {
    /// Asks for target and owner, by the owners' keys. Owners without a key follow in the order of creation.
    fileprivate func ownersStatement(_ field: Int) -> Statement? {
      guard let field = fields[field] else { return nil }
      let key = comparedKey.map { "CASE WHEN t.fastmap_order IS NULL THEN t.\($0) END, " } ?? ""
      let order = "t.fastmap_order NULLS FIRST, \(key)t.fastmap_id"
      return switch field.kind {
      case .attribute: nil
      case .toOne:
        Statement(
          """
          SELECT t.\(field.identifier), t.fastmap_id FROM \(table) t WHERE t.\(field.identifier) = ANY ($1)
          ORDER BY t.\(field.identifier), \(order)
          """, .int8.array)
      case .toMany:
        Statement(
          """
          SELECT l.target, l.owner FROM \(field.identifier) l
          JOIN \(table) t ON t.fastmap_id = l.owner AND t.fastmap_shard = l.owner_shard
          WHERE l.target = ANY ($1) ORDER BY l.target, \(order)
          """, .int8.array)
      }
    }
  }
#endif
