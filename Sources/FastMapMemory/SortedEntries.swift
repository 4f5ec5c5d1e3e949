internal import FastMapStoreKit

/// An object in an index, with the values that it is sorted by.
struct IndexEntry: Sendable {
  let contents: [IndexRange.Content]
  let key: PrimaryKey?
  let id: ObjectID

  /// The order of two entries: -1, 0 or 1.
  ///
  /// - Parameter parts: The parts of the index.
  func order(to other: IndexEntry, _ parts: [TableIndex.Part]) -> Int {
    let order = valueOrder(to: other, parts)
    return order == 0 ? tieOrder(to: other.key, other.id) : order
  }

  func valueOrder(to other: IndexEntry, _ parts: [TableIndex.Part]) -> Int {
    for (place, part) in parts.enumerated() {
      let order = contents[place].sortOrder(to: other.contents[place])
      if order != 0 { return part.isDescending ? -order : order }
    }
    return 0
  }

  /// Objects with a key come first, by their keys. Numbers ascend with creation.
  func tieOrder(to otherKey: PrimaryKey?, _ otherID: ObjectID) -> Int {
    switch (key, otherKey) {
    case (let key?, let other?) where key != other: key < other ? -1 : 1
    case (nil, _?): 1
    case (_?, nil): -1
    default: id < otherID ? -1 : id == otherID ? 0 : 1
    }
  }
}

/// The entries of an index in order, in pieces of at most 512. A copy shares the pieces that it does not change.
struct SortedEntries: Sendable {
  private static let largest = 512

  private let parts: [TableIndex.Part]
  private var pieces: [[IndexEntry]] = []
  private(set) var count = 0

  init(_ parts: [TableIndex.Part], _ entries: [IndexEntry]) {
    self.parts = parts
    let sorted = entries.sorted { $0.order(to: $1, parts) < 0 }
    for start in stride(from: 0, to: sorted.count, by: Self.largest / 2) {
      pieces.append(Array(sorted[start..<min(start + Self.largest / 2, sorted.count)]))
    }
    count = sorted.count
  }

  /// A place between two entries, or before or after all of them.
  struct Place: Comparable {
    var piece: Int
    var entry: Int

    static func < (a: Place, b: Place) -> Bool { (a.piece, a.entry) < (b.piece, b.entry) }
  }

  var start: Place { Place(piece: 0, entry: 0) }
  var end: Place { Place(piece: pieces.count, entry: 0) }

  /// The first place whose entry does not satisfy `isBefore`. All entries before it must satisfy it.
  ///
  /// - Complexity: O(log *n*).
  func place(_ isBefore: (IndexEntry) -> Bool) -> Place {
    // The last piece whose first entry satisfies it.
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(pieces[middle][0]) { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return start }
    let piece = pieces[low - 1]
    var (first, last) = (1, piece.count)
    while first < last {
      let middle = (first + last) / 2
      if isBefore(piece[middle]) { first = middle + 1 } else { last = middle }
    }
    return first < piece.count ? Place(piece: low - 1, entry: first) : Place(piece: low, entry: 0)
  }

  subscript(place: Place) -> IndexEntry { pieces[place.piece][place.entry] }

  func place(after place: Place) -> Place {
    place.entry + 1 < pieces[place.piece].count
      ? Place(piece: place.piece, entry: place.entry + 1) : Place(piece: place.piece + 1, entry: 0)
  }

  func place(before place: Place) -> Place {
    place.entry > 0
      ? Place(piece: place.piece, entry: place.entry - 1)
      : Place(piece: place.piece - 1, entry: pieces[place.piece - 1].count - 1)
  }

  /// The number of entries between two places.
  func count(from start: Place, to end: Place) -> Int {
    guard start < end else { return 0 }
    if start.piece == end.piece { return end.entry - start.entry }
    var count = pieces[start.piece].count - start.entry + end.entry
    for piece in (start.piece + 1)..<max(start.piece + 1, end.piece) { count += pieces[piece].count }
    return count
  }

  func order(of entry: IndexEntry, to other: IndexEntry) -> Int { entry.valueOrder(to: other, parts) }

  mutating func insert(_ entry: IndexEntry) {
    count += 1
    var place = place { $0.order(to: entry, parts) < 0 }
    if place.entry == 0, place.piece > 0 {
      place = Place(piece: place.piece - 1, entry: pieces[place.piece - 1].count)
    }
    if pieces.isEmpty { pieces.append([]) }
    pieces[place.piece].insert(entry, at: place.entry)
    guard pieces[place.piece].count > Self.largest else { return }
    let half = Array(pieces[place.piece][(Self.largest / 2)...])
    pieces[place.piece].removeSubrange((Self.largest / 2)...)
    pieces.insert(half, at: place.piece + 1)
  }

  mutating func remove(_ entry: IndexEntry) {
    let place = place { $0.order(to: entry, parts) < 0 }
    guard place < end, self[place].id == entry.id else { return }
    pieces[place.piece].remove(at: place.entry)
    if pieces[place.piece].isEmpty { pieces.remove(at: place.piece) }
    count -= 1
  }
}

extension IndexRange.Content {
  /// The order of an index: no value first.
  func sortOrder(to other: IndexRange.Content) -> Int {
    switch (self, other) {
    case (.none, .none): 0
    case (.none, _): -1
    case (_, .none): 1
    case (.object(let a), .object(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.object, _): 1
    case (_, .object): -1
    case (.value(let a), .value(let b)): a.sortOrder(to: b)
    }
  }
}

extension Value {
  /// The order of two values of one kind.
  fileprivate func sortOrder(to other: Value) -> Int {
    switch (self, other) {
    case (.boolean(let a), .boolean(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.unsigned(let a), .unsigned(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer, .unsigned): -1
    case (.unsigned, .integer): 1
    // NaN follows all numbers.
    case (.number(let a), .number(let b)):
      a < b ? -1 : a > b ? 1 : (a.isNaN ? 1 : 0) - (b.isNaN ? 1 : 0)
    case (.decimal(let a), .decimal(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.string(let a), .string(let b)): a.utf8.sortOrder(to: b.utf8)
    case (.date(let a), .date(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.data(let a), .data(let b)): a.sortOrder(to: b)
    default: 0
    }
  }
}

extension Collection<UInt8> {
  fileprivate func sortOrder(to other: some Collection<UInt8>) -> Int {
    var (place, otherPlace) = (startIndex, other.startIndex)
    while place != endIndex, otherPlace != other.endIndex {
      if self[place] != other[otherPlace] { return self[place] < other[otherPlace] ? -1 : 1 }
      formIndex(after: &place)
      other.formIndex(after: &otherPlace)
    }
    return (place == endIndex ? 0 : 1) - (otherPlace == other.endIndex ? 0 : 1)
  }
}
