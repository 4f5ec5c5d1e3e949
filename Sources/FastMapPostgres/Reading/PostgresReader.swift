#if Postgres
  public import FastMapCore
  internal import FastMapSQL

  /// A snapshot of a PostgreSQL store.
  ///
  ///     let count = try store.read(plan.schema) { try $0.count(of: 0) }
  ///
  /// Each call with a set of objects takes one round trip.
  ///
  /// - Note: It is valid until the call that lends it returns.
  public struct PostgresReader: StoreReader {
    let session: TransactionLayout
    let maxRowsPerStatement: Int
    private(set) var schema: Schema
    private(set) var binding: Binding

    var connection: Connection { session.connection }

    /// Each call is a round trip.
    public var prefersSets: Bool { true }

    init(_ session: TransactionLayout, _ schema: Schema, maxRowsPerStatement: Int) throws {
      self.session = session
      self.schema = schema
      self.maxRowsPerStatement = max(1, maxRowsPerStatement)
      binding = try Self.bind(schema, session)
    }

    public mutating func use(_ schema: Schema) throws {
      binding = try Self.bind(schema, session)
      self.schema = schema
    }

    private static func bind(_ schema: Schema, _ session: TransactionLayout) throws -> Binding {
      guard let layout = session.layout else { return try Binding(nothingOf: schema) }
      return try layout.bind(schema, at: session.connection.place)
    }

    /// Sends statements about an entity, of the catalog that the transaction sees.
    ///
    /// - Returns: Nil if the store does not have the entity.
    mutating func send<R>(
      about entity: Int, _ body: (Binding.Entity, Connection) throws -> R
    ) throws -> R? {
      try send { binding, connection in try binding[entity].map { try body($0, connection) } }
    }

    /// Sends statements of the catalog that the transaction sees.
    mutating func send<R>(_ body: (Binding, Connection) throws -> R) throws -> R {
      var binding = self.binding
      let result = try session.send(
        { try body(binding, session.connection) }, rebind: { binding = try Self.bind(schema, session) })
      self.binding = binding
      return result
    }

    /// Makes sure that the schema fits the catalog, if nothing was asked.
    mutating func verify() throws {
      if !session.isCurrent { try send { _, _ in } }
    }

    func damaged(_ field: Int, of bound: Binding.Entity) -> PostgresError {
      PostgresError(
        server: connection.place,
        message: "somebody else has changed the store: a value is not what FastMap writes",
        schema: session.layout?.schema, table: bound.stored.sqlName,
        column: bound.fields[field]?.stored.sqlName)
    }
  }

  extension Binding {
    /// The binding of a schema to a store without a catalog.
    init(nothingOf schema: Schema) throws {
      entities = schema.entities.map { _ in nil }
      sql = try SQLCatalog().bind(schema)
    }
  }

  /// Objects and targets.
  extension PostgresReader {
    public mutating func read(
      _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
    ) throws {
      let limit = maxRowsPerStatement
      let sent = try send(about: entity) { [session] bound, connection in
        try session.lock(ids)
        let statement = Statement(
          """
          SELECT fastmap_i, \(bound.prefixedColumns)t.fastmap_id
          FROM unnest($1) WITH ORDINALITY n (fastmap_n, fastmap_i) JOIN \(bound.table) t ON t.fastmap_id = fastmap_n
          """, .int8Array)
        return try ids.chunks(of: limit).map { chunk in
          (
            offset: chunk.startIndex,
            ticket: try connection.send(statement, Parameters(ArrayColumn(numbers: chunk)))
          )
        }
      }
      guard let sent, let bound = binding[entity] else { return }
      let memory = DecodedBytes()
      for (offset, ticket) in sent {
        let answer = try connection.answer(to: ticket)
        try bound.checkTypes(of: answer, offset: 1, at: connection.place)
        for row in 0..<answer.rowCount {
          var damage: Int?
          try Row.lend(
            count: bound.fields.count,
            decoding: { field in
              if let value = bound.field(field, of: answer, row, offset: 1, memory) { return value }
              damage = field
              return .missing
            },
            to: { try body(offset + Int(answer.int8(row, 0)) - 1, $0) })
          if let damage { throw damaged(damage, of: bound) }
          memory.removeAll()
        }
      }
    }

    public mutating func targets(
      of owners: [ObjectID], entity: Int, fields: [Int]
    ) throws -> [[[ObjectID]]] {
      var result = [[[ObjectID]]](
        repeating: [[ObjectID]](repeating: [], count: owners.count), count: fields.count)
      if owners.isEmpty || fields.isEmpty { return result }
      let limit = maxRowsPerStatement
      let sent = try send(about: entity) { [session] bound, connection in
        try session.lock(owners)
        return try fields.map { field in try bound.sendTargets(of: owners, field, connection, limit) }
      }
      guard let sent else { return result }
      for (place, questions) in sent.enumerated() {
        for (offset, ticket) in questions {
          let answer = try connection.answer(to: ticket)
          if answer.type(of: 2) != .int8 { throw PostgresError.otherType(at: connection.place) }
          Self.collect(answer, offset, into: &result[place])
        }
      }
      return result
    }

    /// Appends targets to the lists of their owners. The rows of a list come in order, as a rule: an index has it.
    private static func collect(_ answer: consuming Answer, _ offset: Int, into lists: inout [[ObjectID]]) {
      var positions: [Int32] = []
      var current = -1
      for row in 0..<answer.rowCount {
        let owner = offset + Int(answer.int8(row, 0)) - 1
        let position = answer.int4(row, 1)
        let target = ObjectID(rawValue: UInt64(bitPattern: answer.int8(row, 2)))
        if owner != current || positions.last.map({ $0 >= position }) ?? false {
          guard lists[owner].isEmpty else { return sort(answer, offset, into: &lists) }
          positions.removeAll(keepingCapacity: true)
          current = owner
        }
        positions.append(position)
        lists[owner].append(target)
      }
    }

    /// The same for rows in any order.
    private static func sort(_ answer: borrowing Answer, _ offset: Int, into lists: inout [[ObjectID]]) {
      var rows = (0..<answer.rowCount).map { row in
        (owner: answer.int8(row, 0), position: answer.int4(row, 1), target: answer.int8(row, 2))
      }
      rows.sort { ($0.owner, $0.position) < ($1.owner, $1.position) }
      for row in rows { lists[offset + Int(row.owner) - 1].removeAll() }
      for row in rows {
        lists[offset + Int(row.owner) - 1].append(ObjectID(rawValue: UInt64(bitPattern: row.target)))
      }
    }
  }

  extension Binding.Entity {
    // No column of a field begins with `fastmap_`, so the names of the statement are not ambiguous.
    fileprivate var prefixedColumns: String { columnCount == 0 ? "" : "\(columnList), " }

    /// Asks for owner, position and target. Nothing is sorted by the server.
    fileprivate func sendTargets(
      of owners: [ObjectID], _ field: Int, _ connection: Connection, _ limit: Int
    ) throws -> [(offset: Int, ticket: Ticket)] {
      guard let field = fields[field] else { return [] }
      let text: String
      switch field.kind {
      case .attribute: return []
      case .toOne:
        text = """
          SELECT fastmap_i, 0::int4, t.\(field.identifier)
          FROM unnest($1) WITH ORDINALITY n (fastmap_n, fastmap_i) JOIN \(table) t ON t.fastmap_id = fastmap_n
          WHERE t.\(field.identifier) IS NOT NULL
          """
      case .toMany:
        text = """
          SELECT fastmap_i, l.position, l.target
          FROM unnest($1) WITH ORDINALITY n (fastmap_n, fastmap_i) JOIN \(field.identifier) l ON l.owner = fastmap_n
          """
      }
      let statement = Statement(text, .int8Array)
      return try owners.chunks(of: limit).map { chunk in
        (
          offset: chunk.startIndex,
          ticket: try connection.send(statement, Parameters(ArrayColumn(numbers: chunk)))
        )
      }
    }
  }

  extension Array {
    /// Slices of at most `size` elements.
    func chunks(of size: Int) -> [ArraySlice<Element>] {
      stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
  }

  extension ArrayColumn {
    /// A column of the numbers of objects.
    convenience init(numbers ids: some Collection<ObjectID>) {
      self.init(of: .int8, capacity: ids.count * 12)
      for id in ids { int8(Int64(bitPattern: id.rawValue)) }
    }
  }
#endif
