internal import CFastMap

/// A list whose targets may be missing, as the two lists that a store keeps: the targets, and the entries that wait.
///
///     7  →  9 (waits)  →  8           targets 7 8, entry 9 with the place 1, behind 7 and before 8
///
/// Deletions make the list of targets shorter, so an entry also knows its neighbours.
struct WaitingEntries {
  struct Entry {
    var key: PrimaryKey
    /// The number of targets before it.
    var place = 0
    /// The targets right before and behind it; unset for none.
    var before = ObjectID.unset
    var behind = ObjectID.unset
  }

  var entries: [Entry]

  init() { entries = [] }

  /// - Parameter field: What a store keeps; anything else has no entries.
  init(_ field: Field) {
    self.init()
    guard case .data(let bytes)? = field.value else { return }
    var reader = ByteReader(rest: bytes[...])
    while let entry = reader.entry() { entries.append(entry) }
  }

  /// What a store keeps.
  var value: Value {
    if entries.isEmpty { return .null }
    var bytes: [UInt8] = []
    for entry in entries {
      bytes.append(UInt64(entry.place))
      bytes.append(entry.before.rawValue)
      bytes.append(entry.behind.rawValue)
      switch entry.key {
      case .integer(let key):
        bytes.append(0 as UInt8)
        bytes.append(UInt64(bitPattern: key))
      case .string(let key):
        bytes.append(1 as UInt8)
        bytes.append(UInt64(key.utf8.count))
        bytes += Array(key.utf8)
      }
    }
    return .data(bytes)
  }

  /// The place of each entry: the number of the targets before it. They ascend.
  func places(among targets: some RandomAccessCollection<ObjectID>) -> [Int] {
    let targets = Array(targets)
    var least = 0
    return entries.map { entry in
      least = min(targets.count, max(least, place(of: entry, targets)))
      return least
    }
  }

  private func place(of entry: Entry, _ targets: [ObjectID]) -> Int {
    if entry.before == .unset, entry.place == 0 { return 0 }
    if entry.place > 0, entry.place <= targets.count, targets[entry.place - 1] == entry.before {
      return entry.place
    }
    if let before = targets.firstIndex(of: entry.before) { return before + 1 }
    if let behind = targets.firstIndex(of: entry.behind) { return behind }
    return max(0, entry.place - 1)
  }
}

/// One place of a list.
enum ListEntry: Equatable {
  case target(ObjectID)
  /// A missing object, by its key and its stand-in.
  case waiting(PrimaryKey, ObjectID)
}

extension [ListEntry] {
  /// The list that a store keeps as targets, entries, and their stand-ins.
  init(_ targets: [ObjectID], _ waiting: WaitingEntries, _ standIns: [ObjectID]) {
    self = []
    var next = 0
    for (index, place) in waiting.places(among: targets).enumerated() where index < standIns.count {
      while next < place {
        append(.target(targets[next]))
        next += 1
      }
      append(.waiting(waiting.entries[index].key, standIns[index]))
    }
    self += targets[next...].map { .target($0) }
  }

  var targets: [ObjectID] { compactMap { if case .target(let id) = $0 { id } else { nil } } }

  var standIns: [ObjectID] { compactMap { if case .waiting(_, let id) = $0 { id } else { nil } } }

  var waiting: WaitingEntries {
    var result = WaitingEntries()
    var (place, before) = (0, ObjectID.unset)
    for entry in self {
      switch entry {
      case .target(let id):
        for index in result.entries.indices.reversed() {
          guard result.entries[index].place == place else { break }
          result.entries[index].behind = id
        }
        (place, before) = (place + 1, id)
      case .waiting(let key, _): result.entries.append(.init(key: key, place: place, before: before))
      }
    }
    return result
  }
}

private struct ByteReader {
  var rest: ArraySlice<UInt8>

  /// The next entry; nil at the end, and for bytes that are no entries.
  mutating func entry() -> WaitingEntries.Entry? {
    guard let place = number(), let before = number(), let behind = number(), let kind = rest.popFirst(),
      let key = number(), let place = Int(exactly: place)
    else { return nil }
    var entry = WaitingEntries.Entry(
      key: .integer(Int64(bitPattern: key)), place: place, before: ObjectID(rawValue: before),
      behind: ObjectID(rawValue: behind))
    if kind == 1 {
      guard let count = Int(exactly: key), count <= rest.count else { return nil }
      entry.key = .string(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return entry
  }

  private mutating func number() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  /// Appends a number in eight bytes, the lowest first.
  fileprivate mutating func append(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
