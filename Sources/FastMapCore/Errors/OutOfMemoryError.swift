/// Memory ran out in the C core.
public struct OutOfMemoryError: Error, Sendable, CustomStringConvertible {
  public var description: String { "out of memory" }
}
