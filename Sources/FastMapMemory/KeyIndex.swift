internal import FastMapStoreKit
internal import Synchronization

/// Object numbers by key, in shards of about a hundred keys. A copy shares the shards that it does not change.
struct KeyIndex: Sendable {
  private static let shardSize = 128

  private struct Shard: Sendable {
    var integers: IntegerIndex
    var strings: [String.UTF8Key: ObjectID] = [:]

    /// - Parameter integerCount: The expected number of integer keys.
    init(integerCount: Int = 0) { integers = IntegerIndex(count: integerCount) }
  }

  /// Their number is a power of two.
  private var shards = [Shard()]
  private(set) var count = 0

  subscript(key: PrimaryKey) -> ObjectID? {
    let shard = shard(of: key)
    return switch key {
    case .integer(let key): shards[shard].integers[key]
    case .string(let key): shards[shard].strings[.init(key)]
    }
  }

  mutating func insert(_ id: ObjectID, for key: PrimaryKey) {
    if put(id, for: key) { count += 1 }
    if count > shards.count * Self.shardSize { split() }
  }

  mutating func remove(_ key: PrimaryKey) {
    let shard = shard(of: key)
    let isGone =
      switch key {
      case .integer(let key): shards[shard].integers.remove(key)
      case .string(let key): shards[shard].strings.removeValue(forKey: .init(key)) != nil
      }
    if isGone { count -= 1 }
  }

  /// - Returns: Whether the key is new.
  private mutating func put(_ id: ObjectID, for key: PrimaryKey) -> Bool {
    let shard = shard(of: key)
    return switch key {
    case .integer(let key): shards[shard].integers.insert(id, for: key)
    case .string(let key): shards[shard].strings.updateValue(id, forKey: .init(key)) == nil
    }
  }

  private func shard(of key: PrimaryKey) -> Int {
    let mask = shards.count - 1
    if mask == 0 { return 0 }
    return switch key {
    case .integer(let key): Int(IntegerIndex.hash(key) >> 48) & mask
    case .string(let key): String.UTF8Key(key).hashValue & mask
    }
  }

  private mutating func split() {
    let old = shards
    let integerCount = old.reduce(0) { $0 + $1.integers.count }
    shards = (0..<old.count * 2).map { _ in Shard(integerCount: integerCount / (old.count * 2)) }
    for shard in old {
      shard.integers.forEach { _ = put($1, for: .integer($0)) }
      for (key, id) in shard.strings { _ = put(id, for: .string(key.text)) }
    }
  }
}

extension String {
  /// A string that is compared by its bytes.
  fileprivate struct UTF8Key: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: UTF8Key, b: UTF8Key) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }
}

/// The objects of one table in key order, sorted on first use, and kept until the table gets a new one.
final class ObjectOrder: Sendable {
  struct Entry: Sendable {
    let key: PrimaryKey
    let id: ObjectID
  }

  struct Order: Sendable {
    var keyed: [Entry] = []
    /// In the order of creation, because numbers ascend.
    var keyless: [ObjectID] = []
  }

  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var order: Order?
  private let isMade = Atomic<Bool>(false)

  /// Whether it has been used. If not, inserting or deleting an object does not invalidate it.
  var isInUse: Bool { isMade.load(ordering: .relaxed) }

  func order(of objects: Pages<StoredObject>) -> Order {
    monitor.lock()
    defer { monitor.unlock() }
    if let order { return order }
    var made = Order()
    objects.forEach { id, object in
      if let key = object.key {
        made.keyed.append(Entry(key: key, id: id))
      } else {
        made.keyless.append(id)
      }
    }
    made.keyed.sort { $0.key < $1.key }
    isMade.store(true, ordering: .relaxed)
    order = made
    return made
  }
}

extension [ObjectOrder.Entry] {
  func entries(in range: KeyRange) -> ArraySlice<ObjectOrder.Entry> {
    let start = range.lower.map { lower in place { $0 < lower } } ?? startIndex
    let end =
      range.upper.map { upper in place { range.includesUpper ? $0 <= upper : $0 < upper } } ?? endIndex
    return self[start..<Swift.max(start, end)]
  }

  /// The first place whose key does not satisfy `isBefore`. All keys before it must satisfy it.
  private func place(_ isBefore: (PrimaryKey) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle].key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
