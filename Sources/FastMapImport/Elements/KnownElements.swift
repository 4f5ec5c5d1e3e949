/// Elements that earlier batches have read, by list and value. So an import reads no stored element in batch after batch.
///
/// Covers lists into which every mapping merges, and elements that other lists have lost. The elements may be
/// forgotten at any time: then the next batch reads again. A batch reads each object that it takes from here, as
/// another writer may have deleted it.
final class KnownElements {
  let hasher: ElementHasher
  /// The objects by list and value; most values have one.
  private var first: [ElementHash: ObjectID] = [:]
  private var others: [ElementHash: [ObjectID]] = [:]
  private var lists: Set<ChangeBatch.Holder> = []
  /// How many of the elements that a list has lost are here.
  private var lostCounts: [ChangeBatch.Holder: Int] = [:]
  /// Whether the transaction has added anything. The store takes it back with the transaction.
  private var hasAdditions = false

  /// About 16 MB.
  private static let usualLimit = 1 << 18
  /// Lists of one batch may need more. With room for as much again, forgetting them costs no more than their growth.
  private var limit = usualLimit
  private var hasForgotten = true

  private let plan: Plan
  /// The lists into which every mapping merges, as fields by entity. Nothing else removes an element.
  private lazy var growing = plan.schema.entities.indices.map { entity -> Set<Int> in
    if plan.takesBackValues(of: entity) { return [] }
    var merges: [Int: Bool] = [:]
    for planned in plan.mappings where planned.entity == entity {
      for (relationship, field) in zip(planned.mapping.relationships, planned.relationshipFields) {
        let isMerge = relationship.isToMany && relationship.policy.isMerge
        merges[field] = isMerge && merges[field] ?? true
      }
    }
    return Set(merges.lazy.filter(\.value).map(\.key))
  }

  init(_ plan: Plan) {
    self.plan = plan
    hasher = ElementHasher(plan.schema)
  }

  // MARK: Transactions and batches

  /// Takes back the changes of a run that has not committed.
  func beginRun() {
    if hasAdditions { forget() }
    hasAdditions = false
  }

  func endTransaction() { hasAdditions = false }

  func beginBatch() {
    let size = first.count + others.count + lists.count + lostCounts.count
    if hasForgotten { limit = max(Self.usualLimit, 2 * size) }
    hasForgotten = size > limit
    if hasForgotten { forget() }
  }

  private func forget() {
    first = [:]
    others = [:]
    lists = []
    lostCounts = [:]
  }

  // MARK: Lists

  /// Whether a list only grows, so that its elements can be kept here.
  func keeps(_ field: Int, of entity: Int) -> Bool { growing[entity].contains(field) }

  /// Whether all elements of a list are here.
  func hasList(_ holder: ChangeBatch.Holder) -> Bool { lists.contains(holder) }

  func addList(_ holder: ChangeBatch.Holder) {
    hasAdditions = true
    lists.insert(holder)
  }

  /// How many of the elements that a list has lost are here.
  func lostCount(_ holder: ChangeBatch.Holder) -> Int { lostCounts[holder, default: 0] }

  func recordLost(_ holder: ChangeBatch.Holder, count: Int) {
    hasAdditions = true
    lostCounts[holder] = count
  }

  /// Adds an element of a list.
  ///
  /// - Parameter value: As `value(_:in:)` returns it.
  func add(_ id: ObjectID, _ value: ElementHash) {
    guard let known = first[value] else {
      first[value] = id
      return
    }
    if known != id { others[value, default: []].append(id) }
  }

  func value(_ hash: ElementHash, in holder: ChangeBatch.Holder) -> ElementHash {
    hasher.hash(hash, in: holder)
  }

  /// One of the objects with a value; nil after the last one.
  func object(_ value: ElementHash, at place: Int) -> ObjectID? {
    if place == 0 { return first[value] }
    guard let others = others[value], place <= others.count else { return nil }
    return others[place - 1]
  }
}
