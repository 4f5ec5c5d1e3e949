/// The promises of a store beyond the protocol, and its preferred use.
///
///     public var capabilities: StoreCapabilities {
///       StoreCapabilities(concurrency: .serializable, prefersSets: true, batchSize: 5_000)
///     }
///
/// The contract suite of `FastMapStoreTesting` checks each declared capability.
public struct StoreCapabilities: Sendable {
  /// How several writes share a store.
  ///
  ///     StoreCapabilities(concurrency: .serializable)
  public enum Concurrency: Sendable, Hashable {
    /// One write at a time. A second one waits, also in another process.
    case oneWriter
    /// Several writes at the same time. One of two writes that conflict fails with ``ConflictError``.
    case serializable
  }

  /// How several writes share the store.
  package var concurrency: Concurrency

  /// Whether a read sees one snapshot from start to end. If false, it may see commits that happen in between, and a
  /// target may be gone when it is read.
  package var readsOneSnapshot: Bool

  /// Whether `write` never runs its body again and never throws ``ConflictError``. An import of a stream then need not
  /// keep its text in an unnamed file until the transaction ends.
  package var runsWritesOnce: Bool

  /// Whether a call costs much more than its answer, as with a store on another machine. Reads and exports then gather
  /// objects level by level, in as few calls as possible. ``StoreReader/prefersSets`` of its readers must be the same.
  package var prefersSets: Bool

  /// The preferred number of objects in a batch of an import; nil for FastMap's own choice.
  package var batchSize: Int?

  /// The key of the store's fingerprints; nil if the store keeps none. See ``Fingerprint``.
  package var fingerprintKey: Fingerprint.Key?

  /// Whether no two objects ever have the same values in a unique index. If false, as by default, a write whose mappings
  /// declare one throws ``MappingDefinitionError``.
  package var keepsUniqueIndexes: Bool

  /// The maximum size of a string, data or JSON text, in bytes; nil for no limit. A larger value is a fault of its object in an
  /// import.
  package var mostValueBytes: Int?

  /// Makes the capabilities of a store. The defaults describe an embedded store without unique indexes.
  public init(
    concurrency: Concurrency = .oneWriter, readsOneSnapshot: Bool = true, runsWritesOnce: Bool = false,
    prefersSets: Bool = false, batchSize: Int? = nil,
    fingerprintKey: Fingerprint.Key? = nil, keepsUniqueIndexes: Bool = false, mostValueBytes: Int? = nil
  ) {
    self.concurrency = concurrency
    self.readsOneSnapshot = readsOneSnapshot
    self.runsWritesOnce = runsWritesOnce
    self.prefersSets = prefersSets
    self.batchSize = batchSize
    self.fingerprintKey = fingerprintKey
    self.keepsUniqueIndexes = keepsUniqueIndexes
    self.mostValueBytes = mostValueBytes
  }
}
