import FastMapCore
import FastMapSQL
import Testing

/// The texts of filters in SQL. A text must be true for the same rows as the filter; NULL is not true, and neither is NOT NULL.
@Suite struct SQLFilterTests {
  private static let row: Mapping<Record> = Mapping("Row", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("a", .string)
    ToOne("boss", row)
  }

  /// Writes the tests of a column without SQL.
  private struct Words: SQLConditionWriter {
    let schema: Schema

    mutating func text(of test: SQLTest, field: Int, entity: Int, alias: String) -> String? {
      let name = "\(alias).\(schema.entities[entity].fields[field].name)"
      switch test {
      case .isNull: return "\(name) is null"
      case .isNotNull: return "\(name) is there"
      case .compare(let comparison, .string(let text)): return "\(name) \(comparison.rawValue) \(text)"
      case .isOne(let values): return "\(name) is one of \(values.count)"
      default: return nil
      }
    }

    mutating func text(
      ofTarget field: Int, entity: Int, alias: String,
      where condition: (inout Self, _ alias: String) -> String?
    ) -> String? {
      condition(&self, "u").map { "target(\($0))" }
    }

    mutating func text(ofKey key: PrimaryKey, entity: Int, alias: String) -> String? { "\(alias) is \(key)" }
  }

  @Test(arguments: [
    (#"@.a == "x""#, "t.a == x"),
    (#"!(@.a == "x")"#, "((t.a == x) IS NOT TRUE)"),
    (#"@.a != "x""#, "((t.a == x) IS NOT TRUE)"),
    (#"!(@.a < "x")"#, "((t.a < x) IS NOT TRUE)"),
    ("@.a", "t.a is there"),
    ("!@.a", "((t.a is there) IS NOT TRUE)"),
    ("@.a == null", "((t.a is there) IS NOT TRUE)"),
    (#"@.boss.a != "x""#, "((target(u.a == x)) IS NOT TRUE)"),
    ("!@.boss", "((t.boss is there) IS NOT TRUE)"),
  ])
  func aNegationIsTrueWithoutAValue(_ filter: String, _ expected: String) throws {
    let plan = try Plan(Self.row)
    let bound = try Filter(filter).bound(to: plan)
    var words = Words(schema: plan.schema)
    #expect(words.text(of: bound.condition, entity: 0, alias: "t", schema: plan.schema) == expected)
  }
}
