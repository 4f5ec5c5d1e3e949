/// The number by which a store knows one object of an entity: never given to another object of the entity, the same after
/// every update.
///
///     let id = ObjectID(rawValue: 314)      // for a store, which gives the numbers
@frozen
public struct ObjectID: Sendable {
  /// The number, which is never 0.
  public let rawValue: UInt64

  /// Makes the number that a store gives to an object; not of 0.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A placeholder for memory without an object.
  @inlinable
  package static var unset: ObjectID { ObjectID(rawValue: 0) }

  /// The number `count` places later.
  @inlinable
  package func advanced(by count: Int) -> ObjectID { ObjectID(rawValue: rawValue + UInt64(count)) }
}

// Written out, to be inlined in the stores.
extension ObjectID: Hashable, Comparable {
  @inlinable
  public static func == (a: ObjectID, b: ObjectID) -> Bool { a.rawValue == b.rawValue }

  @inlinable
  public static func < (a: ObjectID, b: ObjectID) -> Bool { a.rawValue < b.rawValue }

  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  // As integers have it: sets of objects took a thirtieth more instructions of a deletion without it.
  @inlinable
  public func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}

extension ObjectID: CustomStringConvertible {
  public var description: String { "\(rawValue)" }
}
