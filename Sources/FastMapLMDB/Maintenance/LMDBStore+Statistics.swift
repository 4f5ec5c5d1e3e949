internal import FastMapCore

/// The number of objects in a store, and its size.
///
///     let statistics = try store.statistics()
///     for entity in statistics.entities { print(entity.name, entity.objectCount) }
public struct StoreStatistics: Equatable, Sendable {
  /// The numbers of one entity.
  ///
  ///     print(entity.name, entity.objectCount, entity.bytes)
  public struct Entity: Equatable, Sendable {
    /// The name in the mappings.
    public let name: String
    /// The number of objects, with or without a primary key.
    public let objectCount: Int
    /// The number of objects with a primary key.
    public let keyedCount: Int
    /// The number of attributes and relationships that were ever stored.
    public let fieldCount: Int
    /// The size of its records in bytes, without the tree around them.
    public let bytes: Int
    /// Its indexes, in the order in which they were built.
    public let indexes: [Index]
  }

  /// An index of an entity.
  ///
  ///     print(index.name, index.entryCount)
  public struct Index: Equatable, Sendable {
    /// Its name: `status,-created_at`.
    public let name: String
    /// Whether no two objects may have the same values.
    public let isUnique: Bool
    /// The number of its entries: one for each object.
    public let entryCount: Int
  }

  /// All entities that were ever stored.
  public let entities: [Entity]
  /// The size that the newest commit uses in bytes, including free pages.
  public let fileSize: Int
  /// The size of the pages in use, in bytes.
  public let liveBytes: Int
  /// The size of the free pages, in bytes. They will be reused.
  public var freeBytes: Int { max(0, fileSize - liveBytes) }
  /// The maximum size of the store before it grows, in bytes.
  public let mapSize: Int
  /// The number of the newest commit.
  public let commitCount: Int
}

extension LMDBStore {
  /// Counts the stored objects and their sizes, in one snapshot.
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
        let entity = found.key.count >= 2 ? Int(found.key.bigEndian(at: 0, as: UInt16.self)) : bytes.count
        if entity < bytes.count { bytes[entity] += found.key.count + found.value.count }
        entry = try cursor.next()
      }
      var live = 2 * info.pageSize
      for database in environment.databases {
        guard let byteCount = try transaction.view.statistics(database).byteCount else {
          let place = environment.configuration.tables[database.place]
          throw environment.error(.damaged(place: place, detail: "its tree says another number of pages"))
        }
        live += byteCount
      }
      return StoreStatistics(
        entities: layout.entities.filter { !WaitingNames.isReserved($0.name) }.map { entity in
          .init(
            name: entity.name, objectCount: Int(entity.counts.objects), keyedCount: Int(entity.counts.keyed),
            fieldCount: entity.fields.count, bytes: bytes[Int(entity.number)],
            indexes: layout.indexes.filter { $0.entity == entity.number }.map {
              .init(name: $0.name(in: layout), isUnique: $0.isUnique, entryCount: Int($0.entries))
            })
        },
        fileSize: info.usedSize, liveBytes: live, mapSize: info.mapSize, commitCount: info.lastCommit)
    }
  }
}
