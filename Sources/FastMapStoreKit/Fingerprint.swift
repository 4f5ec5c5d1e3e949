/// 64 bits that stand for the fields that were last written to an object, and 64 that stand for the whole object.
///
///     if let stored = fingerprints[index], stored.high == change.fingerprint?.high { /* nothing differs */ }
///
/// A store on another machine keeps one with each object. ``StoreWriter/resolve(_:)`` returns it beside the number, and
/// an import then leaves out the objects whose fields would be written as they are.
///
/// A change of an object in any other way must remove its fingerprint, for example the deletion of a target.
public struct Fingerprint: Hashable, Sendable {
  /// Stands for the fields that were last written, with their policies.
  public let high: UInt64
  /// Stands for all values and targets of the object, so that a check can compare them; 0 if they are not known. An
  /// update that leaves fields alone, or merges a list, does not know them.
  public let low: UInt64

  /// Makes a fingerprint from its stored parts.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The secret in all fingerprints of a store, random, and the same for the life of the store.
  ///
  ///     let key = Fingerprint.Key(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  ///
  /// Without the secret, no payload can be made with equal fingerprints of different values.
  public struct Key: Hashable, Sendable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// Makes a key from its stored parts.
    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }
  }
}
