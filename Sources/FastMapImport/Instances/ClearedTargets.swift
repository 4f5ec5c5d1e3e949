/// To-one targets without a key that a payload takes away. Later ones are new.
struct ClearedTargets {
  /// A relationship of one owner.
  struct Place: Hashable {
    let entity: Int
    let owner: Int
    let field: Int
  }

  /// The occurrences that clear a relationship.
  private var cleared: [Place: [Int]] = [:]
  /// The last occurrence of the owner with a target, as soon as there is anything in `cleared`.
  private var lastOwners: [Place: Int] = [:]
  /// The occurrences of earlier batches.
  private var before = 0

  mutating func record(_ place: Place, at index: Int) { cleared[place, default: []].append(before + index) }

  /// Whether an occurrence of the owner has cleared a relationship since the last one with a target.
  mutating func isCleared(_ place: Place, before owner: Int) -> Bool {
    if cleared.isEmpty { return false }
    let owner = before + owner
    let last = lastOwners.updateValue(owner, forKey: place) ?? -1
    return cleared[place]?.contains { last < $0 && $0 < owner } ?? false
  }

  mutating func endBatch(_ occurrences: Int) { before += occurrences }
}
