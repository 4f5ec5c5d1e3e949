internal import CFastMap

/// How far the writing of one object has come.
struct OutputFrame {
  var mapping = 0
  /// Its first source.
  var base = 0
  /// How many relationships lead to it from the root.
  var level = 0
  /// The next step, or that of the relationship whose targets are being written; none before the first member.
  var step = noStep
  /// Whether it is an object without a key that this output already has.
  var isCopy = false
  /// Where its text is put together at the end.
  var rework: ObjectRework?
  /// How many groups have begun and not ended.
  var openGroups = 0

  /// The target of a to-one relationship.
  var target: ObjectID = 0
  /// The targets of a to-many relationship; empty for a to-one.
  var targets: [ObjectID] = []
  var targetCount = 0
  var next = 0
  /// Whether any target has been written.
  var hasWritten = false

  static let noStep = -1

  var isInRelationship: Bool { targetCount > 0 }

  /// The place of the target that was handed out last; nil in a to-one relationship.
  var position: Int? { targets.isEmpty ? nil : next - 1 }

  mutating func nextTarget() -> ObjectID? {
    guard next < targetCount else { return nil }
    defer { next += 1 }
    return targets.isEmpty ? target : targets[next]
  }

  mutating func endRelationship() {
    targets = []
    targetCount = 0
    next = 0
    hasWritten = false
  }
}

/// The rows of the objects that are being written, as many of them as are likely to be looked at again.
///
/// A row is known by its place on the stack of sources. Deep objects take the rows of those far above them,
/// which are read again when it is their turn: a graph of any depth needs no more memory than this.
struct RowCache {
  private var entries: [Entry] = []

  private static let size = 32

  private final class Entry {
    var entity = 0
    var id: ObjectID = 0
    // Unchecked, as nobody else has the run whose cache this is; the check was a sixtieth of an export's instructions.
    @exclusivity(unchecked) var buffer = RowBuffer()
  }

  /// Makes sure that the row at a place is that of an object.
  ///
  /// - Returns: False where the object is not stored.
  mutating func load<R: StoreReader>(
    _ id: ObjectID, _ entity: Int, at place: Int, _ reader: inout R
  ) throws -> Bool {
    let index = place % Self.size
    while index >= entries.count { entries.append(Entry()) }
    let entry = entries[index]
    if entry.id == id, entry.entity == entity { return true }
    entry.id = 0
    guard try reader.read(id, of: entity, into: &entry.buffer) else { return false }
    entry.entity = entity
    entry.id = id
    return true
  }

  /// The row at a place, borrowed until the next is loaded.
  func row(at place: Int) -> Row { entries[place % Self.size].buffer.row }

  /// Forgets whose rows they are, as the next call may see another snapshot.
  func forget() {
    for entry in entries { entry.id = 0 }
  }
}

extension Row {
  /// Whether a field holds something that JSON can show.
  func hasValue(for step: OutputStep) -> Bool {
    let slot = slots[step.field]
    switch Int(slot.tag) {
    case FASTMAP_MISSING, FASTMAP_NULL: return false
    case FASTMAP_NUMBER: return slot.number.isFinite || step.transform >= 0
    default: return true
    }
  }
}
