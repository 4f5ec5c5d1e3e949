#if Postgres
  public import FastMapCore
  internal import FastMapSQL

  // An import in several commits keeps its leftovers with them. It has a row in `fastmap_import`, which a connection of its
  // own locks as long as it lives. So another write finds out that the import has ended, however it did: the row is there,
  // and nobody has locked it. Neither a clock nor an advisory lock is needed.

  /// The mark of a running import: a connection that locks its row.
  private final class ImportMark {
    let number: UUIDBytes
    private let connection: Connection
    private let layout: Layout

    /// Unlocks the row, and removes it if the import has deleted its leftovers.
    deinit {
      var parameters = Parameters()
      parameters.uuid(number)
      _ = try? connection.run(
        Statement(
          """
          DELETE FROM \(layout.qualified("fastmap_import")) i WHERE i.id = $1
            AND NOT EXISTS (SELECT FROM \(layout.qualified("fastmap_leftover")) l WHERE l.import = i.id)
          """, .uuid), parameters)
      try? connection.execute("COMMIT")
    }

    /// Makes the row, and locks it.
    init(_ store: PostgresStore, _ layout: Layout) throws {
      let connection = try store.pool.extraConnection()
      let table = layout.qualified("fastmap_import")
      while true {
        let number = UUIDBytes.random
        var parameters = Parameters()
        parameters.uuid(number)
        let insertion = Statement("INSERT INTO \(table) (id) VALUES ($1)", .uuid)
        _ = try connection.run(insertion, parameters)
        try connection.sendQuietly(Statement("BEGIN ISOLATION LEVEL READ COMMITTED"))
        try connection.sendQuietly(Statement("SET LOCAL idle_in_transaction_session_timeout = 0"))
        let lock = Statement("SELECT id FROM \(table) WHERE id = $1 FOR UPDATE", .uuid)
        if try connection.run(lock, parameters).rowCount == 1 {
          (self.number, self.connection, self.layout) = (number, connection, layout)
          return
        }
        // Another write has taken it for one that has ended, in the moment between both statements.
        try connection.execute("ROLLBACK")
      }
    }
  }

  extension PostgresWriter {
    public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
      guard !leftovers.isEmpty else { return keeper }
      try reader.verify()
      guard let layout = reader.session.layout else { return keeper }
      let mark = try keeper as? ImportMark ?? ImportMark(state.store, layout)
      let (imports, entities, objects) = (
        ArrayColumn(of: .uuid), ArrayColumn(of: .int8), ArrayColumn(of: .int8)
      )
      let (owned, shared) = (ArrayColumn(of: .boolean), ArrayColumn(of: .boolean))
      for leftover in Set(leftovers).sorted(by: { $0.id < $1.id }) {
        guard let bound = binding[leftover.entity] else { continue }
        imports.next().uuid(mark.number.high, mark.number.low)
        entities.int8(bound.stored.number)
        objects.int8(leftover.id.column)
        owned.next().boolean(leftover.isOwned)
        shared.next().boolean(leftover.deletesShared)
      }
      try connection.sendQuietly(
        Statement(
          """
          INSERT INTO \(layout.qualified("fastmap_leftover")) (import, entity, object, is_owned, deletes_shared)
          SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
          """, .uuid.array, .int8.array, .int8.array, .boolean.array, .boolean.array),
        Parameters(imports, entities, objects, owned, shared))
      return mark
    }

    /// Takes one trip if no import was interrupted.
    public mutating func takeLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
      try reader.verify()
      guard let layout = reader.session.layout else { return [] }
      let (imports, leftovers) = (layout.qualified("fastmap_import"), layout.qualified("fastmap_leftover"))
      if let own = keeper as? ImportMark {
        // Its row is locked by its own connection, which removes it at its end.
        var parameters = Parameters()
        parameters.uuid(own.number)
        try connection.sendQuietly(Statement("DELETE FROM \(leftovers) WHERE import = $1", .uuid), parameters)
      }
      let answer = try connection.run(Statement("SELECT id FROM \(imports) FOR UPDATE SKIP LOCKED"))
      guard answer.rowCount > 0 else { return [] }
      let ended = ArrayColumn(of: .uuid)
      for row in 0..<answer.rowCount {
        let id = UUIDBytes(answer.bytes(row, 0))
        ended.next().uuid(id.high, id.low)
      }
      let (taken, removed) = try split(
        connection.run(
          Statement(
            """
            SELECT l.import, l.entity, l.object, l.is_owned, l.deletes_shared FROM \(leftovers) l
            WHERE l.import = ANY ($1)
            """, .uuid.array), Parameters(ended)), layout)
      try connection.sendQuietly(
        Statement(
          """
          DELETE FROM \(leftovers) l USING unnest($1, $2, $3, $4, $5) n (import, entity, object, owned, shared)
          WHERE l.import = n.import AND l.entity = n.entity AND l.object = n.object
            AND l.is_owned = n.owned AND l.deletes_shared = n.shared
          """, .uuid.array, .int8.array, .int8.array, .boolean.array, .boolean.array), removed)
      try connection.sendQuietly(
        Statement(
          """
          DELETE FROM \(imports) i WHERE i.id = ANY ($1)
            AND NOT EXISTS (SELECT FROM \(leftovers) l WHERE l.import = i.id)
          """, .uuid.array), Parameters(ended))
      return taken
    }

    /// The leftovers that this write can delete completely, and their rows.
    private func split(_ answer: Answer, _ layout: Layout) throws -> ([Leftover], Parameters) {
      var taken: [Leftover] = []
      let (imports, entities, objects) = (
        ArrayColumn(of: .uuid), ArrayColumn(of: .int8), ArrayColumn(of: .int8)
      )
      let (owned, shared) = (ArrayColumn(of: .boolean), ArrayColumn(of: .boolean))
      var numbers: [Int64: Int] = [:]
      for (number, bound) in binding.entities.enumerated() {
        if let bound { numbers[bound.stored.number] = number }
      }
      for row in 0..<answer.rowCount {
        let isOwned = answer.boolean(row, 3)
        guard let entity = numbers[answer.int8(row, 1)], !isOwned || knowsRelationships(of: entity) else {
          continue
        }
        taken.append(
          Leftover(
            id: answer.id(row, 2), entity: entity, isOwned: isOwned, deletesShared: answer.boolean(row, 4)))
        let id = UUIDBytes(answer.bytes(row, 0))
        imports.next().uuid(id.high, id.low)
        entities.int8(answer.int8(row, 1))
        objects.int8(answer.int8(row, 2))
        owned.next().boolean(isOwned)
        shared.next().boolean(answer.boolean(row, 4))
      }
      return (taken, Parameters(imports, entities, objects, owned, shared))
    }

    /// Whether the schema names all relationships of an entity.
    private func knowsRelationships(of entity: Int) -> Bool {
      guard let bound = binding[entity] else { return false }
      let known = Set(bound.fields.compactMap { $0?.stored.number })
      return bound.stored.fields.allSatisfy { $0.target == nil || known.contains($0.number) }
    }
  }
#endif
