internal import FastMapSQL
internal import FastMapStoreKit

/// Writes conditions with parameters in the SQL of SQLite.
///
/// Most columns hold values that SQLite compares as FastMap does: NULL before numbers before texts before BLOBs, texts
/// and BLOBs by their bytes. Only dates with a fraction, -0 and NaN are BLOBs (Values.swift), and are compared as the
/// values that they stand for.
struct Conditions: SQLConditionWriter {
  private let binding: SQLBinding
  private let schema: Schema
  private(set) var values: [Parameter] = []
  private var aliases = 0

  /// A value of a statement.
  enum Parameter {
    case value(Value)
    case key(PrimaryKey)
    case id(ObjectID)
  }

  init(_ binding: SQLBinding, _ schema: Schema) {
    self.binding = binding
    self.schema = schema
  }

  mutating func parameter(_ value: Parameter) -> String {
    values.append(value)
    return "?\(values.count)"
  }

  // MARK: Tests

  mutating func text(of test: SQLTest, field: Int, entity: Int, alias: String) -> String? {
    guard let stored = binding[entity]?.fields[field] else {
      // The store lacks the column. FastMap tests a default.
      if schema.entities[entity].fields[field].defaultValue != nil { return nil }
      var other = self
      let kind = schema.entities[entity].fields[field].kind
      if case .attribute(let kind) = kind, other.text(of: test, "x", kind) == nil { return nil }
      if case .isNull = test { return "1 = 1" }
      return "1 = 0"
    }
    let column = "\(alias).\(stored.identifier)"
    switch (stored.kind, test) {
    case (.toMany, _): return nil
    case (_, .isNull): return "\(column) IS NULL"
    case (_, .isNotNull): return "\(column) IS NOT NULL"
    case (.toOne, .target(let comparison, let id)):
      return "\(column) \(comparison.sql) \(parameter(.id(id)))"
    case (.toOne, _): return nil
    case (.attribute(let kind), _): return text(of: test, column, kind)
    }
  }

  private mutating func text(of test: SQLTest, _ column: String, _ kind: AttributeKind) -> String? {
    switch test {
    case .isNull: return "\(column) IS NULL"
    case .isNotNull: return "\(column) IS NOT NULL"
    case .isNotNumber:
      return kind == .number ? "typeof(\(Self.number(column))) = 'blob'" : nil
    case .compare(let comparison, let value): return compare(column, kind, comparison, value)
    case .isOne(let values):
      guard values.count <= 500 else { return nil }
      var texts: [String] = []
      for value in values {
        guard let text = compare(column, kind, .equal, value) else { return nil }
        texts.append(text)
      }
      return texts.isEmpty ? "1 = 0" : "(\(SQLText.tree(texts, "OR")))"
    case .hasPrefix(let prefix):
      guard kind == .string else { return nil }
      // `substr` of an empty BLOB is NULL.
      if prefix.isEmpty { return "\(column) IS NOT NULL" }
      // Cut as BLOBs, because `substr` of a text ends at a NUL.
      let start = parameter(.value(.string(prefix)))
      let bytes = "substr(CAST(\(column) AS BLOB), 1, \(prefix.utf8.count))"
      return "(\(column) >= \(start) AND \(bytes) = CAST(\(start) AS BLOB))"
    case .contains(let part):
      guard kind == .string else { return nil }
      return "instr(CAST(\(column) AS BLOB), CAST(\(parameter(.value(.string(part)))) AS BLOB)) > 0"
    case .target: return nil
    }
  }

  private mutating func compare(
    _ column: String, _ kind: AttributeKind, _ comparison: BoundFilter.Comparison, _ value: Value
  ) -> String? {
    let sign = comparison.sql
    switch (kind, value) {
    // An integer beyond Int64 is a BLOB, which follows all integers.
    case (.integer, .integer), (.integer, .unsigned), (.string, .string), (.data, .data):
      return "\(column) \(sign) \(parameter(.value(value)))"
    // `false` and `true` have no order.
    case (.boolean, .boolean(let value)):
      switch comparison {
      case .equal, .lessOrEqual, .greaterOrEqual:
        return "\(column) = \(parameter(.value(.boolean(value))))"
      case .notEqual, .less, .greater: return "1 = 0"
      }
    case (.number, .number(let value)):
      guard !value.isNaN else { return nil }
      return number(column, sign, value == 0 ? 0 : value)
    case (.number, .integer(let value)):
      guard value.magnitude <= 1 << 53 else { return nil }
      return number(column, sign, Double(value))
    case (.decimal, .decimal), (.decimal, .integer), (.decimal, .unsigned):
      guard let decimal = value.decimal else { return nil }
      let key = parameter(.value(.data(decimal.sortKey)))
      return "\(Self.decimal(column)) \(sign) \(key)"
    case (.date, .date(let date)): return compare(column, comparison, date)
    default: return nil
    }
  }

