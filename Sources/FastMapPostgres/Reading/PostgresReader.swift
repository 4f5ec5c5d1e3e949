#if Postgres
  public import FastMapStoreKit
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
    let bounds: StatementBounds
    /// The questions that were sent ahead, for all copies of the reader.
    let anticipated = AnticipatedQuestions()
    private(set) var schema: Schema
    private(set) var binding: Binding

    var connection: Connection { session.connection }

    /// Each call is a round trip.
    public var prefersSets: Bool { true }

    /// The most numbers of objects in one statement.
    var maxRowsPerStatement: Int { bounds.count(ofSize: 8) }

    init(_ session: TransactionLayout, _ schema: Schema, _ configuration: PostgresStore.Configuration) throws
    {
      self.session = session
      self.schema = schema
      bounds = StatementBounds(configuration)
      binding = try Self.bind(schema, session)
    }

    public mutating func use(_ schema: Schema) throws {
      // What was asked ahead stays.
      if schema.isIdentical(to: self.schema) { return }
      dropAnticipated()
      binding = try Self.bind(schema, session)
      self.schema = schema
    }

    /// Takes the catalog that its transaction has changed.
    mutating func rebind() throws { binding = try Self.bind(schema, session) }

    private static func bind(_ schema: Schema, _ session: TransactionLayout) throws -> Binding {
      guard let layout = session.layout else { return try Binding(nothingOf: schema) }
      do { return try layout.bind(schema, at: session.connection.place) } catch let error
        as SchemaMismatchError
      {
        // Another program may have changed the types since.
        guard !session.isCurrent else { throw error }
        try session.readOwnCatalog()
        return try session.layout?.bind(schema, at: session.connection.place) ?? Binding(nothingOf: schema)
      }
    }

    /// Sends statements about an entity, of the catalog that the transaction sees.
    ///
    /// - Returns: Nil if the store does not have the entity.
    mutating func send<R>(
      about entity: Int, _ body: (Binding.Entity, Connection) throws -> R
    ) throws -> R? {
      try send { binding, connection in try binding[entity].map { try body($0, connection) } }
    }

    /// The same, for statements about several entities.
    mutating func send<R>(
      about entity: Int, _ body: (Binding.Entity, Binding, Connection) throws -> R
    ) throws -> R? {
      try send { binding, connection in try binding[entity].map { try body($0, binding, connection) } }
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
        message: "another program has changed the store: a value was not written by FastMap",
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
      if ids.isEmpty { return }
      let question = try anticipated.rows(of: ids, entity) ?? ask(rowsOf: ids, of: entity)
      guard let question, let bound = binding[entity] else { return }
      let memory = DecodedBytes()
      let columns = bound.columns
      var buffer = RowBuffer()
      buffer.reset(count: bound.fields.count)
      for (field, value) in schema.entities[entity].defaults(where: { bound.fields[$0] == nil }) {
        buffer.set(value, at: field)
      }
      var places = question.places
      try connection.forEachAnswer(to: question.tickets) { _, answer in
        try bound.checkTypes(of: answer, offset: 1, at: connection.place)
        for row in 0..<answer.rowCount {
          for column in columns {
            guard let value = column.read(answer, row, offset: 1, memory) else {
              throw damaged(column.field, of: bound)
            }
            buffer.borrow(value, at: column.field)
          }
          try places.forEachPlace(of: answer.id(row, 0)) { try body($0, buffer.row) }
          memory.removeAll()
        }
      }
    }

    /// Sends the question for rows.
    ///
    /// - Returns: Nil if the store does not have the entity.
    private mutating func ask(rowsOf ids: [ObjectID], of entity: Int) throws -> AskedObjects? {
      let places = ObjectPlaces(ids)
      let limit = maxRowsPerStatement
      let session = self.session
      let tickets = try send(about: entity) { bound, connection in
        try session.lock(places.ids)
        if places.ids.count > Self.fewObjects { try session.useIndexes() }
        let statement = Statement("\(bound.rowsQuestion) WHERE t.fastmap_id = ANY ($1)", .int8.array)
        return try places.ids.chunks(of: limit).map {
          try connection.send(statement, Parameters(ArrayColumn(numbers: $0)))
        }
      }
      return tickets.map { AskedObjects(places: places, tickets: $0) }
    }

    public mutating func targets(
      of owners: [ObjectID], entity: Int, fields: [Int]
    ) throws -> [[[ObjectID]]] {
      var result = [[[ObjectID]]](
        repeating: [[ObjectID]](repeating: [], count: owners.count), count: fields.count)
      if owners.isEmpty || fields.isEmpty { return result }
      let questions =
        try anticipated.targets(of: owners, entity, fields)
        ?? fields.map { try ask(targetsOf: owners, of: entity, $0) }
      let asked = questions.enumerated().flatMap { index, question in
        question.map { question in question.tickets.map { (index, question.places, $0) } } ?? []
      }
      try connection.forEachAnswer(to: asked.map(\.2)) { number, answer in
        if answer.type(of: 1) != .int8 { throw PostgresError.otherType(at: connection.place) }
        let (index, places, _) = asked[number]
        Self.collect(answer, places, into: &result[index])
      }
      return result
    }

    /// Appends targets to the lists of their owners. The targets of an owner come together and in order.
    private static func collect(
      _ answer: borrowing Answer, _ places: ObjectPlaces, into lists: inout [[ObjectID]]
    ) {
      var places = places
      var row = 0
      while row < answer.rowCount {
        let owner = answer.id(row, 0)
        var targets: [ObjectID] = []
        while row < answer.rowCount, answer.id(row, 0) == owner {
          targets.append(answer.id(row, 1))
          row += 1
        }
        places.forEachPlace(of: owner) { lists[$0] = targets }
      }
    }

    /// Sends the question for targets: owner and target, in order.
    ///
    /// - Returns: Nil if the store does not have the relationship.
    private mutating func ask(
      targetsOf owners: [ObjectID], of entity: Int, _ field: Int
    ) throws -> AskedObjects? {
      let places = ObjectPlaces(owners)
      let limit = maxRowsPerStatement
      let session = self.session
      let tickets = try send(about: entity) { bound, connection -> [Ticket]? in
        guard let statement = bound.targetsStatement(field) else { return nil }
        try session.lock(places.ids)
        if places.ids.count > Self.fewObjects { try session.useIndexes() }
        return try places.ids.chunks(of: limit).map {
          try connection.send(statement, Parameters(ArrayColumn(numbers: $0)))
        }
      }
      return (tickets ?? nil).map { AskedObjects(places: places, tickets: $0) }
    }

    /// So few that every planner takes an index.
    static let fewObjects = 16
  }

  /// Questions that are sent ahead.
  extension PostgresReader: AnticipatingReader {
    package mutating func anticipate(rowsOf ids: [ObjectID], of entity: Int) throws {
      if anticipated.has(rowsOf: ids, entity) { return }
      guard let question = try ask(rowsOf: ids, of: entity) else { return }
      anticipated.add(rowsOf: ids, entity, question)
      try connection.flushAhead()
    }

    package mutating func anticipate(targetsOf owners: [ObjectID], entity: Int, fields: [Int]) throws {
      let questions = try fields.map { try ask(targetsOf: owners, of: entity, $0) }
      anticipated.add(targetsOf: owners, entity, fields, questions)
      try connection.flushAhead()
    }

    package mutating func consumeInput() throws { try connection.consumeInput() }

    package func dropAnticipated() {
      for ticket in anticipated.removeAll() { connection.forget(ticket) }
    }
  }

  extension Binding.Entity {
    /// Asks for rows: their numbers and all columns.
    var rowsQuestion: String {
      let columns = ["t.fastmap_id", columnList].filter { !$0.isEmpty }.joined(separator: ", ")
      return "SELECT \(columns) FROM \(table) t"
    }

    /// Asks for owner and target, in the order of the lists.
    fileprivate func targetsStatement(_ field: Int) -> Statement? {
      guard let field = fields[field] else { return nil }
      return switch field.kind {
      case .attribute: nil
      case .toOne:
        Statement(
          "SELECT t.fastmap_id, t.\(field.identifier) FROM \(table) t "
            + "WHERE t.fastmap_id = ANY ($1) AND t.\(field.identifier) IS NOT NULL", .int8.array)
      case .toMany:
        // The index has this order.
        Statement(
          "SELECT l.owner, l.target FROM \(field.identifier) l WHERE l.owner = ANY ($1) ORDER BY l.owner, l.position",
          .int8.array)
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
    convenience init(numbers ids: some Collection<ObjectID>) {
      self.init(of: .int8, capacity: ids.count * 12)
      for id in ids { int8(Int64(bitPattern: id.rawValue)) }
    }
  }
#endif
