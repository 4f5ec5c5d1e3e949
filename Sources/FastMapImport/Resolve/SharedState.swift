/// The state that the batches of an import share.
final class SharedState {
  /// Nil if no form of the plan decides on occurrences.
  let rules: OccurrenceRules?
  let known: KnownElements
  /// Nil if each occurrence changes its object at once.
  let pendingRests: PendingRests?
  /// Nil if the payload deletes no objects.
  let tombstones: Tombstones?
  /// Nil if the store keeps no fingerprints.
  var fingerprinter: Fingerprinter?

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

  /// Takes back the changes of a run that has not committed.
  func beginRun() {
    known.beginRun()
    pendingRests?.beginRun()
    tombstones?.beginRun()
  }
}