  /// NaN is neither more nor less than any number.
  private mutating func number(_ column: String, _ sign: String, _ value: Double) -> String {
    let number = Self.number(column)
    let text = "\(number) \(sign) \(parameter(.value(.number(value))))"
    return sign.first == ">" ? "(\(text) AND typeof(\(number)) <> 'blob')" : text
  }

  private mutating func compare(
    _ column: String, _ comparison: BoundFilter.Comparison, _ date: Timestamp
  ) -> String {
    let (seconds, fraction) = (Self.seconds(column), Self.fraction(column))
    let first = parameter(.value(.integer(date.seconds)))
    let second = parameter(.value(.integer(Int64(date.nanoseconds))))
    return switch comparison {
    case .equal, .notEqual: "(\(seconds) = \(first) AND coalesce(\(fraction), 0) = \(second))"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      "(\(seconds) \(comparison.sql.prefix(1))= \(first) AND (\(seconds) \(comparison.sql.prefix(1)) \(first)"
        + " OR coalesce(\(fraction), 0) \(comparison.sql) \(second)))"
    }
  }

  // MARK: Columns as they sort

  /// The columns by whose order the values of a field are in order.
  static func sortColumns(_ column: String, _ kind: SQLCatalog.Kind) -> [String] {
    switch kind {
    case .attribute(.number): [number(column)]
    case .attribute(.date): [seconds(column), fraction(column)]
    case .attribute(.decimal): [decimal(column)]
    case .attribute, .toOne, .toMany: [column]
    }
  }

  /// The part of a decimal that sorts as its value.
  static func decimal(_ column: String) -> String { "substr(\(column), 1, 24)" }

  /// A number, with 0 for -0, and one BLOB for all that is not a number.
  private static func number(_ column: String) -> String {
    "(CASE typeof(\(column)) WHEN 'blob' THEN"
      + " CASE hex(\(column)) WHEN '8000000000000000' THEN 0.0 ELSE x'FF' END ELSE \(column) END)"
  }

  /// The seconds of a date, which stand in the first 8 bytes of a BLOB.
  private static func seconds(_ column: String) -> String {
    "(CASE typeof(\(column)) WHEN 'blob' THEN \(integer(column, digits: 0..<16)) ELSE \(column) END)"
  }

  /// The nanoseconds of a date; NULL if it has none.
  private static func fraction(_ column: String) -> String {
    "(CASE typeof(\(column)) WHEN 'blob' THEN \(integer(column, digits: 16..<24)) END)"
  }

  /// SQLite reads no hexadecimal digits, but `instr` knows the place of each.
  private static func integer(_ column: String, digits: Range<Int>) -> String {
    digits.map { digit in
      "(instr('123456789ABCDEF', substr(hex(\(column)), \(digit + 1), 1)) << \((digits.upperBound - 1 - digit) * 4))"
    }.joined(separator: " | ")
  }

  // MARK: Objects

  mutating func text(
    ofTarget field: Int, entity: Int, alias: String,
    where condition: (inout Conditions, _ alias: String) -> String?
  ) -> String? {
    aliases += 1
    let inner = "u\(aliases)"
    guard let text = condition(&self, inner) else { return nil }
    guard let stored = binding[entity]?.fields[field],
      let number = schema.entities[entity].fields[field].kind.target?.entity, let target = binding[number]
    else { return "1 = 0" }
    return "EXISTS (SELECT 1 FROM \(target.stored.identifier) AS \(inner)"
      + " WHERE \(inner).fastmap_id = \(alias).\(stored.identifier) AND (\(text)))"
  }

  mutating func text(ofKey key: PrimaryKey, entity: Int, alias: String) -> String? {
    "\(alias).fastmap_key = \(parameter(.key(key)))"
  }
}

extension Value {
  /// A number as a decimal.
  fileprivate var decimal: DecimalNumber? {
    switch self {
    case .decimal(let value): value
    case .integer(let value): DecimalNumber(value)
    case .unsigned(let value): DecimalNumber(value)
    default: nil
    }
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

extension Statement {
  func bind(_ parameters: [Conditions.Parameter]) throws {
    for (index, parameter) in parameters.enumerated() {
      switch parameter {
      case .value(let value): try bind(value, at: index + 1)
      case .key(let key): try bind(key, at: index + 1)
      case .id(let id): try bind(id, at: index + 1)
      }
    }
  }
}
