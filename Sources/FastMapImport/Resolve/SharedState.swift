/// The state that the batches of an import share.
final class SharedState {
  /// Nil if no form of the plan decides on occurrences.
  let rules: OccurrenceRules?
  let known: KnownElements
  /// Nil if each occurrence changes its object at once.
  private(set) var pendingRests: PendingRests?
  /// Nil if the payload deletes no objects.
  let tombstones: Tombstones?
  /// Nil if the store keeps no fingerprints.
  var fingerprinter: Fingerprinter?
  /// The values that the first transaction moves out of rests; nil for none.
  var moves: RestMoves?
  /// The entities whose rests may have members that fields read, beyond ``RestMembers/mayHoldRead``.
  private var holding: Set<Int> = []

  init(_ plan: Plan, _ options: ImportOptions) {
    rules = OccurrenceRules(plan)
    known = KnownElements(plan)
    let movesMembers = plan.mappings.contains { $0.rest?.mayHoldRead ?? false }
    let changesLater =
      plan.traits.hasRest && !movesMembers && options.delegate == nil
      && !plan.schema.entities.indices.contains(where: plan.takesBackValues)
    pendingRests = changesLater ? PendingRests() : nil
    tombstones = Tombstones(plan, unlinksAtOnce: options.commitInterval == nil)
  }

  func holdsRead(_ entity: Int) -> Bool { !holding.isEmpty && holding.contains(entity) }

  func hold(_ entities: Set<Int>) {
    if entities.isEmpty { return }
    holding.formUnion(entities)
    pendingRests = nil
  }

  /// Takes back the changes of a run that has not committed.
  func beginRun() {
    known.beginRun()
    pendingRests?.beginRun()
    tombstones?.beginRun()
  }
}
