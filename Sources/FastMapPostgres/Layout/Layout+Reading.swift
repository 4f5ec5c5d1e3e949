#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Reading the catalog.
  extension Layout {
    /// Asks for the version of the catalog. The answer has a row of null if there is no catalog, without an error.
    static func existence(in schema: String) -> (Statement, Parameters) {
      var parameters = Parameters()
      parameters.text("\(SQLText.identifier(schema)).fastmap_store")
      return (Statement("SELECT to_regclass($1)::oid::int8", .text), parameters)
    }

    /// Asks for the version of a catalog that exists.
    static func versionStatement(in schema: String) -> Statement {
      Statement("SELECT id, version FROM \(SQLText.identifier(schema)).fastmap_store")
    }

    /// Reads the version; nil if the store has none.
    static func version(_ answer: borrowing Answer) -> Version? {
      guard answer.rowCount == 1 else { return nil }
      return Version(store: UUIDBytes(answer.bytes(0, 0)), number: answer.int8(0, 1))
    }

    /// Reads the catalog in the connection's transaction.
    ///
    /// - Returns: Nil if there is no catalog.
    /// - Throws: ``PostgresError`` for a store of another format. `SQLCatalogError` for a catalog that FastMap did not
    ///   write.
    static func read(_ connection: Connection, schema: String) throws -> Layout? {
      let (statement, parameters) = existence(in: schema)
      guard try !connection.run(statement, parameters).isNull(0, 0) else { return nil }
      return try readExisting(connection, schema: schema)
    }

    static func readExisting(_ connection: Connection, schema: String) throws -> Layout {
      let prefix = SQLText.identifier(schema)
      let store = try connection.send(
        Statement("SELECT id, version, format, fingerprint_key FROM \(prefix).fastmap_store"))
      let entities = try connection.send(
        Statement(
          """
          SELECT number, name, table_name, key_kind, key_field, key_column
          FROM \(prefix).fastmap_entity ORDER BY number
          """))
      let fields = try connection.send(
        Statement(
          """
          SELECT number, entity, name, column_name, kind, target, is_owned, awaits_default
          FROM \(prefix).fastmap_field ORDER BY number
          """))
      let indexes = try connection.send(
        Statement(
          "SELECT number, entity, name, fields, is_unique FROM \(prefix).fastmap_index ORDER BY number"))
      var name = Parameters()
      name.text(schema)
      // A server with `quote_all_identifiers` puts some types in quotes.
      let columns = try connection.send(
        Statement(
          """
          SELECT c.relname::text, a.attname::text, btrim(format_type(a.atttypid, a.atttypmod), '"')
          FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
          """, .text), name)
      let constraints = try constraintNames(in: schema, connection)
      var layout = try header(connection.answer(to: store), connection, schema)
      try layout.addEntities(connection.answer(to: entities))
      try layout.addFields(connection.answer(to: fields))
      try layout.addIndexes(connection.answer(to: indexes))
      try layout.addFound(connection.answer(to: columns))
      let names = try connection.answer(to: constraints)
      layout.foundConstraints = Set((0..<names.rowCount).map { ByteName(names.text($0, 0)) })
      return layout
    }

    private static func header(
      _ answer: consuming Answer, _ connection: Connection, _ schema: String
    ) throws -> Layout {
      guard let version = version(answer) else {
        throw SQLCatalogError("expected one row in fastmap_store, found \(answer.rowCount)")
      }
      let format = answer.int4(0, 2)
      guard format == Self.format else {
        let age = format > Self.format ? "a newer" : "an older"
        throw PostgresError(
          server: connection.place,
          message:
            "the store in the schema \(SQLText.identifier(schema)) was made by \(age) version of FastMap: "
            + "expected format \(Self.format), found \(format)",
          schema: schema, table: "fastmap_store")
      }
      let key = UUIDBytes(answer.bytes(0, 3))
      return Layout(
        schema: schema, version: version, fingerprintKey: Fingerprint.Key(high: key.high, low: key.low))
    }

    private mutating func addEntities(_ answer: consuming Answer) throws {
      for row in 0..<answer.rowCount {
        let kind = answer.isNull(row, 3) ? nil : AttributeKind(rawValue: answer.text(row, 3))
        let entity = SQLCatalog.Entity(
          number: answer.int8(row, 0), name: StoredText.decoded(answer.text(row, 1)),
          sqlName: answer.text(row, 2), keyKind: kind)
        try catalog.add(entity)
        guard !answer.isNull(row, 3) else { continue }
        guard kind == .integer || kind == .string, !answer.isNull(row, 5) else {
          throw SQLCatalogError("the entity \(entity.name) has keys of the kind \(answer.text(row, 3))")
        }
        let field = answer.isNull(row, 4) ? nil : StoredText.decoded(answer.text(row, 4))
        keys[entity.number] = Key(field: field, column: answer.text(row, 5))
      }
    }

    private mutating func addFields(_ answer: consuming Answer) throws {
      for row in 0..<answer.rowCount {
        let target = answer.isNull(row, 5) ? nil : answer.int8(row, 5)
        let field = SQLCatalog.Field(
          number: answer.int8(row, 0), entity: answer.int8(row, 1),
          name: StoredText.decoded(answer.text(row, 2)), sqlName: answer.text(row, 3),
          kind: try SQLCatalog.Kind(
            text: answer.text(row, 4), target: target, isOwned: answer.boolean(row, 6)))
        if answer.boolean(row, 7) { awaited.fields.append(field) } else { try catalog.add(field) }
      }
    }

    private mutating func addIndexes(_ answer: consuming Answer) throws {
      for row in 0..<answer.rowCount {
        let index = SQLCatalog.Index(
          number: answer.int8(row, 0), entity: answer.int8(row, 1),
          name: StoredText.decoded(answer.text(row, 2)),
          parts: try SQLCatalog.Index.parts(of: answer.text(row, 3)), isUnique: answer.boolean(row, 4))
        if awaited.has(fieldOf: index) { awaited.indexes.append(index) } else { try catalog.add(index) }
      }
    }

    private mutating func addFound(_ answer: consuming Answer) {
      for row in 0..<answer.rowCount {
        found[ByteName(answer.text(row, 0)), default: [:]][ByteName(answer.text(row, 1))] = answer.text(
          row, 2)
      }
    }
  }

  extension UUIDBytes {
    init(_ bytes: UnsafeRawBufferPointer) {
      self.init(high: bytes.bigEndian(UInt64.self), low: bytes.bigEndian(UInt64.self, at: 8))
    }
  }

  extension Parameters {
    mutating func uuid(_ value: UUIDBytes) {
      withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { bytes($0) }
    }
  }

  extension TypeOID {
    static let uuid = TypeOID(rawValue: 2950)
    static let int8Array = int8.array
    static let textArray = text.array
  }
#endif
