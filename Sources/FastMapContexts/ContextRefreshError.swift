/// An import into a context is stored, and the context could not read its objects again.
///
///     do { try context.importJSON(body, as: Book.mapping) } catch let error as ContextRefreshError {
///       print(error.report, error.cause)
///     }
///
/// Instances show the values that they had. New instances stay new. The next refresh or import shows the stored values.
public struct ContextRefreshError: Error, Sendable, CustomStringConvertible {
  /// The report of the import.
  public let report: ImportReport
  /// The error of the store.
  public let cause: any Error

  init(_ cause: any Error, _ report: ImportReport) {
    self.cause = cause
    self.report = report
  }

  public var description: String { "the import is stored, and its objects could not be read again: \(cause)" }
}

extension ContextRefreshError: FastMapError {
  public var code: String { "not-shown" }
}
