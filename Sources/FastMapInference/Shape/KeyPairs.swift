/// Pairs of members whose values may be the key of an object together.
struct KeyPairs {
  /// The most members of an object that are paired.
  static let mostMembers = 5
  private static let mostPairs = 24
  private static let mostValues = 2048

  /// The hashes of the two names.
  struct Names: Hashable {
    let first: UInt64
    let second: UInt64
  }

  private(set) var values: [Names: ValueSketch] = [:]
  private var hasTooMany = false

  private static let endings: Set = [
    "id", "key", "code", "number", "name", "slug", "uuid", "sku", "date", "year", "version", "index", "line",
    "seq", "no", "position", "repo", "repository", "project", "owner", "group", "country", "locale",
    "package",
  ]

  static func mayBePart(_ name: [UInt8]) -> Bool {
    guard let last = Words(String(decoding: name.prefix(64), as: UTF8.self)).all.last else { return false }
    return endings.contains(last)
  }

  mutating func insert(_ names: Names, _ hash: UInt64, content: UInt32) {
    guard !hasTooMany else { return }
    if let sketch = values[names] {
      sketch.insert(hash, content: content)
      return
    }
    guard values.count < Self.mostPairs else {
      giveUp()
      return
    }
    let sketch = ValueSketch(most: Self.mostValues)
    sketch.insert(hash, content: content)
    values[names] = sketch
  }

  private mutating func giveUp() {
    values = [:]
    hasTooMany = true
  }

  mutating func absorb(_ other: KeyPairs) {
    if other.hasTooMany { giveUp() }
    guard !hasTooMany else { return }
    for (names, sketch) in other.values {
      if values[names] == nil {
        guard values.count < Self.mostPairs else { return giveUp() }
        values[names] = ValueSketch(most: Self.mostValues)
      }
      values[names]?.absorb(sketch)
    }
  }
}
