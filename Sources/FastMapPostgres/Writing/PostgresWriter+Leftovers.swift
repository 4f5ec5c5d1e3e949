#if Postgres
  public import FastMapCore
  internal import FastMapSQL

  // An import in several commits commits its leftovers with its changes. It has a row in `fastmap_import`, which a
  // connection of its own locks as long as the import lives. So another write can tell that the import has ended, in
  // whatever way: the row is there, and nobody has locked it. Neither a clock nor an advisory lock is needed.
  //
  // The connection may end before the import does: a server restarts, or a replica is promoted. The import locks its
  // row again with its next commit. Until then another write may take its leftovers, and deletes the unreferenced ones.

  /// The mark of a running import: a connection that locks its row.
  private final class ImportMark {
    /// The import's row, and behind it rows whose lock was lost to another write.
    private(set) var numbers: [UUIDBytes] = []
    private let pool: Pool
    private let layout: Layout
    private var kept: KeptConnection?

    var number: UUIDBytes { numbers[0] }

    /// Makes the row, and locks it.
    init(_ store: PostgresStore, _ layout: Layout) throws {
      pool = store.pool
      self.layout = layout
      try lock()
    }

    /// Unlocks the row, and removes it if the import has deleted its leftovers.
    deinit {
      guard let connection = kept?.connection, !connection.isBroken else { return }
      // A server that does not answer removes the row later, with the next write.
      let timeout = connection.statementTimeout
      connection.statementTimeout = .seconds(5)
      defer { connection.statementTimeout = timeout }
      var parameters = Parameters()
      parameters.uuid(number)
      _ = try? connection.run(
        Statement(
          """
          DELETE FROM \(layout.qualified("fastmap_import")) i WHERE i.id = $1
            AND NOT EXISTS (SELECT FROM \(layout.qualified("fastmap_leftover")) l WHERE l.import = i.id)
          """, .uuid), parameters)
      do { try connection.execute("COMMIT") } catch { connection.isBroken = true }
    }

    /// Makes sure that the row is locked. Takes one trip.
    func renew() throws {
      if let kept, !kept.isOutdated {
        do {
          _ = try kept.connection.run(Statement("SELECT 1"))
          return
        } catch let error as CancellationError {
          throw error
        } catch {
          kept.connection.isBroken = true
        }
      }
      kept?.connection.isBroken = true
      kept = nil
      try lock()
    }

    private func lock() throws {
      let kept = try pool.keepConnection(
        isOfImport: true, for: "an import in several commits keeps one more until it ends")
      do {
        let isLocked = try !numbers.isEmpty && lockRows(kept.connection)
        if !isLocked { try lockNewRow(kept.connection) }
      } catch {
        kept.connection.isBroken = true
        throw error
      }
      self.kept = kept
    }

    /// Locks the rows that nobody else has locked.
    ///
    /// - Returns: Whether the import's row is one of them.
    private func lockRows(_ connection: Connection) throws -> Bool {
      try connection.sendQuietly(Statement("BEGIN ISOLATION LEVEL READ COMMITTED"))
      try connection.sendQuietly(Statement("SET LOCAL idle_in_transaction_session_timeout = 0"))
      if connection.server.version >= 170_000 {
        try connection.sendQuietly(Statement("SET LOCAL transaction_timeout = 0"))
      }
      // Another write may have taken the import for an ended one. It then holds the lock; this statement does not wait.
      let answer = try connection.run(
        Statement(
          "SELECT id FROM \(layout.qualified("fastmap_import")) WHERE id = ANY ($1) FOR UPDATE SKIP LOCKED",
          .uuid.array), Parameters(ArrayColumn(numbers: numbers)))
      return (0..<answer.rowCount).contains { UUIDBytes(answer.bytes($0, 0)) == number }
    }

    private func lockNewRow(_ connection: Connection) throws {
      while true {
        try connection.execute("ROLLBACK")
        numbers.insert(.random, at: 0)
        var parameters = Parameters()
        parameters.uuid(number)
        let insertion = Statement("INSERT INTO \(layout.qualified("fastmap_import")) (id) VALUES ($1)", .uuid)
        _ = try connection.run(insertion, parameters)
        if try lockRows(connection) { return }
        // Between the two statements, another write has taken the import for an ended one.
        numbers.removeFirst()
      }
    }
  }

  extension ArrayColumn {
    fileprivate convenience init(numbers: [UUIDBytes]) {
      self.init(of: .uuid)
      for number in numbers { next().uuid(number.high, number.low) }
    }
  }

  /// Rows of `fastmap_leftover`.
  private struct LeftoverColumns {
    private let imports = ArrayColumn(of: .uuid)
    private let entities = ArrayColumn(of: .int8)
    private let objects = ArrayColumn(of: .int8)
    private let owned = ArrayColumn(of: .boolean)
    private let shared = ArrayColumn(of: .boolean)

    var count: Int { objects.count }
    var parameters: Parameters { Parameters(imports, entities, objects, owned, shared) }

    func append(_ number: UUIDBytes, _ entity: Int64, _ object: Int64, _ isOwned: Bool, _ deletesShared: Bool)
    {
      imports.next().uuid(number.high, number.low)
      entities.int8(entity)
      objects.int8(object)
      owned.next().boolean(isOwned)
      shared.next().boolean(deletesShared)
    }
  }

  extension PostgresWriter {
    /// The bytes of a leftover.
    private static let leftoverSize = 60

    public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
      let known = keeper as? ImportMark
      try known?.renew()
      guard !leftovers.isEmpty else { return keeper }
      try reader.verify()
      guard let layout = reader.session.layout else { return keeper }
      let mark = try known ?? ImportMark(state.store, layout)
      let statement = Statement(
        """
        INSERT INTO \(layout.qualified("fastmap_leftover")) (import, entity, object, is_owned, deletes_shared)
        SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
        """, .uuid.array, .int8.array, .int8.array, .boolean.array, .boolean.array)
      let size = reader.bounds.count(ofSize: Self.leftoverSize)
      for chunk in Set(leftovers).sorted(by: { $0.id < $1.id }).chunks(of: size) {
        let rows = LeftoverColumns()
        for leftover in chunk {
          guard let bound = binding[leftover.entity] else { continue }
          rows.append(
            mark.number, bound.stored.number, leftover.id.column, leftover.isOwned, leftover.deletesShared)
        }
        try connection.sendQuietly(statement, rows.parameters)
      }
      return mark
    }

    /// Takes one trip if no import was interrupted.
    public mutating func takeLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
      try reader.verify()
      guard let layout = reader.session.layout else { return [] }
      let (imports, leftovers) = (layout.qualified("fastmap_import"), layout.qualified("fastmap_leftover"))
      if let own = keeper as? ImportMark {
        // Its row is locked by its own connection, which removes it at its end.
        try connection.sendQuietly(
          Statement("DELETE FROM \(leftovers) WHERE import = ANY ($1)", .uuid.array),
          Parameters(ArrayColumn(numbers: own.numbers)))
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
      let removal = Statement(
        """
        DELETE FROM \(leftovers) l USING unnest($1, $2, $3, $4, $5) n (import, entity, object, owned, shared)
        WHERE l.import = n.import AND l.entity = n.entity AND l.object = n.object
          AND l.is_owned = n.owned AND l.deletes_shared = n.shared
        """, .uuid.array, .int8.array, .int8.array, .boolean.array, .boolean.array)
      for rows in removed { try connection.sendQuietly(removal, rows.parameters) }
      try connection.sendQuietly(
        Statement(
          """
          DELETE FROM \(imports) i WHERE i.id = ANY ($1)
            AND NOT EXISTS (SELECT FROM \(leftovers) l WHERE l.import = i.id)
          """, .uuid.array), Parameters(ended))
      return taken
    }

    /// The leftovers that this write can delete completely, and their rows.
    private func split(_ answer: Answer, _ layout: Layout) throws -> ([Leftover], [LeftoverColumns]) {
      var taken: [Leftover] = []
      var removed: [LeftoverColumns] = []
      let size = reader.bounds.count(ofSize: Self.leftoverSize)
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
        if removed.last.map({ $0.count >= size }) ?? true { removed.append(LeftoverColumns()) }
        removed[removed.count - 1].append(
          UUIDBytes(answer.bytes(row, 0)), answer.int8(row, 1), answer.int8(row, 2), isOwned,
          answer.boolean(row, 4))
      }
      return (taken, removed)
    }

    /// Whether the schema names all relationships of an entity.
    private func knowsRelationships(of entity: Int) -> Bool {
      guard let bound = binding[entity] else { return false }
      let known = Set(bound.fields.compactMap { $0?.stored.number })
      return bound.stored.fields.allSatisfy { $0.target == nil || known.contains($0.number) }
    }
  }
#endif
