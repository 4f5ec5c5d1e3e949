/// A number of ``ImportOptions`` that is out of its range. Nothing is read or changed.
///
///     do { _ = try mapper.importJSON(json, as: mapping, options: options) } catch let error as ImportOptionError { print(error) }
///     // commitInterval: expected at least 1, found -1
public struct ImportOptionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The option, its range, and its value.
  public let description: String
}

extension ImportOptions {
  func check() throws(ImportOptionError) {
    let numbers: [(name: String, value: Int?, least: Int)] = [
      ("commitInterval", commitInterval, 1), ("batchSize", batchSize, 1), ("maxErrors", maxErrors, 0),
      ("maxDepth", maxDepth, 0),
    ]
    for (name, value, least) in numbers {
      guard let value, value < least else { continue }
      throw ImportOptionError(description: "\(name): expected at least \(least), found \(value)")
    }
  }
}
