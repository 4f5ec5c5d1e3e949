#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  // A declared index is an index of PostgreSQL, whose columns sort as FastMap does:
  //
  //     boolean, to-one    the column
  //     integer, date      the column, then the exact value as a number, which is null for most
  //     number, decimal    the column
  //     string, data       the first 128 characters or bytes, because a row of an index has 2704 bytes at most
  //
  // After them come `fastmap_order`, the key and the number, which sort equal objects. A second index has the objects
  // with longer values, and is empty in most stores. If a range has such objects, the server sorts the rest of the
  // range for each question, and sends the first objects. Indexes whose long values are in the same columns share it.
  //
  // Plain SQL compares a string with the whole column, of which no such index knows. So a hash index of the string that
  // an index begins with answers `no = 'b'`. Indexes that begin with the same string share it.

  /// A declared index as PostgreSQL has it.
  struct NativeIndex {
    /// The columns to sort by, for an alias, each with whether it is descending.
    struct Column {
      let text: String
      let isDescending: Bool
    }

    let layout: Layout
    let entity: SQLCatalog.Entity
    let index: SQLCatalog.Index
    private let fields: [(field: SQLCatalog.Field, isDescending: Bool)]
    private let keyColumn: String?

    init(_ layout: Layout, _ entity: SQLCatalog.Entity, _ index: SQLCatalog.Index) {
      self.layout = layout
      self.entity = entity
      self.index = index
      fields = index.parts.compactMap { part in
        entity.fields.first { $0.number == part.field }.map { ($0, part.isDescending) }
      }
      keyColumn = layout.keys[entity.number].map { SQLText.identifier($0.column) }
    }

    /// The columns without a bounded length, each once, in the same order for all indexes.
    private var longColumns: [String] {
      var result = Set(fields.filter(\.field.isLong).map(\.field.identifier))
      if let keyColumn, entity.keyKind == .string { result.insert(keyColumn) }
      return result.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The characters or bytes of a value that the index has. One character has four bytes at most.
    var length: Int { longColumns.count <= 5 ? 128 : 64 }

    /// Whether a row has a longer value; nil if none can have one. Null for a row without values.
    func isLong(_ alias: String) -> String? {
      let columns = longColumns
      if columns.isEmpty { return nil }
      return columns.map { "octet_length(\(alias)\($0)) > \(length)" }.joined(separator: " OR ")
    }

    /// The columns to sort by.
    ///
    /// - Parameters:
    ///   - alias: A prefix of the columns: `t.`, or nothing.
    ///   - isCut: Whether long values are cut, as the index has them.
    ///   - isReversed: Whether the fields, but not the objects of equal values, are in reverse.
    func columns(_ alias: String, isCut: Bool, isReversed: Bool) -> [Column] {
      var result: [Column] = []
      for (field, isDescending) in fields {
        for text in columns(of: field, alias, isCut: isCut) {
          result.append(Column(text: text, isDescending: isDescending != isReversed))
        }
      }
      result.append(Column(text: "\(alias)fastmap_order", isDescending: false))
      if let key = keyText(alias, isCut: isCut) { result.append(Column(text: key, isDescending: false)) }
      result.append(Column(text: "\(alias)fastmap_id", isDescending: false))
      return result
    }

    /// The columns by whose order the values of a field are in order.
    func columns(of field: SQLCatalog.Field, _ alias: String, isCut: Bool) -> [String] {
      field.sortColumns(alias, exact: exact(field), length: isCut ? length : nil)
    }

    /// The key of an object that has one; nil if no object of the entity has a key.
    func keyText(_ alias: String, isCut: Bool) -> String? {
      guard let keyColumn else { return nil }
      let key = "CASE WHEN \(alias)fastmap_order IS NULL THEN \(alias)\(keyColumn) END"
      guard entity.keyKind == .string else { return "(\(key))" }
      return ColumnSQL.string("(\(key))", isCut ? length : nil)
    }

    private func exact(_ field: SQLCatalog.Field) -> String? {
      let columns = layout.columns(of: field)
      return columns.count > 1 ? SQLText.identifier(columns[1].name) : nil
    }

    /// The order of a statement, or the columns of the index.
    static func list(_ columns: [Column]) -> String {
      columns.enumerated().map { number, column in
        // The last column is never null, and the column of orders is null for most objects.
        "\(column.text) \(column.isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST")"
      }.joined(separator: ", ")
    }

    var constraints: [TableConstraint] {
      func constraint(_ role: String, _ number: Int64, _ name: String, _ columns: String) -> TableConstraint {
        TableConstraint(
          name: layout.ownName(role, number, name), table: layout.qualified(entity.sqlName),
          rule: .index(columns))
      }
      var result = [
        constraint(
          "index", index.number, entity.sqlName, "(\(Self.list(columns("", isCut: true, isReversed: false))))"
        )
      ]
      if let isLong = isLong("") {
        let places = longColumns.map { column in
          entity.fields.first { $0.identifier == column }.map { "\($0.number)" } ?? "key"
        }
        // A name that is cut may be that of another index. Then one of the two is missing, and questions take longer.
        let name = "\(length)_\(places.joined(separator: "_"))"
        result.append(constraint("long", entity.number, name, "(fastmap_id) WHERE \(isLong)"))
      }
      if let first = fields.first?.field, case .attribute(.string) = first.kind, first.identifier != keyColumn
      {
        result.append(constraint("equal", first.number, first.sqlName, "USING hash (\(first.identifier))"))
      }
      return result
    }
  }

  extension Layout {
    /// The constraints of indexes of one entity, each once.
    func constraints(of indexes: [SQLCatalog.Index], of entity: SQLCatalog.Entity) -> [TableConstraint] {
      var names: Set<ByteName> = []
      return indexes.flatMap { NativeIndex(self, entity, $0).constraints }
        .filter { names.insert(ByteName($0.name)).inserted }
    }

    func constraints(
      of index: SQLCatalog.Index, of entity: SQLCatalog.Entity, besides others: [SQLCatalog.Index]
    ) -> [TableConstraint] {
      let known = Set(constraints(of: others, of: entity).map { ByteName($0.name) })
      return NativeIndex(self, entity, index).constraints.filter { !known.contains(ByteName($0.name)) }
    }
  }

  extension SQLCatalog.Entity {
    /// The indexes that were declared before another one.
    func indexes(before index: SQLCatalog.Index) -> [SQLCatalog.Index] {
      indexes.filter { $0.number < index.number }
    }
  }

  extension SQLCatalog.Field {
    /// Whether a value may be longer than a row of an index.
    fileprivate var isLong: Bool {
      switch kind {
      case .attribute(.string), .attribute(.data): true
      case .attribute, .toOne, .toMany: false
      }
    }

    /// The columns by whose order its values are in order.
    fileprivate func sortColumns(_ alias: String, exact: String?, length: Int?) -> [String] {
      let column = alias + identifier
      switch kind {
      case .attribute(.string): return [ColumnSQL.string(column, length)]
      case .attribute(.data): return [ColumnSQL.data(column, length)]
      case .attribute(.decimal): return [column]  // its second column tells no two values apart
      case .attribute(let kind):
        guard let exact else { return [column] }
        return [column, ColumnSQL.exact(alias + exact, kind)]
      case .toOne, .toMany: return [column]
      }
    }
  }

  /// Columns as statements compare and sort them.
  enum ColumnSQL {
    static func exact(_ column: String, _ kind: AttributeKind) -> String {
      kind == .date
        ? "(split_part(\(column), ' ', 1)::numeric * 1000000000 + split_part(\(column), ' ', 2)::numeric)"
        : "(\(column)::numeric)"
    }

    /// A string by its bytes, cut to a number of characters.
    static func string(_ column: String, _ length: Int?) -> String {
      length.map { "(left(\(column), \($0)) COLLATE \"C\")" } ?? "(\(column) COLLATE \"C\")"
    }

    static func data(_ column: String, _ length: Int?) -> String {
      length.map { "(substring(\(column) from 1 for \($0)))" } ?? column
    }
  }
#endif
