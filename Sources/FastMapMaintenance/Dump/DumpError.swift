/// A dump that cannot be loaded.
///
///     people.dump: line 3, $.values.age: expected an integer, found the string "x"
public struct DumpError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The dump, as the caller named it, or the store.
  public let file: String
  /// The line, from 1; nil for an error of the whole dump.
  public let line: Int?
  /// The path within the line's value, such as `$.values.age`; nil for the whole line.
  package let part: String?
  /// The fault, in words.
  public let reason: String

  package init(file: String, line: Int? = nil, place: String? = nil, _ reason: String) {
    (self.file, self.line, part, self.reason) = (file, line, place, reason)
  }

  public var description: String {
    let lead = [line.map { "line \($0)" }, part.map { beginning(of: $0, most: 100) }].compactMap(\.self)
      .joined(separator: ", ")
    return lead.isEmpty ? "\(file): \(reason)" : "\(file): \(lead): \(reason)"
  }
}

extension DumpError: FastMapError {
  public var code: String { "dump" }
  public var place: String? { line.map { "\(file), line \($0)" } ?? file }
}
