internal import CFastMap

/// The state of writing one object.
struct OutputFrame {
  var mapping = 0
  /// The index of its first source.
  var base = 0
  var level = 0
  /// The next step, or the step of the relationship whose targets are being written; `noStep` before the first
  /// member.
  var step = noStep
  /// How an object is written that this output already contains.
  enum Copy {
    case none
    /// In full, because it has no key.
    case keyless
    /// Without its lists, from a place of the output on.
    case shallow(start: Int)
  }
  var copy = Copy.none
  /// The state of an object whose text is assembled at its end.
  var rework: ObjectRework?
  /// The step that writes null at the end of the object; `noStep` for none.
  var kindStep = noStep
  var openGroups = 0

  var target = ObjectID.unset
  /// The targets of a to-many relationship; empty for a to-one.
  package var targets: [ObjectID] = []
  var targetCount = 0
  var next = 0
  var hasWritten = false

  static let noStep = -1

  var isShallow: Bool { if case .shallow = copy { true } else { false } }

  var isInRelationship: Bool { targetCount > 0 }

  /// The position of the current target; nil in a to-one relationship.
  package var position: Int? { targets.isEmpty ? nil : next - 1 }

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

/// Rows of the objects being written, limited to rows that are likely to be needed again.
///
/// A row is identified by its position on the stack of sources. Deep objects overwrite the rows of objects far above
/// them, which are read again later. So memory is constant for a graph of any depth.
struct RowCache {
  private var entries: [Entry] = []
  /// By entity.
  private let fieldCounts: [Int]

  private static let size = 32

  init(_ schema: Schema) { fieldCounts = schema.entities.map(\.fields.count) }

  private final class Entry {
    var entity = 0
    var id = ObjectID.unset
    // Unchecked, because only one run uses this cache. The check took a sixtieth of an export's instructions.
    @exclusivity(unchecked) var buffer = RowBuffer()
  }

  /// Loads the row of an object at a position, unless it is there already.
  ///
  /// - Returns: False if the object is not stored.
  mutating func load<R: StoreReader>(
    _ id: ObjectID, _ entity: Int, at place: Int, _ reader: inout R
  ) throws -> Bool {
    let index = place % Self.size
    while index >= entries.count { entries.append(Entry()) }
    let entry = entries[index]
    if entry.id == id, entry.entity == entity { return true }
    entry.id = .unset
    guard try reader.read(id, of: entity, into: &entry.buffer) else {
      // The object may have been stored a moment ago, if the reader has no snapshot. A row without values then replaces it.
      entry.buffer.reset(count: fieldCounts[entity])
      return false
    }
    try entry.buffer.checkWhole()
    // Rows are read without a check of each field.
    try entry.buffer.unsafeRow.check(fields: fieldCounts[entity])
    entry.entity = entity
    entry.id = id
    return true
  }

  /// The row at a position, borrowed until the next one is loaded.
  @_lifetime(immortal)
  func row(at place: Int) -> Row { entries[place % Self.size].buffer.unsafeRow }

  /// Invalidates all rows, because the next call may read another snapshot.
  func forget() {
    for entry in entries { entry.id = .unset }
  }
}

extension Row {
  func hasValue(for step: OutputStep) -> Bool {
    let slot = slots[step.field]
    switch Int(slot.tag) {
    case FASTMAP_MISSING, FASTMAP_NULL: return false
    case FASTMAP_NUMBER: return slot.number.isFinite || step.transform >= 0
    default: return true
    }
  }
}
