/// Objects that relationships have lost during an import. Most of them are deleted at its end.
///
/// A transaction's candidates can be taken back, as the store may run the transaction again. Copying all candidates for
/// each transaction would take time in proportion to their number.
struct DeletionCandidates {
  private let plan: Plan
  private var sweep: DeletionSweep
  /// Owned objects that their owners have lost. A later batch may link them again. Elements of a list stay here then.
  private(set) var owned: [ChangeBatch.Holder: [ObjectID]] = [:]
  /// The old entry of `owned` for each change of this transaction to a to-one relationship.
  private var old: [(holder: ChangeBatch.Holder, ids: [ObjectID]?)] = []
  /// The elements in `owned`.
  private var lost: Set<ObjectIdentity> = []
  /// The elements that this transaction has added to `owned`.
  private var newlyLost: [(holder: ChangeBatch.Holder, object: ObjectIdentity)] = []
  /// Elements that this import has inserted, and that their lists have lost again: an equal one is a new object.
  private var orphaned: [ChangeBatch.Removed] = []
  private(set) var hasDeletedOrphaned = false
  /// The store's record of the import, once the store has kept candidates of it.
  private var keeper: AnyObject?
  /// The candidates that the store has kept.
  private var keptCount = 0

  struct Mark {
    let candidateCount: Int
    fileprivate let keeper: AnyObject?
    fileprivate let keptCount: Int
  }

  init(plan: Plan, _ changeLog: ChangeLog?) {
    self.plan = plan
    sweep = DeletionSweep(plan: plan)
    sweep.changeLog = changeLog
  }

  // MARK: Transactions

  /// Begins a transaction.
  mutating func mark() -> Mark {
    old.removeAll()
    newlyLost.removeAll()
    return Mark(candidateCount: sweep.candidateCount, keeper: keeper, keptCount: keptCount)
  }

  /// Takes back all additions since a mark.
  mutating func goBack(to mark: Mark) {
    sweep.goBack(to: mark.candidateCount)
    (keeper, keptCount) = (mark.keeper, mark.keptCount)
    orphaned.removeAll()
    while let (holder, ids) = old.popLast() { owned[holder] = ids }
    while let (holder, object) = newlyLost.popLast() {
      owned[holder]?.removeLast()
      lost.remove(object)
    }
  }

  // MARK: Adding

  /// Adds the objects that the changes of a batch have removed from relationships.
  ///
  /// - Parameters:
  ///   - orphaned: The owned objects that their owners do not have in the end.
  ///   - tally: The counts, including the batch.
  mutating func add<R: StoreReader>(
    _ removed: [ChangeBatch.Removed], orphaned: [ChangeBatch.Holder: [ChangeBatch.Removed]],
    _ tally: ChangeCounts, _ reader: inout R
  ) throws {
    var others: [ChangeBatch.Holder: [ObjectID]] = [:]
    for object in try reader.markOwnership(of: removed, plan) {
      if object.isOwned, isList(object.holder) {
        lose(object, tally)
        continue
      }
      sweep.add([object])
      if object.isOwned, orphaned[object.holder] == nil {
        others[object.holder, default: []].append(object.id)
      }
    }
    for (holder, objects) in orphaned {
      if isList(holder) {
        for object in objects { lose(object, tally) }
      } else {
        setOwned(objects.map(\.id), of: holder)
        sweep.add(objects)
      }
    }
    for (holder, ids) in others { setOwned(ids + (owned[holder] ?? []), of: holder) }
  }

  private func isList(_ holder: ChangeBatch.Holder) -> Bool {
    plan.schema.entities[holder.entity].fields[holder.field].kind.isToMany
  }

  /// Records that a list has lost an element.
  private mutating func lose(_ object: ChangeBatch.Removed, _ tally: ChangeCounts) {
    if tally.hasInserted(object.id, of: object.entity) { return orphaned.append(object) }
    let identity = ObjectIdentity(entity: object.entity, id: object.id)
    guard lost.insert(identity).inserted else { return }
    owned[object.holder, default: []].append(object.id)
    newlyLost.append((object.holder, identity))
    sweep.add([object])
  }

