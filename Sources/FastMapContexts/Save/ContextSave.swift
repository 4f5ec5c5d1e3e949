internal import CFastMap

/// Writes the changes of a context, in one transaction.
///
///     changes ──rows──▶ conflicts? ──▶ ChangeBatch ──apply──▶ store ──▶ DeletionSweep
///
/// A save takes the way of an import from its batch on. The store may run it again, so everything of an attempt is in
/// ``Attempt``.
// @unchecked: the context refuses other uses while it is on a thread, and the transaction reads no instance.
final class ContextSave: @unchecked Sendable {
  let changes: ContextChanges
  let rule: ConflictRule
  var attempt: Attempt
  let titles: ObjectNames
  /// Set where the task is cancelled that waits for the save.
  let cancellation = AtomicFlag()

  /// The state of one attempt.
  struct Attempt {
    var tally: ChangeCounts
    var sweep: DeletionSweep
    let rows = RowMemory()
    /// The rows of edited objects as the store has them before the save, and of all written ones afterwards.
    var current: [ObjectIdentity: OwnedRow] = [:]
    var written: [ObjectIdentity: OwnedRow] = [:]
    /// The targets of edited relationships before the save.
    var targets: [Place: [ObjectID]] = [:]
    /// The conflicts that the rule has settled.
    var conflicts: [ObjectConflict] = []
    /// The fields that keep the other writer's value.
    var theirs: Set<Place> = []
    /// The linked objects that are not stored any more.
    var missing: Set<ObjectIdentity> = []
    /// The objects that are not stored any more, and whose edits or links the rule has dropped. They leave the context.
    var lost: [ObjectIdentity: ContextMember] = [:]
    /// The new instances that only such fields refer to. They are not stored.
    var dropped: Set<ObjectIdentifier> = []
    /// The new objects by their numbers, for the keys in conflicts; nil before the first one.
    var newMembers: [ObjectIdentity: ContextMember]?
    /// The keys of targets in conflicts that the context does not have.
    var keys: [ObjectIdentity: PrimaryKey] = [:]
    /// The objects of the context that are not stored any more.
    var gone: [ContextMember] = []
    var number = 0
  }

  /// A field of an object.
  struct Place: Hashable {
    let object: ObjectIdentity
    let field: Int
  }

  /// The values of the properties of edited and new objects when the save began. The transaction reads no instance.
  private(set) var captured: [ObjectIdentifier: OwnedRow] = [:]

  /// Why new objects have no key.
  var keylessReasons: [ObjectIdentifier: String] = [:]

  private let readsWritten: Bool  // a context goes on with the written rows

  /// - Throws: ``ContextError`` for a new object without a part of its key, and for an object with two owners or another owner.
  init(_ changes: ContextChanges, _ rule: ConflictRule, readsWritten: Bool = true) throws {
    (self.changes, self.rule, self.readsWritten) = (changes, rule, readsWritten)
    titles = ObjectNames(changes.graph)
    attempt = Self.makeAttempt(changes.graph.plan)
    var keys = NewObjectKeys(changes)
    var values = RowBuffer()
    for edit in changes.edits + changes.new {
      let entity = graph[edit.member.entity]
      try entity.read(edit.member.instance, into: &values)
      if edit.member.isNew, let field = schema.entities[entity.number].keyField {
        readKey(of: edit.member, &values, field, &keys)
      }
      captured[ObjectIdentifier(edit.member.instance)] = OwnedRow(values.slots, count: entity.fieldCount)
    }
    try checkParts(&keys)
    try checkOwners(&keys)
  }

  /// The value of a property when the save began; missing for none.
  func mine(_ member: ContextMember, _ field: Int) -> fastmap_slot {
    captured[ObjectIdentifier(member.instance)]?.slots[field] ?? fastmap_slot()
  }

  /// The primary key of an object; nil for one without.
  func key(of member: ContextMember) -> PrimaryKey? {
    if member.stored != nil { return graph.key(of: member) }
    return plan.traits.keyFields[member.entity].lazy.compactMap { [self] field in
      PrimaryKey(slot: mine(member, field))
    }.first
  }

