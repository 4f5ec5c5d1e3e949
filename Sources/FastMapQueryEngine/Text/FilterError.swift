/// All faults of a filter: faults of its text, or faults found when it meets a mapping.
///
///     do {
///       let filter = try Filter("@.age >= && @.name")
///     } catch {
///       for fault in error.faults { print(fault) }
///     }
///
/// The example prints `column 10: expected a path from @, a literal or a function, found "&&"`. A fault of a filter
/// written in Swift has its path instead of a column.
public struct FilterError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One fault.
  ///
  ///     if let column = fault.column { print(text, String(repeating: " ", count: column - 1) + "^", separator: "\n") }
  public struct Fault: Equatable, Sendable, CustomStringConvertible {
    /// The place in the text, in UTF-8 bytes from its start; nil for a filter that did not come from text.
    public let offset: Int?

    /// The same place in characters, counted from 1. As in a ``TextLocation``, they are Unicode scalars.
    public let column: Int?

    /// The path that the fault is about, as text: `@.author.name`. Nil for a fault of grammar.
    package let path: String?

    /// A description of the fault and of the correct form.
    public let reason: String

    package init(_ place: FilterPlace, path: String? = nil, _ reason: String) {
      offset = place.offset
      column = place.column
      self.path = path
      self.reason = reason
    }

    public var description: String {
      let place = column.map { "column \($0)" }
      return [place, path.map { printable(beginning(of: $0, most: 100)) }, reason].compactMap { $0 }.joined(
        separator: ": ")
    }
  }

  /// The faults, at least one.
  public let faults: [Fault]

  package init(_ faults: [Fault]) { self.faults = faults }

  package init(_ fault: Fault) { faults = [fault] }

  /// One line for each of the first 100 faults, and the number of the others.
  public var description: String { messageText(faults) }
}

extension FilterError: FastMapError {
  public var code: String { "filter" }
  public var place: String? {
    faults.first.flatMap { fault in fault.path ?? fault.column.map { "column \($0)" } }
  }
}
