/// A custom policy returned targets that its relationship cannot have.
///
///     the policy "newest" of "car" returned 2 targets for a to-one relationship
public struct PolicyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension PolicyError: FastMapError {
  public var code: String { "policy" }
}