  private static func makeAttempt(_ plan: Plan) -> Attempt {
    Attempt(
      tally: ChangeCounts(entityCount: plan.schema.entities.count, keepsRewritten: false),
      sweep: DeletionSweep(plan: plan))
  }

  var graph: ContextGraph { changes.graph }
  var plan: Plan { graph.plan }
  var schema: Schema { graph.schema }

  /// The edits of objects that are stored.
  var edits: [ContextChanges.Edit] {
    attempt.lost.isEmpty
      ? changes.edits : changes.edits.filter { attempt.lost[$0.member.object] == nil }
  }
  /// The new objects that become stored ones.
  var new: [ContextChanges.Edit] {
    attempt.dropped.isEmpty
      ? changes.new : changes.new.filter { !attempt.dropped.contains(ObjectIdentifier($0.member.instance)) }
  }

  func run<W: StoreWriter>(on writer: inout W) throws -> TransactionCompletion<Void> {
    try checkCancellation()
    begin()
    try readCurrent(from: &writer.reader)
    try delete(on: &writer)
    try giveNumbers(on: &writer)
    var batch = try batch(&writer.reader)
    try writer.apply(&batch)
    try writer.finish(&batch)
    attempt.tally.count(batch.changes)
    attempt.sweep.add(try writer.reader.markOwnership(of: batch.removed, plan))
    let leftovers = try writer.claimLeftovers(of: nil)
    try attempt.sweep.add(leftovers)
    spareTargets()
    try sweep(on: &writer)
    try checkInverses(on: &writer.reader)
    if readsWritten { try readWritten(from: &writer.reader) }
    try checkCancellation()
    let hasChanges = attempt.tally.hasChanges || !leftovers.isEmpty || writer.hasStoredDefaults
    return hasChanges ? .commit(()) : .rollBack(())
  }

  private func checkCancellation() throws {
    if cancellation.isSet { throw CancellationError() }
  }

  /// Forgets the attempt before.
  func begin() {
    let number = attempt.number
    attempt = Self.makeAttempt(plan)
    attempt.number = number + 1
    forgetNumbers()
  }

  /// Takes back the numbers of new objects, which are used up.
  func forgetNumbers() {
    for edit in changes.new { edit.member.id = .unset }
  }

  // MARK: Reading

  /// Reads the stored rows and relationships of the edited objects.
  private func readCurrent<R: StoreReader>(from reader: inout R) throws {
    for (number, edits) in Dictionary(grouping: edits, by: \.member.entity) {
      let ids = edits.map(\.member.id).sortedUnique()
      let instances = Dictionary(uniqueKeysWithValues: edits.map { ($0.member.id, $0.member.instance) })
      try reader.copyRows(ids, of: number, fields: graph[number].fieldCount) { [self] id, row in
        // An object of another kind counts as another object: its fields may be another kind's now.
        let fields = Row(slots: row.slots, count: row.count)
        if let instance = instances[id], graph[number].isOtherKind(fields, than: instance) { return }
        attempt.current[.init(entity: number, id: id)] = row
      }
      let links = graph[number].links
      for position in Set(edits.flatMap { $0.links.map(\.position) }).sorted() {
        let owners = edits.filter { $0.links.contains { $0.position == position } }.map(\.member.id)
        let found = try reader.checkedTargets(
          of: owners, entity: number, fields: [links[position].field])[0]
        for (id, targets) in zip(owners, found) {
          let object = ObjectIdentity(entity: number, id: id)
          attempt.targets[Place(object: object, field: links[position].field)] = targets
        }
      }
    }
  }

  private func readWritten<R: StoreReader>(from reader: inout R) throws {
    for (number, edits) in Dictionary(grouping: edits + new, by: \.member.entity) {
      let ids = edits.map(\.member.id).sortedUnique()
      try reader.copyRows(ids, of: number, fields: graph[number].fieldCount) { [self] id, row in
        attempt.written[.init(entity: number, id: id)] = row
      }
    }
    try findGone(on: &reader)
  }

