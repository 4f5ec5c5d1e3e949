internal import CFastMap

/// Numbers by primary keys: a hash table with linear search.
///
/// `Dictionary` would copy each string key, and takes three times as long for integers.
struct KeyTable: ~Copyable {
  private struct Place {
    var key: fastmap_slot
    /// Negative for an empty place.
    var number: Int32
  }

  /// Nil while the table is empty.
  private var places: UnsafeMutablePointer<Place>?
  /// A power of two, at least 4/3 of `count`.
  private var capacity = 0
  package private(set) var count = 0
  /// The bytes of string keys.
  private var arena = fastmap_arena()
  /// Random, against constructed collisions.
  private let seed = UInt64.random(in: 0 ... .max)

  init() {}

  deinit {
    places?.deallocate()
    var arena = self.arena
    fastmap_arena_free(&arena)
  }

  /// The number of a key; nil if it has none.
  subscript(key: fastmap_slot) -> Int? {
    guard let places else { return nil }
    let found = places[place(of: key, in: places)].number
    return found < 0 ? nil : Int(found)
  }

  /// Adds a number for a key that has none.
  ///
  /// - Returns: The number of the key.
  /// - Throws: ``SystemError`` if there is no memory for a string.
  @inline(__always)
  mutating func add(_ number: Int, for key: fastmap_slot) throws(SystemError) -> Int {
    if (count + 1) * 4 > capacity * 3 { grow() }
    guard let places else { preconditionFailure("a table that has grown has places") }
    let place = place(of: key, in: places)
    if places[place].number >= 0 { return Int(places[place].number) }
    places[place] = Place(key: try kept(key), number: Int32(number))
    count += 1
    return number
  }

  /// Calls `body` with each number.
  func forEach(_ body: (Int) -> Void) {
    for place in 0..<capacity {
      if let number = places?[place].number, number >= 0 { body(Int(number)) }
    }
  }

  /// The numbers, ascending by their keys.
  func sorted() throws(SystemError) -> [Int] {
    var entries: [fastmap_key_entry] = []
    entries.reserveCapacity(count)
    for place in 0..<capacity {
      guard let found = places?[place], found.number >= 0 else { continue }
      entries.append(fastmap_key_entry(key: found.key, occurrence: UInt32(found.number), unused: 0))
    }
    var scratch = entries
    entries.withUnsafeMutableBufferPointer { entries in
      scratch.withUnsafeMutableBufferPointer { scratch in
        fastmap_sort_keys(entries.baseAddress, scratch.baseAddress, UInt32(entries.count))
      }
    }
    return entries.map { Int($0.occurrence) }
  }

  /// A copy of a key that lives as long as the table.
  @inline(__always)
  private mutating func kept(_ key: fastmap_slot) throws(SystemError) -> fastmap_slot {
    if key.tag == FASTMAP_INTEGER { return key }
    guard let memory = fastmap_arena_alloc(&arena, max(1, Int(key.length))) else {
      throw SystemError.outOfMemory
    }
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: Int(key.length))
    bytes.copyMemory(from: UnsafeRawBufferPointer(key.span))
    var kept = key
    kept.bytes = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    return kept
  }

  /// The place of a key, or the empty one for it.
  @inline(__always)
  private func place(of key: fastmap_slot, in places: UnsafeMutablePointer<Place>) -> Int {
    var key = key
    var place = Int(truncatingIfNeeded: hash(of: key)) & (capacity - 1)
    while places[place].number >= 0, fastmap_key_compare(&places[place].key, &key) != 0 {
      place = (place + 1) & (capacity - 1)
    }
    return place
  }

  @inline(__always)
  private func hash(of key: fastmap_slot) -> UInt64 {
    if key.tag == FASTMAP_INTEGER {
      // The finaliser of SplitMix64.
      var hash = UInt64(bitPattern: key.integer) ^ seed
      hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
      hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
      return hash ^ (hash >> 31)
    }
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key.span))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private mutating func grow() {
    let (old, oldCapacity) = (places, capacity)
    capacity = max(16, capacity * 2)
    let new = UnsafeMutablePointer<Place>.allocate(capacity: capacity)
    new.initialize(repeating: Place(key: fastmap_slot(), number: -1), count: capacity)
    places = new
    guard let old else { return }
    for index in 0..<oldCapacity where old[index].number >= 0 {
      new[place(of: old[index].key, in: new)] = old[index]
    }
    old.deallocate()
  }
}
