/// The objects that an output contains in full, with the content written of each.
struct WrittenObjects {
  private struct Entry: Hashable {
    var content: Int
    var id: ObjectID
  }

  // Behind a reference, because most outputs need none. Copying even an empty set would look up its type at run time.
  private final class Many {
    var entries: Set<Entry> = []
  }

  /// The first objects. A linear search of these is faster.
  private var few: [Entry] = []
  private var many: Many?

  private static var searched: Int { 16 }

  var capacity: Int { many?.entries.capacity ?? few.capacity }

  /// Whether an object was written with this content or a fuller one.
  func contains(_ id: ObjectID, with content: OutputContent) -> Bool {
    contains(Entry(content: content.number, id: id))
      || content.fuller.contains { contains(Entry(content: $0, id: id)) }
  }

  private func contains(_ entry: Entry) -> Bool {
    few.contains { $0.id == entry.id && $0.content == entry.content }
      || many?.entries.contains(entry) ?? false
  }

  mutating func insert(_ id: ObjectID, with content: OutputContent) {
    let entry = Entry(content: content.number, id: id)
    if few.count < Self.searched { return few.append(entry) }
    let many = self.many ?? Many()
    many.entries.insert(entry)
    self.many = many
  }

  mutating func removeAll() {
    if few.isEmpty { return }
    few.removeAll(keepingCapacity: true)
    guard let many, !many.entries.isEmpty else { return }
    // Emptying a set takes time in proportion to its capacity, and the next root object may need little.
    many.entries.removeAll(keepingCapacity: many.entries.capacity < 8 * many.entries.count)
  }
}
