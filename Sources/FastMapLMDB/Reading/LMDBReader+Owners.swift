public import FastMapStoreKit

extension LMDBReader {
  public mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try owners(of: targets, entity, field, firstOnly: false)
  }

  public mutating func firstOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [ObjectID?] {
    try owners(of: targets, entity, field, firstOnly: true).map(\.first)
  }

  /// The references to a target are neighbours in the table `inverse`, ordered by field, and then by owner.
  private func owners(
    of targets: [ObjectID], _ entity: Int, _ field: Int, firstOnly: Bool
  ) throws -> [[ObjectID]] {
    var result = [[ObjectID]](repeating: [], count: targets.count)
    let bound = binding.entities[entity]
    let number = bound.fields[field]
    guard let owner = bound.number, number >= 0 else { return result }
    let inverse = try InverseCursor(view, tables)
    var order = OwnerOrder(KeyFinder(view, tables))
    let places = NumberOrder(targets)
    for step in targets.indices {
      let index = places[step]
      let target = targets[index]
      if step > 0, case let last = places[step - 1], targets[last] == target {
        result[index] = result[last]
        continue
      }
      let start = InverseEntry(
        target: target, field: UInt16(number), owner: ObjectNumber.make(entity: owner, serial: 0))
      var found: [ObjectID] = []
      let most = firstOnly ? Self.manyOwners : .max
      try inverse.forEach(from: start, to: most) { found.append($0) }
      if found.count == most {
        if let first = try firstRecord(of: owner, with: start, inverse) {
          result[index] = [first]
          continue
        }
        found.removeAll(keepingCapacity: true)
        try inverse.forEach(from: start, to: .max) { found.append($0) }
      }
      result[index] = try order.sorted(found)
    }
    return result
  }

  /// To find the key of so many owners takes longer than to look at the first records of all.
  private static let manyOwners = 4096

  /// The first record of an entity that refers to a target, unless it is far after the first records of all.
  ///
  /// Records ascend by key. So one of many owners is soon met, unless the keys of all of them are great.
  private func firstRecord(
    of entity: UInt16, with first: InverseEntry, _ inverse: InverseCursor
  ) throws -> ObjectID? {
    let range = RecordRange(entity, nil, isDescending: false)
    let cursor = try view.unsafeCursor(tables.records)
    var entry = try range.first(cursor)
    for _ in 0..<Self.manyOwners / 4 {
      guard let found = entry, range.contains(found.key) else { return nil }
      let id = try RecordView(found, in: view).id
      if try inverse.contains(InverseEntry(target: first.target, field: first.field, owner: id)) { return id }
      entry = try range.next(cursor)
    }
    return nil
  }
}

extension InverseCursor {
  /// Calls `body` with the first owners of a target that have it in one field, at most `most`.
  fileprivate func forEach(from first: InverseEntry, to most: Int, _ body: (ObjectID) -> Void) throws {
    let entity = ObjectNumber.entity(first.owner)
    var left = most
    try forEach(from: first) { entry in
      guard left > 0, entry.target == first.target, entry.field == first.field,
        ObjectNumber.entity(entry.owner) == entity
      else { return false }
      left -= 1
      body(entry.owner)
      return true
    }
  }
}

/// Sorts objects by the keys of their records.
private struct OwnerOrder: ~Copyable {
  private struct Entry {
    let id: ObjectID
    /// The place of its key in `bytes`.
    let start: Int
    let count: Int
  }

  private var finder: KeyFinder
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []

  init(_ finder: consuming KeyFinder) { self.finder = finder }

  /// - Parameter ids: Ascending, without repeats.
  mutating func sorted(_ ids: [ObjectID]) throws -> [ObjectID] {
    if ids.count < 2 { return ids }
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    var isAscending = true
    for id in ids {
      guard try finder.find(id) else { throw finder.missing(id) }
      let start = bytes.count
      bytes.append(contentsOf: finder.key.bytes)
      let entry = Entry(id: id, start: start, count: bytes.count - start)
      if isAscending, let last = entries.last { isAscending = Self.precedes(last, entry, bytes) }
      entries.append(entry)
    }
    if isAscending { return ids }
    let bytes = bytes
    return entries.sorted { Self.precedes($0, $1, bytes) }.map(\.id)
  }

  /// Keys of records sort by their bytes.
  private static func precedes(_ a: Entry, _ b: Entry, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let first = UnsafeRawBufferPointer(rebasing: bytes[a.start..<a.start + a.count])
      return first.precedes(UnsafeRawBufferPointer(rebasing: bytes[b.start..<b.start + b.count]))
    }
  }
}
