/// What an import did.
///
///     let report = try Mapper(store).importFile("people.json", as: plan)
///     print(report["Person"]?.inserted ?? 0)
///
/// An object met several times in one payload counts once: inserted if it was new, else updated if anything in it or in
/// its relationships changed, else unchanged.
public struct ImportReport: Equatable, Sendable {
  /// What happened to the objects of one entity.
  public struct Counts: Equatable, Sendable {
    public var inserted = 0
    public var updated = 0
    public var unchanged = 0
    /// Objects that a `replace` or an owner no longer refers to, nor anything else.
    public var deleted = 0
    /// Objects left out, as they were faulty or had no key.
    public var skipped = 0

    public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, deleted: Int = 0, skipped: Int = 0) {
      self.inserted = inserted
      self.updated = updated
      self.unchanged = unchanged
      self.deleted = deleted
      self.skipped = skipped
    }
  }

  /// One entity's counts.
  public struct Row: Equatable, Sendable {
    public let entity: String
    public var counts: Counts

    public init(entity: String, counts: Counts) {
      self.entity = entity
      self.counts = counts
    }
  }

  /// The name of the mapping that was imported.
  public var mapping: String
  /// Whether nothing was kept.
  public var isDryRun: Bool
  /// The size of the input.
  public var bytes: Int
  /// The objects at the root of the payload, left out ones included.
  public var rootObjects: Int
  /// The time it took.
  public var duration: Duration
  /// The entities that were met, in the order in which the mappings name them.
  public var entities: [Row]
  /// The faults of the objects that were left out, in payload order.
  public var errors: [MappingError]

  /// The counts of an entity; nil where it was not met.
  public subscript(entity: String) -> Counts? { entities.first { $0.entity == entity }?.counts }
}
