#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// The tables and columns of the entities of one schema.
  struct Binding: Sendable {
    /// One entity.
    struct Entity: Sendable {
      let bound: SQLBinding.Entity
      /// The table, qualified and quoted.
      let table: String
      /// The same for errors.
      let subject: Subject
      /// The column of the keys, quoted; nil if objects have none.
      let key: String?
      /// The key as statements compare it: integers, or texts by their bytes.
      let comparedKey: String?
      let keyKind: AttributeKind?
      /// By the schema's number of a field; nil for fields that the store lacks.
      let fields: [BoundField?]
      /// The columns of all fields, quoted, with commas.
      let columnList: String
      let columnCount: Int

      var stored: SQLCatalog.Entity { bound.stored }
      /// Whether the schema names all fields that the store has.
      let hasAllFields: Bool
    }

    /// A field.
    struct BoundField: Sendable {
      enum Kind: Sendable {
        case attribute(AttributeKind)
        case toOne
        case toMany
      }

      let stored: SQLCatalog.Field
      let kind: Kind
      /// The table of a to-many relationship, qualified and quoted; else the column, quoted.
      let identifier: String
      /// The place of the column in `columnList`. The second column is after it.
      let place: Int
      /// The second column, quoted; nil if there is none.
      let exact: String?
    }

    /// By the numbers of the schema; nil for entities that the store lacks.
    let entities: [Entity?]
    let sql: SQLBinding

    subscript(entity: Int) -> Entity? { entities[entity] }
  }

  extension Layout {
    /// Finds the entities and fields of a schema, and checks their tables against the catalog.
    ///
    /// - Throws: `SchemaMismatchError` if something is stored with another type. ``PostgresError`` if a table was
    ///   changed by somebody else.
    func bind(_ schema: Schema, at server: String) throws -> Binding {
      let sql = try catalog.bind(schema)
      for (index, mapped) in schema.entities.enumerated() {
        guard let stored = sql[index]?.stored, let name = keys[stored.number]?.field else { continue }
        try mapped.checkKeyField(name)
      }
      return Binding(
        entities: try sql.entities.map { bound in try bound.map { try entity($0, server) } }, sql: sql)
    }

    private func entity(_ bound: SQLBinding.Entity, _ server: String) throws -> Binding.Entity {
      let stored = bound.stored
      try check(Self.ownColumns, of: stored.sqlName, server)
      var columns: [String] = []
      var fields: [Binding.BoundField?] = []
      for field in bound.fields {
        guard let field else {
          fields.append(nil)
          continue
        }
        let own = self.columns(of: field)
        try field.isToMany
          ? check(Self.linkColumns, of: field.sqlName, server) : check(own, of: stored.sqlName, server)
        let kind: Binding.BoundField.Kind =
          switch field.kind {
          case .attribute(let kind): .attribute(kind)
          case .toOne: .toOne
          case .toMany: .toMany
          }
        fields.append(
          Binding.BoundField(
            stored: field, kind: kind,
            identifier: field.isToMany ? qualified(field.sqlName) : field.identifier,
            place: columns.count, exact: own.count > 1 ? SQLText.identifier(own[1].name) : nil))
        columns += own.map { SQLText.identifier($0.name) }
      }
      let key = keys[stored.number]
      if let key, let kind = stored.keyKind {
        try check([(key.column, kind.typeName)], of: stored.sqlName, server)
      }
      let identifier = key.map { SQLText.identifier($0.column) }
      return Binding.Entity(
        bound: bound, table: qualified(stored.sqlName), subject: subject(stored), key: identifier,
        comparedKey: identifier.map { stored.keyKind == .string ? "\($0) COLLATE \"C\"" : $0 },
        keyKind: stored.keyKind, fields: fields, columnList: columns.joined(separator: ", "),
        columnCount: columns.count,
        hasAllFields: bound.fields.lazy.filter { $0 != nil }.count == stored.fields.count)
    }

    func subject(_ entity: SQLCatalog.Entity) -> Subject {
      Subject(entity: entity.name, schema: schema, table: entity.sqlName)
    }

    func check(
      _ expected: [(name: String, typeName: String)], of table: String, _ server: String
    ) throws(PostgresError) {
      guard let columns = found[ByteName(table)] else {
        throw PostgresError(
          server: server, message: "another program has changed the store: expected a table, found none",
          schema: schema, table: table)
      }
      for (name, typeName) in expected {
        let type = columns[ByteName(name)]
        if type == typeName { continue }
        throw PostgresError(
          server: server,
          message: "another program has changed the store: expected a column of the type \(typeName), found "
            + (type.map { "one of the type \($0)" } ?? "none"),
          schema: schema, table: table, column: name)
      }
    }
  }

  extension Binding.Entity {
    /// A column of the rows, without anything to count references of.
    struct Column {
      let field: Int
      let place: Int
      /// Nil for a relationship to one.
      let kind: AttributeKind?

      /// Decodes the value of a row whose columns are `columnList`, after `offset` others.
      ///
      /// - Returns: Nil if no store wrote this.
      @inline(__always)
      func read(
        _ answer: borrowing Answer, _ row: Int, offset: Int, _ memory: DecodedBytes
      ) -> Field? {
        if let kind { return kind.read(answer, row, offset + place, memory) }
        if answer.isNull(row, offset + place) { return .missing }
        return .target(answer.id(row, offset + place))
      }
    }

    /// The columns of `columnList`.
    var columns: [Column] {
      fields.enumerated().compactMap { number, field in
        guard let field else { return nil }
        return switch field.kind {
        case .attribute(let kind): Column(field: number, place: field.place, kind: kind)
        case .toOne: Column(field: number, place: field.place, kind: nil)
        case .toMany: nil
        }
      }
    }
  }

  extension Binding.Entity {
    /// Makes sure that the columns of `columnList`, after `offset` others, have the types of the catalog. Somebody may
    /// have changed them since it was read.
    func checkTypes(of answer: borrowing Answer, offset: Int, at server: String) throws(PostgresError) {
      for case let field? in fields {
        let expected: TypeOID
        switch field.kind {
        case .attribute(let kind): expected = kind.type
        case .toOne: expected = .int8
        case .toMany: continue
        }
        let column = offset + field.place
        if answer.type(of: column) != expected || field.exact != nil && answer.type(of: column + 1) != .text {
          throw PostgresError.otherType(at: server)
        }
      }
    }
  }

  extension PostgresError {
    /// The error of a column whose type has changed, for `explaining` to look at.
    static func otherType(at server: String) -> PostgresError {
      PostgresError(server: server, code: "42804", message: "a column has another type than before")
    }
  }
#endif
