#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// Rows of `fastmap_leftover`.
  struct LeftoverColumns {
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

    func append(_ number: UUIDBytes, _ entity: Int64, _ leftover: Leftover) {
      append(number, entity, leftover.id.column, leftover.isOwned, leftover.deletesShared)
    }

    /// Sends the rows, without waiting.
    func send(_ layout: Layout, _ connection: Connection) throws {
      let statement = Statement(
        """
        INSERT INTO \(layout.qualified("fastmap_leftover")) (import, entity, object, is_owned, deletes_shared)
        SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
        """, .uuid.array, .int8.array, .int8.array, .boolean.array, .boolean.array)
      try connection.sendQuietly(statement, parameters)
    }
  }

  extension PostgresWriter {
    private static let leftoverSize = 60

    /// Takes no trip: the rows travel with the changes.
    public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws
      -> AnyObject?
    {
      let known = keeper as? ImportLease
      guard known != nil || !leftovers.isEmpty else { return keeper }
      try reader.verify()
      guard let layout = reader.session.layout else { return keeper }
      let lease = known ?? ImportLease(state.store, layout)
      try lease.sendRow(connection)
      let size = reader.bounds.count(ofSize: Self.leftoverSize)
      for chunk in Set(leftovers).sorted(by: { $0.id < $1.id }).chunks(of: size) {
        let rows = LeftoverColumns()
        for leftover in chunk {
          guard let bound = binding[leftover.entity] else { continue }
          rows.append(lease.number, bound.stored.number, leftover)
        }
        try rows.send(layout, connection)
      }
      return lease
    }

    /// Takes one trip if no import was interrupted.
    public mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
      try reader.verify()
      guard let layout = reader.session.layout else { return [] }
      let (imports, leftovers) = (
        layout.qualified("fastmap_import"), layout.qualified("fastmap_leftover")
      )
      let own = (keeper as? ImportLease)?.number ?? .none
      if own != .none {
        // The end of the lease removes the row of the import.
        try connection.sendQuietly(
          Statement("DELETE FROM \(leftovers) WHERE import = $1", .uuid), Parameters(own))
      }
      // The rows are of the snapshot, so their times are compared with its time.
      let answer = try connection.run(
        Statement(
          "SELECT id FROM \(imports) WHERE expires < now() AND id <> $1 FOR UPDATE SKIP LOCKED",
          .uuid),
        Parameters(own))
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

    private func knowsRelationships(of entity: Int) -> Bool {
      guard let bound = binding[entity] else { return false }
      let known = Set(bound.fields.compactMap { $0?.stored.number })
      return bound.stored.fields.allSatisfy { $0.target == nil || known.contains($0.number) }
    }
  }
#endif
