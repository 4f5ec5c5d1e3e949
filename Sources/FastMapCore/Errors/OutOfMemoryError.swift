/// The C core could not allocate memory. The store is unchanged.
///
///     do { _ = try mapper.importJSON(bytes, as: plan) } catch is OutOfMemoryError { print("out of memory") }
public struct OutOfMemoryError: Error, Sendable, CustomStringConvertible {
  public var description: String { "out of memory" }
}
