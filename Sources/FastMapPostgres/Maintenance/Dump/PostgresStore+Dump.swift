#if Postgres
  public import FastMapMaintenance
  internal import FastMapSQL

  extension PostgresStore: DumpLoading {
    /// Writes the whole store as NDJSON: entities, fields, objects, values, links and numbers.
    ///
    ///     try store.dump { bytes in try file.write(bytes) }
    ///
    /// A dump needs no mappings. Dumps include data that exports leave out: unreachable objects, all relationships, and
    /// fields that mappings no longer have. ``load(dump:)`` creates the same store from it, and so does the same call of
    /// an `LMDBStore`. See docs/DUMP.md for the format. Others may read and write meanwhile; the dump shows one commit.
    ///
    /// - Parameter write: Receives the text, UTF-8, in pieces of about 64 KiB, borrowed for the call.
    /// - Throws: ``PostgresError``, also if there is no store, or on another server than PostgreSQL; errors of `write`.
    /// - Complexity: O(*n* log *n*) in the objects and links, on the server, which sorts them. Memory for about 8 MiB of
    ///   objects.
    /// - Note: Thread rule: any thread.
    public func dump(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
      try explaining(.read, Schema(entities: [])) {
        try pool.read { connection in
          try connection.server.requireDumps(at: connection.place)
          let layout = try existingLayout(connection)
          try withoutActuallyEscaping(write) { write in
            let questions = try DumpQuestions(layout, connection)
            var dump = DumpWriter(questions.header, to: write)
            for entity in questions.entities.indices {
              try StoredObjects(entity, questions, connection).write(to: &dump)
            }
            try dump.finish()
          }
        }
      }
    }
  }

  extension Server {
    /// Dumps keep the numbers of objects, by which Citus distributes them.
    func requireDumps(at place: String) throws(PostgresError) {
      guard flavour != .postgres else { return }
      throw PostgresError(
        server: place,
        message: "dump and load need a plain PostgreSQL server; move the objects with export and import"
      )
    }
  }

  /// Reads the objects of one entity for a dump, with a cursor for their rows, and one for each of their lists.
  private struct StoredObjects {
    private let number: Int
    private let entity: DumpQuestions.Entity
    private let connection: Connection
    private let columns: [Binding.Entity.Column]
    private let rows: ServerCursor
    private var lists: [StoredList]

    init(_ number: Int, _ questions: DumpQuestions, _ connection: Connection) throws {
      self.number = number
      self.connection = connection
      entity = questions.entities[number]
      columns = entity.bound.columns
      rows = try ServerCursor("rows", questions.rows(of: number), connection)
      lists = try entity.bound.fields.enumerated().compactMap { field, bound in
        guard let bound, bound.stored.isToMany else { return nil }
        let query = questions.links(of: bound, of: number)
        return StoredList(field: field, cursor: try ServerCursor("list\(field)", query, connection))
      }
    }

    /// The most objects, and about the bytes of a page.
    private static let (mostRows, mostBytes) = (4096, 8 << 20)

    consuming func write(to dump: inout DumpWriter) throws {
      let memory = DecodedBytes()
      var limit = 64
      while true {
        let answer = try rows.fetch(limit)
        var byteCount = 0
        for row in 0..<answer.rowCount {
          try write(answer, row, memory, &byteCount, to: &dump)
          memory.removeAll()
          let owner = answer.int8(row, 0)
          for list in lists.indices {
            while let target = try lists[list].next(of: owner) {
              dump.append(try number(of: target, in: list), to: lists[list].field)
              try dump.flush()
            }
          }
          dump.endLists()
          try dump.flush()
        }
        guard answer.rowCount == limit else { break }
        let fitting = Self.mostBytes / max(1, byteCount / limit)
        limit = max(1, min(fitting, limit * 4, Self.mostRows))
      }
      try rows.close()
      for list in lists.indices {
        if try !lists[list].isAtEnd() { throw damaged(lists[list].field, "an owner that does not exist") }
        try lists[list].cursor.close()
      }
    }

    private mutating func write(
      _ answer: Answer, _ row: Int, _ memory: DecodedBytes, _ byteCount: inout Int,
      to dump: inout DumpWriter
    ) throws {
      let object = UInt64(bitPattern: answer.int8(row, 0))
      let id = ObjectID(rawValue: object)
      let leftover =
        answer.isNull(row, 2)
        ? nil
        : Leftover(
          id: id, entity: number, isOwned: answer.boolean(row, 2), deletesShared: answer.boolean(row, 3))
      let keyField = try answer.boolean(row, 1) ? keyField() : nil
      dump.beginObject(object, of: number, keyField: keyField, leftover: leftover)
      for column in columns {
        guard let value = column.read(answer, row, offset: DumpQuestions.offset, memory) else {
          throw damaged(column.field, "a value that FastMap does not write")
        }
        if value.isMissing { continue }
        byteCount += value.bytes?.count ?? 8
        guard let target = value.target else {
          dump.value(value, of: column.field)
          continue
        }
        guard target.rawValue > 0 else { throw damaged(column.field, "a target that does not exist") }
        dump.target(target.rawValue, of: column.field)
      }
      dump.endValues()
    }

    private func number(of target: Int64, in list: Int) throws -> UInt64 {
      guard target > 0 else { throw damaged(lists[list].field, "a target that does not exist") }
      return UInt64(target)
    }

    private func keyField() throws -> Int {
      if let field = entity.keyField { return field }
      throw PostgresError(
        server: connection.place,
        message:
          "the keys of \(escaped(entity.bound.stored.name)) belong to no field, so a dump cannot have them")
    }

    private func damaged(_ field: Int, _ reason: String) -> PostgresError {
      PostgresError(
        server: connection.place,
        message: "another program has changed the store: \(reason); fastmap check names it",
        table: entity.bound.stored.sqlName, column: entity.bound.fields[field]?.stored.sqlName)
    }
  }

  /// The links of one to-many relationship, in the order of their owners.
  private struct StoredList {
    let field: Int
    let cursor: ServerCursor
    private var page: Answer?
    private var row = 0

    init(field: Int, cursor: ServerCursor) { (self.field, self.cursor) = (field, cursor) }

    private static let pageSize = 4096

    mutating func isAtEnd() throws -> Bool {
      while page.map({ row >= $0.rowCount }) ?? true {
        if let page, page.rowCount < Self.pageSize { return true }
        page = try cursor.fetch(Self.pageSize)
        row = 0
      }
      return false
    }

    /// The number of the next target of an owner, 0 if there is no such object; nil if there are no more.
    mutating func next(of owner: Int64) throws -> Int64? {
      guard try !isAtEnd(), let page, page.int8(row, 0) == owner else { return nil }
      defer { row += 1 }
      return page.isNull(row, 1) ? 0 : page.int8(row, 1)
    }
  }

  /// A cursor of the connection's transaction.
  private struct ServerCursor {
    private let name: String
    private let connection: Connection

    init(_ role: String, _ query: String, _ connection: Connection) throws {
      // A name for each cursor, because a statement that was prepared with it is of this query.
      name = "fastmap_\(role)_\(UInt64.random(in: 0 ... .max))"
      self.connection = connection
      try connection.sendQuietly(Statement("DECLARE \(name) NO SCROLL CURSOR FOR \(query)"))
    }

    func fetch(_ count: Int) throws -> Answer {
      try connection.run(Statement("FETCH \(count) FROM \(name)"))
    }

    func close() throws { try connection.sendQuietly(Statement("CLOSE \(name)")) }
  }
#endif