  /// Finds the objects of the context that the save has deleted.
  func findGone<R: StoreReader>(on reader: inout R) throws {
    attempt.gone = changes.deleted
    for number in schema.entities.indices where attempt.tally.deletedCount(of: number) > 0 {
      let members = graph[number].members.filter { !$0.isGone && !$0.isDeleted }
      let stored = try reader.stored(members.map(\.id), of: number)
      attempt.gone += members.filter { !stored.contains($0.id) }
    }
  }

  // MARK: Deleting

  func delete<W: StoreWriter>(on writer: inout W) throws {
    let deleted = Dictionary(grouping: changes.deleted, by: \.entity)
    for (entity, members) in deleted.sorted(by: { $0.key < $1.key }) {
      let ids = members.map(\.id).sortedUnique()
      try attempt.sweep.addCompanions(of: ids, entity, writer: &writer)
      for id in try writer.delete(ids, of: entity) { attempt.tally.countDeleted(id, of: entity) }
    }
  }

  /// Keeps the targets of written relationships, also if another relationship has lost them: a payload would have them,
  /// too.
  private func spareTargets() {
    if attempt.sweep.candidateCount == 0 { return }
    for edit in edits + new {
      let entity = graph[edit.member.entity]
      for (position, targets) in edit.links {
        let place = Place(object: edit.member.object, field: entity.links[position].field)
        if attempt.theirs.contains(place) { continue }
        for target in targets where !target.isNew { attempt.tally.spare(target.id, of: target.entity) }
      }
    }
  }

  /// Deletes objects that relationships have lost and that nothing refers to.
  func sweep<W: StoreWriter>(on writer: inout W) throws {
    var (sweep, tally) = (attempt.sweep, attempt.tally)
    try sweep.run(on: &writer, tally: &tally)
    attempt.tally = tally
  }

  // MARK: Inverses

  private func checkInverses<R: StoreReader>(on reader: inout R) throws {
    // Objects that are not stored have no inverses.
    let stored = changes.inverses.filter {
      attempt.lost[$0.member.object] == nil && !attempt.dropped.contains(ObjectIdentifier($0.member.instance))
    }
    for (entity, edits) in Dictionary(grouping: stored, by: \.member.entity) {
      for (position, edits) in Dictionary(grouping: edits, by: \.position) {
        let link = graph[entity].links[position]
        guard let inverse = schema.entities[entity].inverse(link.field) else { continue }
        let found = try reader.links(
          of: edits.map(\.member.id), entity: entity, [link.field], in: schema)[0]
        for (edit, owners) in zip(edits, found) {
          let owners = Set(owners)
          let isNew = edit.added.contains { changes.member(of: $0) == nil }
          let isShown = edit.added.allSatisfy { instance in
            changes.member(of: instance).map { owners.contains($0.id) || isDropped($0.id, inverse) } ?? false
          }
          if !isShown || edit.removed.contains(where: { owners.contains($0) && !isDropped($0, inverse) }) {
            let (member, key) = (edit.member, key(of: edit.member))
            let (name, relationship) = (schema.entities[entity].name, schema.relationship(of: inverse))
            let title = titles.title(of: member, key: key, isNew: member.stored == nil)
            throw isNew
              ? ContextError.newInInverse(
                entity: name, key: key, title: title, inverse: inverse.name, relationship: relationship)
              : .editedInverse(
                entity: name, key: key, title: title, inverse: inverse.name, relationship: relationship)
          }
        }
      }
    }
  }

  /// Whether the rule has dropped the edit of an owner's relationship, so that the inverse may contradict it.
  private func isDropped(_ owner: ObjectID, _ inverse: Schema.Inverse) -> Bool {
    let owner = ObjectIdentity(entity: inverse.entity, id: owner)
    return attempt.lost[owner] != nil || attempt.theirs.contains(Place(object: owner, field: inverse.field))
  }
}

extension StoreReader {
  /// Copies the rows of those objects that are stored.
  mutating func copyRows(
    _ ids: [ObjectID], of entity: Int, fields: Int, _ body: (ObjectID, OwnedRow) -> Void
  ) throws {
    var buffer = RowBuffer()
    try read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields)
      buffer.copy(row)
      try buffer.checkWhole()
      body(ids[index], OwnedRow(buffer.slots, count: fields))
    }
  }
}
