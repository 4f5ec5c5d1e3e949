/// How many root objects the next batches of a transaction should have.
///
/// The number depends on the text and the options alone, so an import does the same on one thread and on two. A batch goes
/// by the batch three before it, or by the first one: the batches between may not have been walked when it is read.
struct BatchSizes {
  /// The most batches that exist at one time.
  static let distance = 3

  /// Fields that all rows of a batch have together, 16 bytes each. Objects with up to 128 fields stay below it.
  private static let fieldCount = 1 << 19

  /// The objects that a batch should have.
  private let objectCount: Int
  private var sizes: [Int]

  init(objectCount: Int, _ schema: Schema) {
    let widest = schema.entities.map(\.fields.count).max() ?? 0
    self.objectCount = min(objectCount, Self.fieldCount / max(widest, 1))
    // With a look at so many objects, an import knows the payload of another mapping.
    sizes = [min(100, self.objectCount)]
  }

  mutating func next() -> Int { sizes.removeFirst() }

  /// Chooses the sizes of the next `distance - 1` batches, which go by the first one.
  mutating func begin(after first: ImportUnit) {
    sizes = Array(repeating: size(after: first), count: Self.distance - 1)
  }

  /// Chooses the size of a batch by the one before it at the distance.
  mutating func add(after unit: ImportUnit) { sizes.append(size(after: unit)) }

  /// The number of root objects that fill a batch, if they are like the root objects of a unit.
  private func size(after unit: ImportUnit) -> Int {
    max(1, min(objectCount, unit.input.roots.count * objectCount / max(1, unit.occurrenceCount)))
  }
}
