/// Reads objects: a ``Snapshot``, or a transaction, which also sees its own writes.
///
///     func total(_ reading: inout some ObjectReading & ~Copyable) throws -> Int { try reading.count(Order.mapping) }
public protocol ObjectReading: ~Copyable {
  /// Lends a snapshot of the present state to `body`.
  mutating func withSnapshot<R>(_ body: (inout Snapshot) throws -> R) throws -> R
}

extension Snapshot: ObjectReading {
  @inline(__always)
  public mutating func withSnapshot<R>(_ body: (inout Snapshot) throws -> R) throws -> R { try body(&self) }
}
