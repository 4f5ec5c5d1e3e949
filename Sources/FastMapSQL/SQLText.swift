/// Names and texts as they stand in a statement.
///
///     "SELECT \(SQLText.identifier(column)) FROM \(SQLText.identifier(table))"
///
/// Values belong into parameters. Where a statement takes no parameter, as in a comment on a table, use
/// ``literal(_:)``.
package enum SQLText {
  /// A name in double quotes, with any characters except NUL, which ``SQLNames`` leaves out.
  package static func identifier(_ name: String) -> String { quoted(name, "\"") }

  /// A text in single quotes, for servers with standard strings: a backslash is a backslash. NUL is not allowed.
  package static func literal(_ text: String) -> String { quoted(text, "'") }

  /// Doubles each quote by its byte: a quote with a combining accent after it is one character in Swift.
  private static func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    result.append(quote)
    for scalar in text.unicodeScalars {
      result.append(scalar)
      if scalar == quote { result.append(quote) }
    }
    result.append(quote)
    return String(result)
  }

  /// Conditions with `AND` or `OR` between them, in a tree as flat as can be. SQLite refuses one that is a thousand deep, which
  /// a long row of conditions is.
  ///
  ///     SQLText.tree(["a", "b", "c", "d"], "OR")   // ((a) OR (b)) OR ((c) OR (d))
  ///
  /// - Parameters:
  ///   - conditions: At least one.
  ///   - sign: `AND` or `OR`.
  package static func tree(_ conditions: [String], _ sign: String) -> String {
    var texts = conditions
    while texts.count > 1 {
      texts = stride(from: 0, to: texts.count, by: 2).map { place in
        place + 1 < texts.count ? "(\(texts[place])) \(sign) (\(texts[place + 1]))" : texts[place]
      }
    }
    return texts.first ?? ""
  }

  /// Identifiers with commas between them.
  package static func list(_ names: some Sequence<String>) -> String {
    names.map(identifier).joined(separator: ", ")
  }
}
