/// A place where the payload has an object: the walk of a root object is always the same.
struct OccurrencePlace: Hashable, Comparable {
  /// The number of the root object among the root objects of all inputs; for the only object of an input, the number before.
  var root: Int
  var occurrence: Int

  static func < (a: Self, b: Self) -> Bool { (a.root, a.occurrence) < (b.root, b.occurrence) }
}

/// Where a run has met the objects of some entities, in payload order.
struct OccurrenceLog {
  struct Entry {
    let id: ObjectID
    let place: OccurrencePlace
  }

  /// By entity, the fields whose values count. Only these entities are noted.
  var fields: [Int: [Int]] = [:]
  /// By entity, since a store may give one number to objects of two entities.
  private var entries: [Int: [Entry]] = [:]

  mutating func removeAll() {
    for entity in entries.keys { entries[entity]?.removeAll(keepingCapacity: true) }
  }

  mutating func add(_ entry: Entry, of entity: Int) { entries[entity, default: []].append(entry) }

  func places(of entity: Int) -> LastPlaces { LastPlaces(entries[entity] ?? []) }
}

/// The last places of all objects of an entity that a run has met.
struct LastPlaces {
  private let entries: [OccurrenceLog.Entry]
  /// The numbers of the entries, by object. An object's last place comes last.
  private let byObject: [UInt32]

  fileprivate init(_ entries: [OccurrenceLog.Entry]) {
    self.entries = entries
    byObject = entries.indices.map { UInt32($0) }.sorted {
      (entries[Int($0)].id, $0) < (entries[Int($1)].id, $1)
    }
  }

  package var count: Int { entries.count }

  subscript(number: Int) -> OccurrencePlace { entries[number].place }

  /// The number of an object's last place, ascending in payload order; nil if the run has not met it.
  func number(of id: ObjectID) -> Int? {
    let last = byObject[..<byObject.partitioningIndex { entries[Int($0)].id > id }].last.map { Int($0) }
    return last.flatMap { entries[$0].id == id ? $0 : nil }
  }
}
