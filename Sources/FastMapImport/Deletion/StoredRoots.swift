/// The stored roots without a key that an import replaces, by their values.
///
/// A root of the payload takes one with the same value, each once, in the order they were made. The end of the payload
/// deletes the others.
final class StoredRoots {
  let entity: Int
  /// Ascending.
  private var ids: [ElementHash: [ObjectID]] = [:]
  private var takenOf: [ElementHash: Int] = [:]
  /// The values that were taken, in order.
  private var taken: [ElementHash] = []

  /// Reads the roots among some objects, before the import changes anything.
  ///
  /// - Complexity: O(*n* log *n*) in the objects, and in the objects that belong to them.
  init<W: StoreWriter>(
    among ids: [ObjectID], of entity: Int, _ plan: Plan, _ hasher: ElementHasher, in writer: inout W
  ) throws {
    self.entity = entity
    let ids = ids.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.atOnce) {
      var some = Array(ids[start..<min(start + Self.atOnce, ids.count)])
      if !plan.traits.keyFields[entity].isEmpty {
        let keyless = try writer.reader.keyless(some, of: entity, plan)
        some = some.filter(keyless.contains)
      }
      if some.isEmpty { continue }
      // An object without a key that another refers to belongs to that.
      let references = try writer.references(to: some, of: entity, after: nil, limit: 1)
      try StoreContractError.check(
        references.count, isCount: some.count, of: "lists", in: "references(to:of:after:limit:)")
      some = zip(some, references).filter { $1.isEmpty }.map(\.0)
      var stored = StoredElements(plan, hasher)
      for node in try stored.read(some, of: entity, in: &writer.reader) {
        guard let hash = stored.nodes[node].hash else { continue }
        self.ids[hash, default: []].append(stored.nodes[node].id)
      }
    }
  }

  private static let atOnce = 4096

  /// Takes the next root with a value.
  func next(_ hash: ElementHash) -> ObjectID? {
    let place = takenOf[hash, default: 0]
    guard let ids = ids[hash], place < ids.count else { return nil }
    takenOf[hash] = place + 1
    taken.append(hash)
    return ids[place]
  }

  var mark: Int { taken.count }

  func goBack(to mark: Int) {
    while taken.count > mark { takenOf[taken.removeLast(), default: 1] -= 1 }
  }
}
