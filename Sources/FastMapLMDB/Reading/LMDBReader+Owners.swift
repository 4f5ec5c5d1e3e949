public import FastMapCore

extension LMDBReader {
  /// The references to each target are neighbours in the table `inverse`, and so are those from one entity and field.
  public mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
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
      try inverse.forEach(from: start) { entry in
        guard entry.target == target, entry.field == UInt16(number), ObjectNumber.entity(entry.owner) == owner
        else { return false }
        found.append(entry.owner)
        return true
      }
      result[index] = try order.sorted(found)
    }
    return result
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
