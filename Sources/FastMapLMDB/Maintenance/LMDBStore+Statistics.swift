public import FastMapCore

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
            bytes: bytes[Int(entity.number)],
            indexes: layout.indexes.filter { $0.entity == entity.number }.map {
              .init(name: $0.name(in: layout), isUnique: $0.isUnique)
            })
        },
        file: .init(
          size: info.usedSize, liveBytes: live, mapSize: info.mapSize, commitCount: info.lastCommit))
    }
  }
}
