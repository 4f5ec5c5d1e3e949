/// A number of ``ImportOptions``, ``SerializerOptions`` or a read that is out of its range. Nothing is read, written or changed.
///
///     do { _ = try mapper.importJSON(json, as: mapping, options: options) } catch let error as OptionError { print(error) }
///     // commitInterval: expected at least 1, found -1
public struct OptionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The option, its range, and its value.
  public let description: String

  package init(description: String) { self.description = description }

  /// - Parameter value: Nil has no limit, and is right.
  package static func check(_ name: String, _ value: Int?, atLeast least: Int) throws(OptionError) {
    guard let value, value < least else { return }
    throw OptionError(description: "\(name): expected at least \(least), found \(value)")
  }
}

extension OptionError: FastMapError {
  public var code: String { "option" }
}
