internal import FastMapStoreKit

/// A hash table from integers to object numbers, with linear probing.
///
/// For such small keys, a `Dictionary` takes three times as long.
struct IntegerIndex: Sendable {
  /// The number 0, which no object has, marks an empty place.
  private var places: [(key: Int64, id: ObjectID)] = []
  private(set) var count = 0

  /// Random, against constructed collisions.
  private static let multiplier = UInt64.random(in: 0...UInt64.max) | 1

  /// Makes an empty index with room for this many numbers.
  init(count: Int = 0) {
    if count == 0 { return }
    var size = 8
    while (count + 1) * 3 > size * 2 { size *= 2 }
    places = Array(repeating: (0, .unset), count: size)
  }

  static func hash(_ key: Int64) -> UInt64 { UInt64(bitPattern: key) &* multiplier }

  subscript(key: Int64) -> ObjectID? {
    guard count > 0 else { return nil }
    let found = places[place(of: key)]
    return found.id == .unset ? nil : found.id
  }

  /// - Returns: Whether the key is new.
  mutating func insert(_ id: ObjectID, for key: Int64) -> Bool {
    if (count + 1) * 3 > places.count * 2 { grow() }
    let place = place(of: key)
    let isNew = places[place].id == .unset
    places[place] = (key, id)
    if isNew { count += 1 }
    return isNew
  }

  /// - Returns: Whether the key was there.
  mutating func remove(_ key: Int64) -> Bool {
    guard count > 0 else { return false }
    var gap = place(of: key)
    guard places[gap].id != .unset else { return false }
    count -= 1
    // Later entries move up, unless that would put them before the place of their hash.
    let mask = places.count - 1
    var next = (gap + 1) & mask
    while places[next].id != .unset {
      let home = home(of: places[next].key)
      if (next - home) & mask >= (next - gap) & mask {
        places[gap] = places[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    places[gap] = (0, .unset)
    return true
  }

  func forEach(_ body: (Int64, ObjectID) -> Void) {
    for place in places where place.id != .unset { body(place.key, place.id) }
  }

  private func home(of key: Int64) -> Int { Int(Self.hash(key) >> 24 & UInt64(places.count - 1)) }

  /// The place of the key, or the empty place for it.
  private func place(of key: Int64) -> Int {
    let mask = places.count - 1
    var place = home(of: key)
    while places[place].id != .unset, places[place].key != key { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: (0, .unset), count: max(8, old.count * 2))
    for (key, id) in old where id != .unset { places[place(of: key)] = (key, id) }
  }
}
