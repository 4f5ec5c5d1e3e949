#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Writes conditions with parameters in the SQL of PostgreSQL.
  struct Conditions: SQLConditionWriter {
    private let binding: Binding
    let schema: Schema
    private let layout: Layout?
    /// Whether a statement about one table may ask another one.
    private let joins: Bool
    private(set) var types: [TypeOID] = []
    private(set) var parameters = Parameters()
    private var aliases = 0
    /// How many characters a column has that is compared in an index; nil if the whole column is compared.
    private let length: Int?

    /// - Parameters:
    ///   - length: Cuts strings and data. Only for rows whose values are not longer.
    init(_ binding: Binding, _ schema: Schema, _ session: TransactionLayout, length: Int? = nil) {
      self.binding = binding
      self.schema = schema
      self.length = length
      layout = session.layout
      joins = session.connection.server.flavour != .citus
    }

    /// Begins after the parameters of a range of keys.
    mutating func add(_ condition: KeyCondition) {
      types = condition.types
      parameters = condition.parameters
    }

    /// Whether strings and data are cut.
    var isCut: Bool { length != nil }

    mutating func parameter(_ type: TypeOID, _ add: (inout Parameters) -> Void) -> String {
      types.append(type)
      add(&parameters)
      return "$\(types.count)"
    }

    // MARK: Tests

    mutating func text(of test: SQLTest, field: Int, entity: Int, alias: String) -> String? {
      guard let bound = binding[entity]?.fields[field] else {
        return withoutColumn(test, schema.entities[entity].fields[field])
      }
      let column = "\(alias).\(bound.identifier)"
      switch bound.kind {
      case .toMany: return nil
      case .toOne:
        switch test {
        case .isNull: return "\(column) IS NULL"
        case .isNotNull: return "\(column) IS NOT NULL"
        case .target(let comparison, let id):
          return "\(column) \(comparison.sql) \(parameter(.int8) { $0.int8(Int64(bitPattern: id.rawValue)) })"
        default: return nil
        }
      case .attribute(let kind):
        let exact = bound.exact.map { "\(alias).\($0)" }
        guard let text = text(of: test, column, exact, kind) else { return nil }
        return lookUp(test, column, field, entity).map { "(\($0) AND \(text))" } ?? text
      }
    }

    /// A weaker condition, which an index of the field can test; nil without one. The index has only the beginnings of
    /// strings.
    private mutating func lookUp(_ test: SQLTest, _ column: String, _ field: Int, _ entity: Int) -> String? {
      guard length == nil, let layout, let bound = binding[entity],
        let (_, index) = bound.bound.indexes.first(where: { $0.index.parts.first?.field == field })
      else { return nil }
      let length = NativeIndex(layout, bound.stored, index).length
      let sign: String
      let value: String
      switch test {
      case .hasPrefix(let prefix): (sign, value) = (">=", prefix)
      case .compare(.equal, .string(let text)): (sign, value) = ("=", text)
      case .compare(.less, .string(let text)), .compare(.lessOrEqual, .string(let text)):
        (sign, value) = ("<=", text)
      case .compare(.greater, .string(let text)), .compare(.greaterOrEqual, .string(let text)):
        (sign, value) = (">=", text)
      default: return nil
      }
      let start = StoredText.encoded(value).unicodeScalars.prefix(length)
      return "\(ColumnSQL.string(column, length)) \(sign) \(parameter(.text) { $0.text(String(start)) })"
    }

    /// A column that the store does not have. A value that no column of its kind could be compared with is refused, as it
    /// would be with a column. FastMap tests a default.
    private func withoutColumn(_ test: SQLTest, _ field: Schema.Field) -> String? {
      if field.defaultValue != nil { return nil }
      if case .attribute(let kind) = field.kind {
        var other = self
        guard other.text(of: test, "x", "x", kind) != nil else { return nil }
      }
      if case .isNull = test { return "1 = 1" }
      return "1 = 0"
    }

    private mutating func text(
      of test: SQLTest, _ column: String, _ exact: String?, _ kind: AttributeKind
    ) -> String? {
      switch test {
      case .isNull:
        if case .json = kind, let exact { return "\(column) IS NULL AND \(exact) IS NULL" }
        return "\(column) IS NULL"
      case .isNotNull:
        if case .json = kind, let exact { return "(\(column) IS NOT NULL OR \(exact) IS NOT NULL)" }
        return "\(column) IS NOT NULL"
      case .isNotNumber: return kind == .number ? "\(column) = 'NaN'::double precision" : nil
      case .compare(let comparison, let value): return compare(column, exact, kind, comparison, value)
      case .isOne(let values): return isOne(values, column, exact, kind)
      case .hasPrefix(let prefix):
        guard kind == .string else { return nil }
        let text = StoredText.encoded(prefix)
        let start = parameter(.text) { $0.text(text) }
        return "(\(ColumnSQL.string(column, length)) >= \(start) AND starts_with(\(column), \(start)))"
      case .contains(let part):
        // A part that begins after the mark of an encoded character is none of the string.
        guard kind == .string, part.utf8.first ?? 0xFF > 2 else { return nil }
        let text = StoredText.encoded(part)
        return "strpos(\(column) COLLATE \"C\", \(parameter(.text) { $0.text(text) })) > 0"
      case .target: return nil
      }
    }

    private mutating func isOne(
      _ values: [Value], _ column: String, _ exact: String?, _ kind: AttributeKind
    ) -> String? {
      let strings = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if kind == .string, strings.count == values.count {
        let array = ArrayColumn(of: .text)
        for text in strings { array.append { $0.text(StoredText.encoded(text)) } }
        return "\(column) COLLATE \"C\" = ANY (\(parameter(.textArray) { $0.column(array) }))"
      }
      let integers = values.compactMap {
        if case .integer(let value) = $0, value < .max { value } else { nil }
      }
      if kind == .integer, integers.count == values.count {
        let array = ArrayColumn(of: .int8)
        for value in integers { array.int8(value) }
        return "\(column) = ANY (\(parameter(.int8Array) { $0.column(array) }))"
      }
      guard values.count <= 64 else { return nil }
      var texts: [String] = []
      for value in values {
        guard let text = compare(column, exact, kind, .equal, value) else { return nil }
        texts.append("(\(text))")
      }
      return texts.isEmpty ? "1 = 0" : "(" + texts.joined(separator: " OR ") + ")"
    }

    // MARK: Comparisons

    /// The text of a comparison with a value; nil if it cannot be said exactly.
    private mutating func compare(
      _ column: String, _ exact: String?, _ kind: AttributeKind, _ comparison: BoundFilter.Comparison,
      _ value: Value
    ) -> String? {
      let sign = comparison.sql
      switch (kind, value) {
      case (.boolean, .boolean(let value)):
        // `false` and `true` have no order.
        switch comparison {
        case .equal, .lessOrEqual, .greaterOrEqual:
          return "\(column) = \(parameter(.boolean) { $0.boolean(value) })"
        case .notEqual, .less, .greater: return "1 = 0"
        }
      case (.integer, .integer(let value)):
        if value == .max {
          return compare(column, exact, .integer, comparison, .int8, exactValue: nil) { $0.int8(value) }
        }
        return "\(column) \(sign) \(parameter(.int8) { $0.int8(value) })"
      case (.integer, .unsigned(let value)):
        return compare(column, exact, .integer, comparison, .int8, exactValue: "\(value)") { $0.int8(.max) }
      case (.integer, .number(let value)):
        // A whole number within these bounds is an integer already.
        guard value.magnitude < 0x1p62, value != value.rounded() else { return nil }
        let whole = Int64(value.rounded(.down))
        switch comparison {
        case .equal: return "1 = 0"
        case .less, .lessOrEqual: return "\(column) <= \(parameter(.int8) { $0.int8(whole) })"
        case .greater, .greaterOrEqual: return "\(column) > \(parameter(.int8) { $0.int8(whole) })"
        case .notEqual: return nil
        }
      case (.number, .integer(let value)):
        guard value.magnitude <= 1 << 53 else { return nil }
        return compare(column, exact, kind, comparison, .number(Double(value)))
      case (.number, .number(let value)):
        guard !value.isNaN else { return nil }
        let text = "\(column) \(sign) \(parameter(.float8) { $0.float8(value) })"
        // NaN is neither more nor less than a number, but PostgreSQL sorts it after all.
        switch comparison {
        case .greater, .greaterOrEqual: return "(\(text) AND \(column) < 'NaN'::double precision)"
        default: return text
        }
      case (.decimal, .integer(let value)):
        return decimal(column, sign, DecimalNumber(value))
      case (.decimal, .unsigned(let value)):
        return decimal(column, sign, DecimalNumber(value))
      case (.decimal, .decimal(let value)): return decimal(column, sign, value)
      case (.string, .string(let value)):
        let text = StoredText.encoded(value)
        return "\(ColumnSQL.string(column, length)) \(sign) \(parameter(.text) { $0.text(text) })"
      case (.data, .data(let value)):
        let parameter = parameter(.bytea) { parameters in value.withUnsafeBytes { parameters.bytes($0) } }
        return "\(ColumnSQL.data(column, length)) \(sign) \(parameter)"
      case (.date, .date(let date)):
        let microseconds = StoredDate.microseconds(of: date)
        var exactValue: String?
        if !StoredDate.isExact(date, microseconds) {
          exactValue = StoredDate.exactNumber(date)
        }
        return compare(column, exact, .date, comparison, .timestamptz, exactValue: exactValue) {
          $0.int8(microseconds)
        }
      default: return nil
      }
    }

    private mutating func decimal(_ column: String, _ sign: String, _ value: DecimalNumber) -> String {
      "\(column) \(sign) \(parameter(.text) { $0.text(value.text) })::numeric"
    }

    /// A comparison of two columns: the second one is null for the least value of the first.
    private mutating func compare(
      _ column: String, _ exact: String?, _ kind: AttributeKind, _ comparison: BoundFilter.Comparison,
      _ type: TypeOID, exactValue: String?, _ add: (inout Parameters) -> Void
    ) -> String? {
      guard let exact else { return nil }
      let first = parameter(type, add)
      let number = ColumnSQL.exact(exact, kind)
      guard let exactValue else {
        return switch comparison {
        case .equal: "(\(column) = \(first) AND \(number) IS NULL)"
        case .less: "\(column) < \(first)"
        case .lessOrEqual: "(\(column) <= \(first) AND (\(column) < \(first) OR \(number) IS NULL))"
        case .greater: "(\(column) >= \(first) AND (\(column) > \(first) OR \(number) IS NOT NULL))"
        case .greaterOrEqual: "\(column) >= \(first)"
        case .notEqual: nil
        }
      }
      let second = "\(parameter(.text) { $0.text(exactValue) })::numeric"
      return switch comparison {
      case .equal: "(\(column) = \(first) AND \(number) = \(second))"
      case .less, .lessOrEqual:
        "(\(column) <= \(first) AND (\(column) < \(first) OR \(number) IS NULL OR \(number) \(comparison.sql) \(second)))"
      case .greater, .greaterOrEqual:
        "(\(column) >= \(first) AND (\(column) > \(first) OR \(number) \(comparison.sql) \(second)))"
      case .notEqual: nil
      }
    }

    // MARK: Objects

    mutating func text(
      ofTarget field: Int, entity: Int, alias: String,
      where condition: (inout Conditions, _ alias: String) -> String?
    ) -> String? {
      exists(field, entity, where: condition) { table, inner, field in
        "\(table) \(inner) WHERE \(inner).fastmap_id = \(alias).\(field)"
      }
    }

    mutating func text(
      ofTargets field: Int, entity: Int, alias: String,
      where condition: (inout Conditions, _ alias: String) -> String?
    ) -> String? {
      exists(field, entity, where: condition) { table, inner, links in
        "\(links) l\(inner) JOIN \(table) \(inner) ON \(inner).fastmap_id = l\(inner).target "
          + "WHERE l\(inner).owner = \(alias).fastmap_id"
      }
    }

    /// Whether a target of a relationship fulfils a condition.
    ///
    /// - Parameter source: Writes the tables, and how they belong together: of the targets' table, its alias, and the
    ///   column or the table of the relationship.
    private mutating func exists(
      _ field: Int, _ entity: Int, where condition: (inout Conditions, _ alias: String) -> String?,
      in source: (_ table: String, _ alias: String, _ field: String) -> String
    ) -> String? {
      guard joins else { return nil }
      aliases += 1
      let inner = "u\(aliases)"
      guard let text = condition(&self, inner) else { return nil }
      guard let bound = binding[entity]?.fields[field],
        let number = schema.entities[entity].fields[field].kind.target?.entity, let target = binding[number]
      else { return "1 = 0" }
      return "EXISTS (SELECT 1 FROM \(source(target.table, inner, bound.identifier)) AND (\(text)))"
    }

    mutating func text(ofKey key: PrimaryKey, entity: Int, alias: String) -> String? {
      guard let bound = binding[entity] else { return nil }
      guard let column = bound.comparedKey, key.kind == bound.keyKind else { return "1 = 0" }
      let value = parameter(key.kind == .string ? .text : .int8) { $0.key(key) }
      return "(\(alias).fastmap_order IS NULL AND \(alias).\(column) = \(value))"
    }
  }

  extension BoundFilter.Comparison {
    var sql: String {
      switch self {
      case .equal: "="
      case .notEqual: "<>"
      case .less, .lessOrEqual, .greater, .greaterOrEqual: rawValue
      }
    }
  }

  extension StoredDate {
    /// The exact value as a whole number of nanoseconds, which has more than 64 bits.
    static func exactNumber(_ date: Timestamp) -> String {
      let (high, low) = date.seconds.multipliedFullWidth(by: 1_000_000_000)
      let sum = Int128(high) << 64 + Int128(low) + Int128(date.nanoseconds)
      return "\(sum)"
    }
  }
#endif
