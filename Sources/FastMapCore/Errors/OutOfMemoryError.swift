/// The C core could not allocate memory.
public struct OutOfMemoryError: Error, Sendable, CustomStringConvertible {
  public var description: String { "out of memory" }
}
