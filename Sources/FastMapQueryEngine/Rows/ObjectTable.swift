/// Values by the numbers of objects: a hash table with linear search, for millions of look-ups.
///
/// `Dictionary` took a quarter of the time of an export, most of it in SipHash.
package struct ObjectTable<Value: BitwiseCopyable>: ~Copyable {
  /// The memory of both; nil while the table is empty.
  private var memory: (ids: UnsafeMutablePointer<UInt64>, values: UnsafeMutablePointer<Value>)?
  /// A power of two, at least twice `count`.
  private var capacity = 0
  package private(set) var count = 0
  /// The table's own seed, so that copying one table into another stays linear.
  private var seed: UInt64 = 0

  package init() {}

  deinit {
    guard let memory else { return }
    memory.ids.deallocate()
    memory.values.deallocate()
  }

  /// 0 for an empty place. Only for a table with room.
  @inline(__always)
  private var ids: UnsafeMutablePointer<UInt64> { memory.unsafelyUnwrapped.ids }

  /// The values of places that are not empty. Only for a table with room.
  @inline(__always)
  private var values: UnsafeMutablePointer<Value> { memory.unsafelyUnwrapped.values }

  /// The value of an object; nil if it has none. ``ObjectID/unset`` has none.
  package subscript(id: ObjectID) -> Value? {
    @inline(__always)
    get {
      if count == 0 || id.rawValue == 0 { return nil }
      let place = place(of: id.rawValue)
      return ids[place] == 0 ? nil : values[place]
    }
  }

  /// Sets the value of an object other than ``ObjectID/unset``.
  package mutating func set(_ value: Value, for id: ObjectID) {
    if id.rawValue == 0 { return }
    if (count + 1) * 2 > capacity { grow(to: max(64, capacity * 2)) }
    let place = place(of: id.rawValue)
    if ids[place] == 0 { count += 1 }
    ids[place] = id.rawValue
    (values + place).initialize(to: value)
  }

  package mutating func removeAll() {
    if count == 0 { return }
    count = 0
    ids.update(repeating: 0, count: capacity)
  }

  /// The place of an object, or the empty one for it.
  @inline(__always)
  private func place(of id: UInt64) -> Int {
    // The finaliser of SplitMix64.
    var hash = id ^ seed
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    var place = Int(truncatingIfNeeded: hash ^ (hash >> 31)) & (capacity - 1)
    while ids[place] != 0, ids[place] != id { place = (place + 1) & (capacity - 1) }
    return place
  }

  private mutating func grow(to larger: Int) {
    let (old, oldCapacity) = (memory, capacity)
    let ids = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
    ids.initialize(repeating: 0, count: larger)
    memory = (ids, .allocate(capacity: larger))
    capacity = larger
    // Two tables are never in the same place.
    seed = ObjectTableSeed.ofProcess ^ UInt64(UInt(bitPattern: ids))
    guard let old else { return }
    for place in 0..<oldCapacity where old.ids[place] != 0 {
      let new = self.place(of: old.ids[place])
      ids[new] = old.ids[place]
      (values + new).initialize(to: old.values[place])
    }
    old.ids.deallocate()
    old.values.deallocate()
  }
}

/// The seed that makes hashes differ between processes.
private enum ObjectTableSeed {
  static let ofProcess = UInt64(truncatingIfNeeded: Hasher().finalize())
}
