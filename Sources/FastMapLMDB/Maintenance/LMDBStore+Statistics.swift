public import FastMapMaintenance

extension LMDBStore {
  /// Counts the stored objects and their sizes, in one snapshot.
  ///
  /// The sizes of the entities, of the layouts and of the free pages add up to the size of the file.
  ///
  /// - Throws: ``LMDBError``.
  /// - Complexity: O(*n*) in the entries, whose sizes are added up.
  public func statistics() throws -> StoreStatistics {
    let info = try environment.statistics()
    return try environment.read { transaction in
      let layout = try StoreLayout(transaction.view, tables)
      let sizes = try Dictionary(
        uniqueKeysWithValues: Table.allCases.map { ($0, try EntitySizes($0, transaction.view, layout)) })
      // The headers, and LMDB's own trees.
      var live = 2 * info.pageSize
      for handle in UInt32(0)..<2 {
        live += try transaction.view.size(of: Database(handle: handle, place: 0))
      }
      for size in sizes.values { live += size.total }
      return StoreStatistics(
        entities: layout.entities.map { entity in
          func size(_ table: Table) -> Int { sizes[table]?[entity.number] ?? 0 }
          let parts = StoreStatistics.Parts(
            records: size(.records), keys: size(.numbers), links: size(.links) + size(.inverse),
            indexes: size(.index))
          return .init(
            name: entity.name, objectCount: Int(entity.counts.objects), keyedCount: Int(entity.counts.keyed),
            bytes: parts.bytes, parts: parts,
            indexes: layout.indexes.filter { $0.entity == entity.number }.map {
              .init(name: $0.name(in: layout), isUnique: $0.isUnique)
            })
        },
        file: .init(
          size: info.usedSize, liveBytes: live, mapSize: info.mapSize, commitCount: info.lastCommit))
    }
  }
}

/// The pages of one table, shared out to the entities by the sizes of their entries.
private struct EntitySizes {
  /// The size of all pages, in bytes.
  let total: Int
  private var shares: [Int] = []

  init(_ table: Table, _ view: TransactionView, _ layout: StoreLayout) throws {
    let database = view.environment.databases[table.rawValue]
    total = try view.size(of: database)
    if [.meta, .spare].contains(table) { return }
    let entries = try Self.entries(table, database, view, layout)
    // Rounding must not change the sum.
    let sum = Double(max(1, entries.reduce(0, +)))
    var (before, end) = (0, 0)
    for size in entries {
      end += size
      let share = Int(Double(total) * (Double(end) / sum))
      shares.append(share - before)
      before = share
    }
  }

  subscript(entity: UInt16) -> Int { Int(entity) < shares.count ? shares[Int(entity)] : 0 }

  /// The sizes of the entries of each entity. The keys begin with its number, but those of `numbers` and `index`.
  private static func entries(
    _ table: Table, _ database: Database, _ view: TransactionView, _ layout: StoreLayout
  ) throws -> [Int] {
    let owners = Dictionary(layout.indexes.map { ($0.number, $0.entity) }, uniquingKeysWith: { $1 })
    var sizes = [Int](repeating: 0, count: layout.entities.count)
    let cursor = try view.unsafeCursor(database)
    var entry = try cursor.first()
    while let found = entry {
      let size = found.key.count + found.value.count
      if found.key.count >= 2 {
        var entity = found.key.bigEndian(at: 0, as: UInt16.self)
        if table == .index { entity = owners[entity] ?? .max }
        if table == .numbers, found.key.count == 8 {
          entity = ObjectNumber.entity(
            ObjectID(rawValue: found.key.bigEndian(at: 0, as: UInt64.self) << NumberChunk.bits))
        }
        if Int(entity) < sizes.count { sizes[Int(entity)] += size }
      }
      entry = try cursor.next()
    }
    return sizes
  }
}

extension TransactionView {
  /// The size of the pages of a table, in bytes.
  fileprivate func size(of database: Database) throws -> Int {
    guard let size = try statistics(database).byteCount else {
      let place = environment.configuration.tables[database.place]
      throw environment.error(.damaged(place: place, detail: "wrong number of pages"))
    }
    return size
  }
}
