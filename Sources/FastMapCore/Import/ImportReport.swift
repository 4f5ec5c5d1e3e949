/// What an import did.
///
///     let report = try Mapper(store).importFile("people.json", as: plan)
///     print(report["Person"]?.inserted ?? 0)
///     print(report)                            // a table, as the tool prints it
///
/// An object met several times in one payload counts once: inserted if it was new, else updated if anything
/// in it or in its relationships changed, else unchanged.
public struct ImportReport: Equatable, Sendable {
  /// What happened to the objects of one entity.
  ///
  ///     if let people = report["Person"] { print(people.inserted, "new,", people.updated, "updated") }
  public struct Counts: Equatable, Sendable {
    /// Objects that the store did not have.
    public var inserted = 0
    /// Objects that the store had, of which a value or a relationship is different now.
    public var updated = 0
    /// Objects that the store had as they are.
    public var unchanged = 0
    /// Objects that a `replace` or an owner no longer refers to, nor anything else.
    public var deleted = 0
    /// Objects left out, as they were faulty or had no key.
    public var skipped = 0

    /// Makes counts, all of them 0 by default.
    public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, deleted: Int = 0, skipped: Int = 0) {
      self.inserted = inserted
      self.updated = updated
      self.unchanged = unchanged
      self.deleted = deleted
      self.skipped = skipped
    }
  }

  /// One entity's counts.
  ///
  ///     for row in report.entities { print(row.entity, row.counts.inserted) }
  public struct Row: Equatable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// What happened to its objects.
    public var counts: Counts

    /// Makes a row.
    public init(entity: String, counts: Counts) {
      self.entity = entity
      self.counts = counts
    }
  }

  /// The name of the mapping that was imported.
  public var mapping: String
  /// Whether nothing was kept.
  public var isDryRun: Bool
  /// The size of the input, in bytes; 0 for a tree.
  public var bytes: Int
  /// The objects at the root of the payload, left out ones included.
  public var rootObjects: Int
  /// The time it took.
  public var duration: Duration
  /// The entities that were met, in the order in which the mappings name them.
  public var entities: [Row]
  /// The faults of the objects that were left out, in payload order: the first ``ImportOptions/maxErrors`` of them.
  public var errors: [MappingError]
  /// The number of all faults.
  public var errorCount = 0
  /// The fields that no object of the payload had, not even as null, as `"Country.region"`: mapping, then field.
  ///
  /// A key path that is misspelt reads nothing, and shows here. Only mappings of which the payload had an object
  /// count; a bare key is none. A list that a path with `[]` leads to is there where it is empty, or one of its
  /// elements has the value. A relationship that reads its owner's own representation is there once it has an
  /// object.
  public var unseen: [String]
  /// What the store found strange in the fields that are new to it, a sentence each: a field whose name may have been
  /// another, as one that the store keeps is named no longer.
  public var layoutNotes: [String] = []

  /// The counts of an entity; nil where it was not met.
  public subscript(entity: String) -> Counts? { entities.first { $0.entity == entity }?.counts }
}
