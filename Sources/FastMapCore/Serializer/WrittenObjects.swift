/// The objects that an output has in full, by the mapping that wrote them.
struct WrittenObjects {
  private struct Entry: Hashable {
    var mapping: Int
    var id: ObjectID
  }

  /// The first ones, which are faster searched one by one.
  private var few: [Entry] = []
  private var many: Set<Entry> = []

  private static let searched = 16

  var count: Int { few.count + many.count }
  var capacity: Int { many.capacity }

  func contains(_ id: ObjectID, as mapping: Int) -> Bool {
    let entry = Entry(mapping: mapping, id: id)
    return few.contains(entry) || !many.isEmpty && many.contains(entry)
  }

  mutating func insert(_ id: ObjectID, as mapping: Int) {
    let entry = Entry(mapping: mapping, id: id)
    if few.count < Self.searched { few.append(entry) } else { many.insert(entry) }
  }

  mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if many.isEmpty { return }
    // To empty a set takes as long as it is large, and the next root object may have few.
    many.removeAll(keepingCapacity: many.capacity < 8 * many.count)
  }
}
