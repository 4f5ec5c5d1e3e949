#if Postgres
  internal import FastMapMaintenance
  internal import FastMapSQL

  /// Writes the objects of a dump into new tables, in one transaction. An object's number is its `fastmap_id`.
  ///
  /// Keys and indexes come last: they are built faster after the rows, and the fields of the keys are known by then.
  final class LoadingTransaction: DumpTarget {
    private let connection: Connection
    private let settings: PostgresStore.Configuration
    private let lines: JSONLines
    private var schema = Schema(entities: [])
    private(set) var layout: Layout
    private var binding: Binding?
    private var keyFields: [Int?] = []

    /// The entity of the rows that were not sent yet.
    private var entity = 0
    private var insertion: Insertion?
    private let rows = FieldBuffer()
    private var order = CreationOrder()
    /// The last object, and the links that were not sent yet, by their fields.
    private var last = ObjectID(rawValue: 0)
    private var links: [Int: FieldBuffer] = [:]
    private var linkBytes = 0
    private var list: (field: Int, owner: ObjectID, count: Int32) = (0, ObjectID(rawValue: 0), 0)

    private var leftovers: [Leftover] = []
    private let importNumber = UUIDBytes.random
    private var hasImport = false

    /// - Throws: ``DumpError`` if the store has objects.
    init(_ connection: Connection, _ settings: PostgresStore.Configuration, _ lines: JSONLines) throws {
      (self.connection, self.settings, self.lines) = (connection, settings, lines)
      mostBytes = min(4 << 20, StatementBounds(settings).bytes)
      layout = try Preparation(
        connection: connection, schema: Schema(entities: []), settings: settings, wait: .seconds(1)
      ).openCatalog()
      let tickets = try layout.catalog.entities.map {
        try connection.send(Statement("SELECT count(*) FROM \(layout.qualified($0.sqlName))"))
      }
      let count = try tickets.reduce(0) { try $0 + Int(connection.answer(to: $1).int8(0, 0)) }
      guard count == 0 else {
        let place = "PostgreSQL at \(connection.place), schema \(SQLText.identifier(settings.schema))"
        throw DumpError.notEmpty(place, count)
      }
    }

    /// The bytes of rows and links that are sent together.
    private let mostBytes: Int
    private static let leftoversAtOnce = 1000

    var mostValueBytes: Int { StatementBounds.mostBytes }

    func refusal(ofKey key: Field) -> String? { key.bytes.flatMap { Layout.refusal(ofKey: $0) } }

    func id(_ number: UInt64, of entity: Int) -> ObjectID { ObjectID(rawValue: number) }

    func begin(_ header: DumpHeader) throws {
      schema = header.schema
      keyFields = Array(repeating: nil, count: schema.entities.count)
      try grow { entity, _ in Schema.Entity(name: entity.name, fields: entity.fields, keyKind: nil) }
      binding = try layout.bind(schema, at: connection.place)
    }

    private func grow(_ entity: (Schema.Entity, Int) -> Schema.Entity) throws {
      let schema = Schema(entities: schema.entities.enumerated().map { entity($1, $0) })
      let preparation = Preparation(
        connection: connection, schema: schema, settings: settings, wait: .seconds(1))
      layout = try preparation.grow(layout, preparation.takenNames()).0
    }

    func insert(_ object: DumpedObject, _ row: Row) throws -> Bool {
      if object.entity != entity { try flush() }
      entity = object.entity
      last = object.id
      guard let bound = binding?[entity] else { return true }
      let change = ObjectChange(
        id: object.id, entity: entity, isNew: true, keyField: object.keyField, row: row)
      if let reason = change.refusal(schema.entities[entity], most: StatementBounds.mostBytes) {
        throw PostgresError(
          server: connection.place, message: reason, schema: layout.schema, table: bound.stored.sqlName)
      }
      let insertion = insertion ?? Insertion(bound)
      self.insertion = insertion
      insertion.append(change, &order, to: rows)
      if let field = object.keyField { keyFields[entity] = field }
      if let leftover = object.leftover { leftovers.append(leftover) }
      if rows.count + linkBytes >= mostBytes { try flush() }
      return true
    }

    func append(_ target: ObjectID, to field: Int) throws {
      if list.field != field || list.owner != last { list = (field, last, 0) }
      guard list.count < .max else {
        throw DumpError(
          file: lines.name, line: lines.number, "a list in PostgreSQL has at most \(Int32.max) targets")
      }
      let buffer = links[field] ?? FieldBuffer()
      links[field] = buffer
      let start = buffer.count
      AddedLinks.append((last, list.count, target), to: buffer)
      list.count += 1
      linkBytes += buffer.count - start
      if rows.count + linkBytes >= mostBytes { try flush() }
    }

    /// Sends the rows and links.
    private func flush() throws {
      if leftovers.count >= Self.leftoversAtOnce { try sendLeftovers() }
      // A dump may have neither objects nor entities.
      guard rows.count > 0 || linkBytes > 0, let bound = binding?[entity] else { return }
      var copies: [(text: String, rows: FieldBuffer)] = []
      if let insertion, rows.count > 0 { copies.append((insertion.copyText, rows)) }
      for (field, buffer) in links.sorted(by: { $0.key < $1.key }) where buffer.count > 0 {
        guard let field = bound.fields[field] else { continue }
        copies.append((AddedLinks(identifier: field.identifier, links: []).copyText, buffer))
      }
      do {
        try connection.copyIn(copies.map(\.text)) { index, writer in writer.append(copies[index].rows) }
      } catch let error as PostgresError {
        guard error.code == "23505" else { throw error.named(bound.subject) }
        // Tables that were there have an index of their keys.
        throw DumpError(
          file: lines.name, line: lines.number,
          "an object before this line has a key that occurs twice: \(error.detail ?? error.message)")
      }
      rows.removeAll(keepingAtMost: mostBytes)
      links.removeAll()
      linkBytes = 0
      insertion = nil
    }

    private func sendLeftovers() throws {
      if !hasImport { try ImportLease.sendEnded(importNumber, layout, connection) }
      hasImport = true
      let rows = LeftoverColumns()
      for leftover in leftovers {
        guard let bound = binding?[leftover.entity] else { continue }
        rows.append(importNumber, bound.stored.number, leftover)
      }
      leftovers.removeAll()
      try rows.send(layout, connection)
    }

    // MARK: The end

    func firstFault() throws -> DumpFault? {
      try flush()
      if !leftovers.isEmpty { try sendLeftovers() }
      guard let binding else { return nil }
      var questions: [(ticket: Ticket, fault: (Answer) -> DumpFault)] = []
      for (number, entity) in schema.entities.enumerated() {
        guard let bound = binding[number] else { continue }
        if let field = keyFields[number].flatMap({ bound.fields[$0] }) {
          let isText = entity.keyKind == .string
          questions.append(
            (
              try connection.send(Statement(bound.sameKeys(field))),
              { answer in
                let text = answer.text(0, 2)
                let key: PrimaryKey = isText ? .string(StoredText.decoded(text)) : .integer(Int64(text) ?? 0)
                return .sameKey(
                  key.description, of: number, answer.id(0, 0).rawValue, answer.id(0, 1).rawValue)
              }
            ))
        }
        for (place, field) in entity.fields.enumerated() {
          guard let target = field.kind.target?.entity, let targets = binding[target]?.table,
            let stored = bound.fields[place]
          else { continue }
          questions.append(
            (
              try connection.send(Statement(bound.missingTargets(stored, targets))),
              { answer in
                .missingTarget(
                  field: place, owner: answer.id(0, 0).rawValue, of: number, target: answer.id(0, 1).rawValue)
              }
            ))
        }
      }
      var fault: DumpFault?
      for (ticket, found) in questions {
        let answer = try connection.answer(to: ticket)
        if fault == nil, answer.rowCount > 0 { fault = found(answer) }
      }
      return fault
    }

    func finish() throws {
      try grow { entity, number in
        Schema.Entity(
          name: entity.name, fields: entity.fields, keyKind: keyFields[number] == nil ? nil : entity.keyKind,
          keyField: keyFields[number], indexes: entity.indexes)
      }
    }
  }

  extension Binding.Entity {
    /// Asks for two objects with the same key.
    fileprivate func sameKeys(_ field: Binding.BoundField) -> String {
      """
      SELECT min(t.fastmap_id), max(t.fastmap_id), t.\(field.identifier)::text FROM \(table) t
      WHERE t.fastmap_order IS NULL GROUP BY t.\(field.identifier) HAVING count(*) > 1 ORDER BY 1 LIMIT 1
      """
    }

    /// Asks for a target that does not exist, and its owner.
    fileprivate func missingTargets(_ field: Binding.BoundField, _ targets: String) -> String {
      let missing = "NOT EXISTS (SELECT FROM \(targets) r WHERE r.fastmap_id ="
      return field.stored.isToMany
        ? "SELECT l.owner, l.target FROM \(field.identifier) l WHERE \(missing) l.target) ORDER BY 1, l.position LIMIT 1"
        : """
        SELECT t.fastmap_id, t.\(field.identifier) FROM \(table) t
        WHERE t.\(field.identifier) IS NOT NULL AND \(missing) t.\(field.identifier)) ORDER BY 1 LIMIT 1
        """
    }
  }
#endif