  /// Deletes the elements that this import has inserted and their lists have lost.
  ///
  /// - Parameter count: Fewer stay until later.
  mutating func deleteOrphaned<W: StoreWriter>(
    atLeast count: Int, on writer: inout W, tally: inout ChangeCounts
  ) throws {
    guard !orphaned.isEmpty, orphaned.count >= count else { return }
    hasDeletedOrphaned = true
    var sweep = DeletionSweep(plan: plan)
    sweep.changeLog = self.sweep.changeLog
    sweep.add(orphaned)
    orphaned.removeAll()
    try sweep.run(on: &writer, tally: &tally, onlyOwned: true)
    self.sweep.add(sweep.candidates)
  }

  /// Adds new objects that their owners do not have. A later batch may link them again.
  mutating func add(orphanedScoped: [ChangeBatch.Removed]) { sweep.add(orphanedScoped) }

  /// Adds objects that no later batch links again.
  mutating func add<R: StoreReader>(_ removed: [ChangeBatch.Removed], _ reader: inout R) throws {
    sweep.add(try reader.markOwnership(of: removed, plan))
  }

  private mutating func setOwned(_ ids: [ObjectID], of holder: ChangeBatch.Holder) {
    let before = ids.isEmpty ? owned.removeValue(forKey: holder) : owned.updateValue(ids, forKey: holder)
    if before != nil || !ids.isEmpty { old.append((holder, before)) }
  }

  // MARK: Deleting

  /// Deletes the unreferenced candidates at the end of the payload, including leftovers of interrupted imports.
  ///
  /// - Parameter replaced: Objects of the root entity that the payload replaces and does not have.
  /// - Returns: Whether the store had kept candidates of this import or of an earlier one. Also how many of `replaced` are deleted,
  ///   and how many objects stay to which only deleted ones referred.
  func delete<W: StoreWriter>(
    _ replaced: [ObjectID], _ tombstones: Tombstones?, on writer: inout W, tally: inout ChangeCounts
  ) throws -> (hadLeftovers: Bool, deleted: Int, left: Int) {
    var sweep = self.sweep  // a transaction that runs again needs its own
    sweep.add(orphaned)
    let leftovers = try writer.claimLeftovers(of: keeper)
    try sweep.add(leftovers)
    let gone = tombstones?.gone ?? [:]
    for (entity, ids) in gone.sorted(by: { $0.key < $1.key }) {
      sweep.addDeleted(ids.sorted(), of: entity, evenIfMet: true)
    }
    sweep.deletesMetDependents = !gone.isEmpty
    try sweep.addUnmet(replaced, of: plan.mappings[0].entity, on: &writer, tally)
    let (deleted, left) = try sweep.run(
      on: &writer, tally: &tally, replacing: replaced, of: plan.mappings[0].entity)
    return (!leftovers.isEmpty || keeper != nil, deleted, left)
  }

  /// Has the store keep the candidates with a commit that is not the last one.
  mutating func keep<W: StoreWriter>(in writer: inout W) throws {
    keeper = try writer.keepLeftovers(sweep.leftovers(after: keptCount), of: keeper)
    keptCount = sweep.candidateCount
  }

  /// Deletes the objects that committed transactions of a failed import have left without an owner. The store keeps the
  /// other candidates for its next write, as if the process had ended.
  ///
  /// - Parameters:
  ///   - mark: The end of the last committed transaction.
  ///   - tally: The counts up to there. The objects that are deleted are added.
  func clearUp<W: StoreWriter>(
    to mark: Mark, on writer: inout W, tally: inout ChangeCounts
  ) throws -> AnyObject? {
    var sweep = self.sweep
    sweep.goBack(to: mark.candidateCount)
    try sweep.add(writer.claimLeftovers(of: mark.keeper))
    try sweep.run(on: &writer, tally: &tally, onlyOwned: true)
    return try writer.keepLeftovers(sweep.leftovers(after: 0), of: mark.keeper)
  }
}
