internal import FastMapStoreKit

/// A relationship of an object.
struct Referrer: Hashable, Sendable {
  let table: Int
  /// The relationship's place among the links.
  let place: Int
  let id: ObjectID
}

/// The relationships that refer to one object, and how often; at least once.
enum Referrers: Sendable {
  /// One relationship, once. This is the most frequent case and needs no dictionary.
  case one(Referrer)
  case many([Referrer: Int])

  var all: [Referrer] {
    switch self {
    case .one(let referrer): [referrer]
    case .many(let counts): Array(counts.keys)
    }
  }

  /// The objects that refer to it by a relationship, each once, in any order.
  func owners(_ place: LinkPlace) -> [ObjectID] {
    switch self {
    case .one(let only): only.table == place.table && only.place == place.place ? [only.id] : []
    case .many(let counts):
      counts.keys.compactMap { $0.table == place.table && $0.place == place.place ? $0.id : nil }
    }
  }

  /// The referrer after another, or the first one after nil. The order is stable as long as nothing changes.
  func next(after last: Referrer?) -> Referrer? {
    switch self {
    case .one(let only): return last == nil ? only : nil
    case .many(let counts):
      guard let last else { return counts.keys.first }
      guard let index = counts.index(forKey: last).map(counts.index(after:)), index < counts.endIndex else {
        return nil
      }
      return counts.keys[index]
    }
  }

  func contains(_ referrer: Referrer) -> Bool {
    switch self {
    case .one(let only): only == referrer
    case .many(let counts): counts[referrer] != nil
    }
  }
}

extension Referrers? {
  mutating func add(_ referrer: Referrer) {
    switch take() {
    case nil:
      self = .one(referrer)
    case .one(let first):
      self = .many([first: 1].merging([referrer: 1], uniquingKeysWith: +))
    case .many(var counts):
      counts[referrer, default: 0] += 1
      self = .many(counts)
    }
  }

  mutating func remove(_ referrer: Referrer) {
    guard case .many(var counts) = take() else { return }
    let count = counts[referrer] ?? 0
    counts[referrer] = count > 1 ? count - 1 : nil
    self = counts.isEmpty ? nil : .many(counts)
  }
}
