#if Postgres
  public import FastMapMaintenance
  internal import FastMapSQL

  extension PostgresStore {
    /// Counts the objects of each entity.
    ///
    /// - Throws: ``PostgresError``, also if there is no store.
    /// - Complexity: O(*n*) in the objects, on the server. One round trip for all entities.
    public func statistics() throws -> StoreStatistics {
      try explaining(.read, Schema(entities: [])) {
        try pool.read(isRepeatable: true) { connection in
          let layout = try existingLayout(connection)
          // Citus takes no subquery beside an aggregate, so the sizes are a question of their own.
          let tickets = try layout.catalog.entities.map { entity in
            let table = layout.qualified(entity.sqlName)
            let tables = [entity.sqlName] + entity.fields.filter(\.isToMany).map(\.sqlName)
            let function = server.flavour == .citus ? "citus_total_relation_size" : "pg_total_relation_size"
            let sizes = tables.map { "\(function)(\(SQLText.literal(layout.qualified($0))))" }
            let counts =
              "SELECT count(*), count(*) FILTER (WHERE fastmap_order IS NULL) FROM \(table)"
            return (
              counts: try connection.send(Statement(counts)),
              size: try connection.send(Statement("SELECT (\(sizes.joined(separator: " + ")))::int8"))
            )
          }
          var entities: [StoreStatistics.Entity] = []
          for (entity, ticket) in zip(layout.catalog.entities, tickets) {
            let counts = try connection.answer(to: ticket.counts)
            let size = try connection.answer(to: ticket.size)
            entities.append(
              StoreStatistics.Entity(
                name: entity.name, objectCount: Int(counts.int8(0, 0)), keyedCount: Int(counts.int8(0, 1)),
                bytes: Int(size.int8(0, 0)),
                indexes: entity.indexes.map { .init(name: $0.name, isUnique: $0.isUnique) }))
          }
          return StoreStatistics(entities: entities)
        }
      }
    }

    /// Reads the layout in the connection's transaction.
    ///
    /// - Throws: ``PostgresError`` if there is no store.
    func existingLayout(_ connection: Connection) throws -> Layout {
      do {
        return try Layout.readExisting(connection, schema: configuration.schema)
      } catch let error as PostgresError where error.code == "42P01" || error.code == "3F000" {
        connection.discardAll()
        try connection.beginAgain()
      }
      guard let layout = try Layout.read(connection, schema: configuration.schema) else {
        throw PostgresError(
          server: connection.place,
          message: "there is no store in the schema \(SQLText.identifier(configuration.schema))",
          hint: "The first import makes it, or fastmap prepare.", schema: configuration.schema)
      }
      return layout
    }

    /// Throws ``PostgresError`` if there is no store. A read would find it empty.
    package func requireStore() throws {
      try explaining(.read, Schema(entities: [])) {
        layouts.set(try pool.read(isRepeatable: true) { try existingLayout($0) })
      }
    }

    var server: Server { pool.server }
  }
#endif
