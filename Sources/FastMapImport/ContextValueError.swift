/// A value of ``ImportOptions/context`` that is missing, or that no field uses or can hold.
///
///     do { _ = try mapper.importJSON(json, as: plan) } catch let error as ContextValueError { print(error.name) }
public struct ContextValueError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the value.
  package let name: String
  /// The message.
  public let description: String
}

extension ContextValueError: FastMapError {
  public var code: String { "context-value" }
  public var place: String? { name }
}
