/// How many objects a store has, and how large it is.
///
///     let statistics = try store.statistics()
///     for entity in statistics.entities { print(entity.name, entity.objectCount) }
public struct StoreStatistics: Equatable, Sendable {
  /// One entity.
  public struct Entity: Equatable, Sendable {
    /// What the mappings call it.
    public let name: String
    /// Objects with a primary key or without.
    public let objectCount: Int
    /// Objects with a primary key.
    public let keyedCount: Int
    /// The attributes and relationships that were ever stored.
    public let fieldCount: Int
    /// The bytes of its records, without what the tree around them takes.
    public let bytes: Int
  }

  /// The entities that were ever stored.
  public let entities: [Entity]
  /// The bytes that the newest commit may refer to, free pages among them.
  public let fileSize: Int
  /// The bytes of the pages that are in use.
  public let liveBytes: Int
  /// The bytes of the pages that will be used again.
  public var freeBytes: Int { max(0, fileSize - liveBytes) }
  /// The bytes that the store may have before it grows.
  public let mapSize: Int
  /// The number of the newest commit.
  public let commitCount: Int
}

extension LMDBStore {
  /// Counts what is stored, in one snapshot.
  ///
  /// - Throws: ``LMDBError``.
  /// - Complexity: O(*n*) in the records, whose sizes are added up.
  public func statistics() throws -> StoreStatistics {
    let info = try environment.statistics()
    return try environment.read { transaction in
      let layout = try StoreLayout(transaction.view, tables)
      var bytes = [Int](repeating: 0, count: layout.entities.count)
      let cursor = try transaction.view.unsafeCursor(tables.records)
      var entry = try cursor.first()
      while let found = entry {
        let entity = found.key.count == 8 ? Int(found.key.bigEndian(at: 0, as: UInt16.self)) : bytes.count
        if entity < bytes.count { bytes[entity] += found.key.count + found.value.count }
        entry = try cursor.next()
      }
      var live = 2 * info.pageSize
      for database in environment.databases { live += try transaction.view.statistics(database).byteCount }
      return StoreStatistics(
        entities: layout.entities.map {
          .init(
            name: $0.name, objectCount: Int($0.counts.objects), keyedCount: Int($0.counts.keyed),
            fieldCount: $0.fields.count, bytes: bytes[Int($0.number)])
        },
        fileSize: info.usedSize, liveBytes: live, mapSize: info.mapSize, commitCount: info.lastCommit)
    }
  }
}
