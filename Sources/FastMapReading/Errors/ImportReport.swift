/// The result of an import.
///
///     let report = try Mapper(store).importJSON(.file("people.json"), as: plan)
///     print(report["Person"]?.inserted ?? 0)
///     print(report)                            // a table, as the tool prints it
///
/// An object that occurs several times in a payload counts once. The object is inserted if it was new. Otherwise it is
/// updated if any of its values or relationships changed, and unchanged if not.
public struct ImportReport: Equatable, Sendable {
  /// The counts of one entity.
  ///
  ///     if let people = report["Person"] { print(people.inserted, "new,", people.updated, "updated") }
  public struct Counts: Equatable, Sendable {
    /// The number of new objects.
    public var inserted = 0
    /// The number of stored objects with a changed value or relationship.
    public var updated = 0
    /// The number of stored objects without a change.
    public var unchanged = 0
    /// The number of objects that were deleted because a `replace` or an owner dropped them and nothing else refers
    /// to them.
    public var deleted = 0
    /// The number of objects that were left out because they were faulty or had no key.
    public var skipped = 0

    /// The number of stored objects that the payload has in older versions only. They are not changed: see `newerBy`.
    public var stale = 0
    /// The number of inserted objects for which the payload has nothing but the key, though a mapping of their entity has more
    /// fields. They are among the inserted ones.
    public var stubs = 0

    /// Makes counts, all of them 0 by default.
    public init(
      inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, deleted: Int = 0, skipped: Int = 0,
      stale: Int = 0, stubs: Int = 0
    ) {
      self.inserted = inserted
      self.updated = updated
      self.unchanged = unchanged
      self.deleted = deleted
      self.skipped = skipped
      self.stale = stale
      self.stubs = stubs
    }
  }

  /// The counts of one entity, with its name.
  ///
  ///     for row in report.entities { print(row.entity, row.counts.inserted) }
  public struct Row: Equatable, Sendable {
    /// The name of the entity.
    public let entity: String
    /// The counts of its objects.
    public var counts: Counts

    /// Makes a row.
    package init(entity: String, counts: Counts) {
      self.entity = entity
      self.counts = counts
    }
  }

  /// The name of the imported mapping. For a save of an ``ObjectContext``, the name of its first mapping.
  package var mapping: String
  /// Whether the changes were discarded.
  package var isDryRun: Bool
  /// The size of the input, in bytes; 0 for a tree.
  public var bytes: Int
  /// The number of objects at the root of the payload, including objects that were left out. For a save of an
  /// ``ObjectContext``, the number of objects that it found edited, new or marked for deletion.
  public var rootObjects: Int
  /// The time that the import took. For a save of an ``ObjectContext``, it includes comparing the instances with their
  /// values as read.
  public var duration: Duration
  /// The entities that occurred, in the order of the mappings.
  public var entities: [Row]
  /// The errors of the objects that were left out, in payload order, at most ``ImportOptions/maxErrors``.
  public var errors: [MappingError]
  /// The number of all errors.
  public var errorCount = 0
  /// The fields that no object of the payload had, not even as null, such as `"Country.region"`: mapping, then field.
  ///
  /// Use it to find misspelt key paths, which read nothing. Only mappings with at least one object in the payload are
  /// checked, and a bare key is not an object. A path with `[]` is present if the list is empty or one of its
  /// elements has the value. A relationship that reads its owner's own representation is present once it has an
  /// object.
  public var unseen: [String]
  /// The members that no field of their mapping reads, most objects first, at most 100. A mapping with a rest has all members, and
  /// one may ignore some: the `ignores` of ``Mapping``. A member counts in each object, also in one that is left out, stale or only a
  /// reference. Members inside of it do not count. A member that another kind reads counts, unless it is null.
  public package(set) var unread: [Finding] = []
  /// The number of other unread members. An import tells 512 of them apart; beyond that, one counts each time that it occurs.
  package var moreUnread = 0
  /// The first ten fields, attributes or to-one relationships, that occurrences of one object give different values; the last one
  /// counts. A missing member gives no value, and null gives one. A later occurrence that is newer, by the attribute of `newerBy`,
  /// contradicts nothing. Only occurrences in one batch are compared, so there may be more.
  public package(set) var contradictions: [Finding] = []
  /// The number of other contradictions that were found.
  package var moreContradictions = 0
  /// Notes about new fields that may be renamed old ones: the store has values under a name that the mapping no
  /// longer has. Also a note if ``ImportOptions/replaces`` has deleted nothing because the key of a root object could not be
  /// read.
  public var notes: [String] = []
  /// The conflicts that the rule of a save has settled.
  public var conflicts: [ObjectConflict] = []
  /// The most attempts that a transaction of the import took: 1, unless other writers interfered.
  public var attempts = 1

  /// Whether the report is about a save of a context, which has no payload.
  package var isOfSave = false

  package init(
    mapping: String, isDryRun: Bool, bytes: Int, rootObjects: Int, duration: Duration, entities: [Row],
    errors: [MappingError], errorCount: Int = 0, unseen: [String], notes: [String] = [],
    conflicts: [ObjectConflict] = [], attempts: Int = 1, isOfSave: Bool = false
  ) {
    self.attempts = attempts
    self.mapping = mapping
    self.isDryRun = isDryRun
    self.bytes = bytes
    self.rootObjects = rootObjects
    self.duration = duration
    self.entities = entities
    self.errors = errors
    self.errorCount = errorCount
    self.unseen = unseen
    self.notes = notes
    self.conflicts = conflicts
    self.isOfSave = isOfSave
  }

  /// Makes the report of an import that ended before it read anything.
  package static func ofNothing(_ plan: Plan, isDryRun: Bool) -> ImportReport {
    ImportReport(
      mapping: plan.root.name, isDryRun: isDryRun, bytes: 0, rootObjects: 0, duration: .zero, entities: [],
      errors: [], unseen: [])
  }

  /// The counts of an entity; nil if it did not occur.
  public subscript(entity: String) -> Counts? {
    entities.first { NameIndex.isSame($0.entity, entity) }?.counts
  }
}
