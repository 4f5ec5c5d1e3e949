internal import CFastMap

/// Runs one import: batches of root objects into a store, in one transaction or in several.
package final class Importer {
  let plan: Plan
  let options: ImportOptions
  let source: RootSources
  let batches: ImportBatches
  /// The size of the whole input; nil for a stream, whose length is unknown.
  let totalBytes: Int?

  /// State restored before a transaction is retried. The other state has marks, because a copy for each transaction
  /// would cost too much.
  package struct State {
    var tally: ChangeCounts
    var rootObjects = 0
    package var position: RootSource.Position
    var notes: [String] = []
    var contradictions: [ImportReport.Finding] = []
    var moreContradictions = 0
    /// The stored objects that the payload replaces.
    var unmetRoots: UnmetRoots?
  }

  package var state: State
  /// The objects that the transaction leaves out, because their values in a unique index are not unique.
  var conflicts: UniqueConflicts
  var bytesDone = 0
  /// Whether the input of a transaction can be replayed.
  var canRunAgain = true
  var faults: ImportFaults
  var removed: DeletionCandidates
  let late: PendingLinks
  let unreadCheck: UnreadCheck?
  let changeLog: ChangeLog?

  /// The imported root objects, in payload order, if the caller wants them. May contain duplicates.
  package var roots: [ObjectID] = []
  /// The imported root objects without the deleted ones: ``DeletedBy``.
  package var remainingRoots: [ObjectID] {
    let gone = tombstones?.gone[plan.mappings[0].entity] ?? []
    return gone.isEmpty ? roots : roots.filter { !gone.contains($0) }
  }

  /// The changes of the last batch, until the store has answered.
  struct UnsettledBatch {
    var changes: ChangeBatch
    let orphaned: [ChangeBatch.Holder: [ChangeBatch.Removed]]
  }

  var unsettled: UnsettledBatch?
  /// Whether a transaction of the import has ended. Other writes may have deleted its objects since then.
  var hasCommitted = false
  /// The open transaction that the import is a part of, and its number there.
  var transaction: TransactionRun.Part?
  /// The most attempts that a transaction took.
  var attempts = 1
  let keepsRoots: Bool
  /// The context that the objects are imported into.
  let observer: (any ImportObserver)?

  /// - Throws: ``OptionError``, ``FilterError``, ``MappingDefinitionError``.
  package init(
    plan: Plan, options: ImportOptions, source: RootSources, totalBytes: Int?, keepsRoots: Bool = false,
    observer: (any ImportObserver)? = nil
  ) throws {
    try options.check()
    var (options, notes) = (options, [String]())
    if options.commitInterval != nil, plan.comparesDeletable {
      options.commitInterval = nil
      notes.append(
        "imported in one transaction, because elements without a key link objects that the payload may delete"
      )
    }
    if plan.root.isScoped {
      throw MappingDefinitionError([
        .init(
          place: plan.root.place.appending("keyScope"),
          reason: "the objects of \(quoted(plan.root.name)) belong to their owners; import the owners")
      ])
    }
    self.keepsRoots = keepsRoots || options.delegate != nil
    self.observer = observer
    self.plan = plan
    self.options = options
    self.source = source
    self.totalBytes = totalBytes
    conflicts = UniqueConflicts(spareWork: options.spareConflictWork)
    late = PendingLinks(plan: plan)
    unreadCheck = UnreadCheck(plan, options)
    faults = ImportFaults(options)
    changeLog = options.onChange.map { ChangeLog(plan, $0) }
    removed = DeletionCandidates(plan: plan, changeLog)
    batches = ImportBatches(source, plan, options, rootLimit: options.commitInterval)
    state = State(
      tally: ChangeCounts(
        entityCount: plan.schema.entities.count,
        keepsRewritten: options.commitInterval == nil || options.isDryRun),
      position: source.position, notes: notes, unmetRoots: try UnmetRoots(options, plan))
  }

  // MARK: Results

  var tombstones: Tombstones? { batches.shared.tombstones }
  var tally: ChangeCounts { state.tally }
  /// The counts by entity.
  package var rows: [ImportReport.Row] { tally.rows(of: plan.schema) }
  var rootObjects: Int { state.rootObjects }
  var notes: [String] { state.notes }
  var errors: [MappingError] { faults.errors }
  var errorCount: Int { faults.count }
  /// The fields that no object had, as the report names them.
  var unseen: [String] { batches.unseenFields }
  /// Adds the unread members and the contradictions to a report.
  func addFindings(to report: inout ImportReport) {
    report.add([source.unread] + (unreadCheck.map { [$0.counter] } ?? []))
    (report.contradictions, report.moreContradictions) = (state.contradictions, state.moreContradictions)
  }
  /// The length of the whole input, once it has been imported.
  var byteCount: Int { totalBytes ?? source.position.bytes }
}
