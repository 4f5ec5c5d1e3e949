package import FastMapStoreKit

/// A test of one column.
///
///     case .compare(.less, .integer(let value)): "\(column) < \(parameter(value))"
package enum SQLTest: Sendable {
  /// No value.
  case isNull
  /// A value.
  case isNotNull
  /// A value that fulfils a comparison with another one, which is not null, and not `!=`. NaN fulfils none.
  case compare(BoundFilter.Comparison, Value)
  /// A floating-point value that is not a number.
  case isNotNumber
  /// One of some values, none of them null.
  case isOne([Value])
  case hasPrefix(String)
  /// A string that contains another one.
  case contains(String)
  case target(BoundFilter.Comparison, ObjectID)
}

/// Writes the tests of a filter in the SQL of one database, and collects their parameters.
///
///     struct Conditions: SQLConditionWriter { … }
///     var conditions = Conditions(binding)
///     guard let text = conditions.text(of: condition, entity: 0, alias: "t") else { return nil }
///     let sql = "SELECT fastmap_id FROM Person AS t WHERE \(text)"
///
/// A text is true exactly for the rows for which FastMap's own test is true, as `BoundFilter` of FastMapCore defines
/// it. For all other rows, it is false or NULL. Nil means that the database cannot say it exactly, and the core tests
/// the objects.
package protocol SQLConditionWriter {
  /// The text of a test of a column.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - field: The schema's number of an attribute or a to-one relationship. One that the store does not have has no
  ///     value.
  ///   - entity: The schema's number of the entity.
  ///   - alias: The name of its table in the statement.
  mutating func text(of test: SQLTest, field: Int, entity: Int, alias: String) -> String?

  /// The text for whether a to-one target exists and fulfils a condition: an `EXISTS` with a subquery.
  ///
  /// - Parameters:
  ///   - field: The relationship.
  ///   - entity: The schema's number of the entity.
  ///   - alias: The name of its table in the statement.
  ///   - condition: Writes the condition, for the alias that it receives; nil if it cannot be written.
  mutating func text(
    ofTarget field: Int, entity: Int, alias: String, where condition: (inout Self, _ alias: String) -> String?
  ) -> String?

  /// The text for whether a to-many relationship has a target that exists and fulfils a condition.
  ///
  /// The default is nil.
  ///
  /// - Parameters:
  ///   - field: The relationship.
  ///   - entity: The schema's number of the entity.
  ///   - alias: The name of its table in the statement.
  ///   - condition: Writes the condition, for the alias that it receives; nil if it cannot be written.
  mutating func text(
    ofTargets field: Int, entity: Int, alias: String,
    where condition: (inout Self, _ alias: String) -> String?
  ) -> String?

  /// The text for whether the object of a row has a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - entity: The schema's number of the entity.
  ///   - alias: The name of its table in the statement.
  mutating func text(ofKey key: PrimaryKey, entity: Int, alias: String) -> String?
}

extension SQLConditionWriter {
  package mutating func text(
    ofTargets field: Int, entity: Int, alias: String,
    where condition: (inout Self, _ alias: String) -> String?
  ) -> String? { nil }

  /// The text of a condition; nil if the database cannot say it exactly.
  ///
  /// - Parameters:
  ///   - condition: With the numbers of `schema`.
  ///   - entity: The schema's number of the entity.
  ///   - alias: The name of its table in the statement.
  ///   - schema: The schema of the condition's numbers.
  package mutating func text(
    of condition: BoundFilter.Condition, entity: Int, alias: String, schema: Schema
  ) -> String? {
    switch condition {
    case .constant(let value): return value ? "1 = 1" : "1 = 0"
    case .all(let parts): return joined(parts, "AND", entity, alias, schema)
    case .any(let parts): return joined(parts, "OR", entity, alias, schema)
    case .not(let part):
      return text(of: part, entity: entity, alias: alias, schema: schema).map { "((\($0)) IS NOT TRUE)" }
    case .exists(let path):
      return text(of: .isNotNull, path, entity, alias, schema)
    case .compare(.path(let path), let comparison, .literal(let value)):
      return compare(path, comparison, value, entity, alias, schema)
    case .compare(.literal(let value), let comparison, .path(let path)):
      return compare(path, comparison.mirror, value, entity, alias, schema)
    case .isOne(.path(let path), let values):
      return isOne(path, values, entity, alias, schema)
    case .text(.path(let path), .hasPrefix, .literal(.string(let prefix))):
      return text(of: .hasPrefix(prefix), path, entity, alias, schema)
    case .text(.path(let path), .contains, .literal(.string(let part))):
      return text(of: .contains(part), path, entity, alias, schema)
    case .compare, .isOne, .text: return nil
    }
  }

  private mutating func joined(
    _ parts: [BoundFilter.Condition], _ sign: String, _ entity: Int, _ alias: String, _ schema: Schema
  ) -> String? {
    var texts: [String] = []
    for part in parts {
      guard let text = text(of: part, entity: entity, alias: alias, schema: schema) else { return nil }
      texts.append(text)
    }
    return SQLText.tree(texts, sign)
  }

