/// A line and a column of a text, counted from 1. Columns count Unicode scalars.
///
///     print(TextLocation(line: 3, column: 17))     // line 3, column 17
public struct TextLocation: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int

  /// Makes a location.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public var description: String { "line \(line), column \(column)" }
}
