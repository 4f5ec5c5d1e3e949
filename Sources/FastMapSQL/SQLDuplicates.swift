/// Finds rows that have the same values in a unique index, with one statement.
///
///     let sql = SQLDuplicates.statement(
///       table: "Person", columns: [.init { "\($0)email" }], present: ["email"],
///       touched: "SELECT value FROM json_each(?1)", select: "t.fastmap_id, t.email", order: "t.email", limit: 100)
///
/// A store that distributes its rows, or that has no room for a native unique index, asks so at the end of a write. The
/// statement looks up the values of the rows that the write has touched.
package enum SQLDuplicates {
  /// A column or an expression by which rows are compared.
  ///
  ///     let column = SQLDuplicates.Column { "\($0)email" }
  package struct Column {
    let text: (_ alias: String) -> String
    let isOptional: Bool
    let isDescending: Bool

    /// Makes a column.
    ///
    /// - Parameters:
    ///   - isOptional: Whether it may be null where the value is not.
    ///   - isDescending: Whether the index has its greatest values first.
    ///   - text: The expression, for the prefix of its columns: `t.`, or nothing.
    package init(
      isOptional: Bool = false, isDescending: Bool = false, _ text: @escaping (_ alias: String) -> String
    ) {
      self.text = text
      self.isOptional = isOptional
      self.isDescending = isDescending
    }
  }

  /// The statement.
  ///
  /// - Parameters:
  ///   - table: Its name, quoted.
  ///   - columns: The columns to compare.
  ///   - present: Columns without a null, quoted.
  ///   - touched: A list or a query of the numbers of the rows that have changed; nil if all rows are compared.
  ///   - select: The columns of the answer, of the alias `t`.
  ///   - order: The order of the index, of the alias `t`. Rows of the same values stand together.
  ///   - limit: The most different values: the first ones in the order of the index.
  package static func statement(
    table: String, columns: [Column], present: [String], touched: String?, select: String, order: String,
    limit: Int
  ) -> String {
    let names = columns.indices.map { "v\($0)" }
    func values(_ alias: String) -> String {
      zip(columns, names).map { "\($0.text(alias)) AS \($1)" }.joined(separator: ", ")
    }
    func match(_ other: String) -> String {
      zip(columns, names).map { column, name in
        column.isOptional
          ? "(\(column.text("t.")) = \(other).\(name) OR \(column.text("t.")) IS NULL AND \(other).\(name) IS NULL)"
          : "\(column.text("t.")) = \(other).\(name)"
      }.joined(separator: " AND ")
    }
    let isPresent = present.map { "t.\($0) IS NOT NULL" }.joined(separator: " AND ")
    let list = names.joined(separator: ", ")
    func first(_ prefix: String) -> String {
      let order = zip(columns, names).map {
        "\(prefix)\($1) \($0.isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST")"
      }
      return "HAVING count(*) > 1 ORDER BY \(order.joined(separator: ", ")) LIMIT \(limit)"
    }
    var parts: [String] = []
    if let touched {
      parts.append(
        "touched AS MATERIALIZED (SELECT DISTINCT \(values("t.")) FROM \(table) AS t"
          + " WHERE t.fastmap_id IN (\(touched)) AND \(isPresent))")
      parts.append(
        "several AS MATERIALIZED (SELECT \(names.map { "o.\($0)" }.joined(separator: ", ")) FROM touched AS o"
          + " JOIN \(table) AS t ON \(match("o")) WHERE \(isPresent)"
          + " GROUP BY \(names.map { "o.\($0)" }.joined(separator: ", ")) \(first("o.")))"
      )
    } else {
      parts.append(
        "several AS MATERIALIZED (SELECT \(list) FROM (SELECT \(values("t.")) FROM \(table) AS t WHERE \(isPresent)) AS o"
          + " GROUP BY \(list) \(first("o.")))")
    }
    return "WITH \(parts.joined(separator: ", ")) SELECT \(select) FROM several AS o"
      + " JOIN \(table) AS t ON \(match("o")) WHERE \(isPresent) ORDER BY \(order)"
  }
}