  private mutating func compare(
    _ path: BoundFilter.Path, _ comparison: BoundFilter.Comparison, _ value: Value, _ entity: Int,
    _ alias: String, _ schema: Schema
  ) -> String? {
    if comparison == .notEqual {
      return compare(path, .equal, value, entity, alias, schema).map { "((\($0)) IS NOT TRUE)" }
    }
    if case .null = value {
      switch comparison {
      case .equal, .lessOrEqual, .greaterOrEqual:
        return text(of: .isNotNull, path, entity, alias, schema).map { "((\($0)) IS NOT TRUE)" }
      case .notEqual, .less, .greater: return "1 = 0"
      }
    }
    if case .object = path.end {
      guard comparison == .equal, let key = PrimaryKey(literal: value) else { return nil }
      return self.key([key], path, entity, alias, schema)
    }
    return text(of: .compare(comparison, value), path, entity, alias, schema)
  }

  private mutating func isOne(
    _ path: BoundFilter.Path, _ values: [Value], _ entity: Int, _ alias: String, _ schema: Schema
  ) -> String? {
    var texts: [String] = []
    let others = values.filter { $0 != .null }
    if others.count < values.count {
      guard let text = compare(path, .equal, .null, entity, alias, schema) else { return nil }
      texts.append(text)
    }
    if !others.isEmpty {
      var found: String?
      if case .object = path.end {
        found = key(others.compactMap(PrimaryKey.init(literal:)), path, entity, alias, schema)
      } else {
        found = text(of: .isOne(others), path, entity, alias, schema)
      }
      guard let found else { return nil }
      texts.append(found)
    }
    return texts.isEmpty ? "1 = 0" : SQLText.tree(texts, "OR")
  }

  private mutating func key(
    _ keys: [PrimaryKey], _ path: BoundFilter.Path, _ entity: Int, _ alias: String, _ schema: Schema
  ) -> String? {
    guard path.steps.count == 1, case .toOne(let field) = path.steps[0], keys.count <= 32,
      let target = schema.entities[entity].fields[field].kind.target
    else { return nil }
    if keys.isEmpty { return "1 = 0" }
    return text(ofTarget: field, entity: entity, alias: alias) { writer, alias in
      var texts: [String] = []
      for key in keys {
        guard let text = writer.text(ofKey: key, entity: target.entity, alias: alias) else { return nil }
        texts.append(text)
      }
      return SQLText.tree(texts, "OR")
    }
  }

  private mutating func text(
    of test: SQLTest, _ path: BoundFilter.Path, _ entity: Int, _ alias: String, _ schema: Schema
  ) -> String? {
    if path.steps.count == 1, case .toMany(let field, let selectors) = path.steps[0], case .object = path.end,
      case .isNotNull = test
    {
      return text(ofTargets: field, chosenBy: selectors, entity, alias, schema)
    }
    let end: Int
    switch (path.end, path.steps.last) {
    case (.attribute(let field), nil):
      return text(of: test, field: field, entity: entity, alias: alias)
    case (.json(let field, let isWhole, _), nil):
      guard isWhole, case .isNotNull = test else { return nil }
      return text(of: test, field: field, entity: entity, alias: alias)
    case (.object, .toOne(let field)) where path.steps.count == 1:
      return text(of: test, field: field, entity: entity, alias: alias)
    case (.attribute(let field), .toOne) where path.steps.count == 1: end = field
    default: return nil
    }
    guard case .toOne(let field)? = path.steps.first,
      let target = schema.entities[entity].fields[field].kind.target
    else { return nil }
    return text(ofTarget: field, entity: entity, alias: alias) { writer, alias in
      writer.text(of: test, field: end, entity: target.entity, alias: alias)
    }
  }
}

extension SQLConditionWriter {
  /// The text for whether selectors choose a target of a to-many relationship.
  private mutating func text(
    ofTargets field: Int, chosenBy selectors: [BoundFilter.Selector], _ entity: Int, _ alias: String,
    _ schema: Schema
  ) -> String? {
    guard let target = schema.entities[entity].fields[field].kind.target?.entity else { return nil }
    return text(ofTargets: field, entity: entity, alias: alias) { writer, alias in
      var texts: [String] = []
      for selector in selectors {
        switch selector {
        case .all: texts.append("1 = 1")
        case .filtered(let filter):
          let text = writer.text(of: filter.condition, entity: target, alias: alias, schema: schema)
          guard let text else { return nil }
          texts.append(text)
        case .index, .slice: return nil  // they are about positions
        }
      }
      return texts.isEmpty ? "1 = 0" : SQLText.tree(texts, "OR")
    }
  }
}

extension PrimaryKey {
  fileprivate init?(literal value: Value) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .string(let text): self = .string(text)
    default: return nil
    }
  }
}

extension BoundFilter.Comparison {
  fileprivate var mirror: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
