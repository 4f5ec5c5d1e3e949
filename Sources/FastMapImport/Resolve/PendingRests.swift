/// Members for the `rest` of objects whose rest this transaction has merged before. They wait, and are merged all at once: merging
/// in each batch would cost the square of their number.
final class PendingRests {
  /// The rest of one object.
  struct Place: Hashable, Comparable {
    let entity: Int
    let field: Int
    let id: ObjectID

    static func < (a: Place, b: Place) -> Bool { (a.entity, a.field, a.id) < (b.entity, b.field, b.id) }
  }

  /// What an object gains.
  struct Changes {
    var mapping: Int
    var texts: [[UInt8]] = []
  }

  private var changes: [Place: Changes] = [:]
  private var size = 0
  /// Some of the objects whose rest was merged.
  private var merged: Set<Place> = []

  /// About 8 MB. No dearer than merging the rests of all objects once for each.
  var isFull: Bool { size > 1 << 23 }

  func beginRun() {
    _ = removeAll()
    merged = []
  }

  func recordMerged(_ place: Place) {
    if merged.count == 1 << 16 { merged = [] }
    merged.insert(place)
  }

  /// Lets an occurrence wait.
  ///
  /// - Returns: False if it is the first one of its object, which need not wait.
  func add(_ text: UnsafeBufferPointer<UInt8>, to place: Place, mapping: Int) -> Bool {
    guard changes[place] != nil || merged.contains(place) else { return false }
    changes[place, default: Changes(mapping: mapping)].mapping = mapping
    changes[place]?.texts.append(Array(text))
    size += text.count + 96
    return true
  }

  /// All that waits, by place.
  func removeAll() -> [(place: Place, changes: Changes)] {
    defer { (changes, size) = ([:], 0) }
    return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
