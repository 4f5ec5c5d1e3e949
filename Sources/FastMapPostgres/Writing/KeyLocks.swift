#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  // On Citus, isolation levels do not hold across nodes, and `FOR UPDATE` locks rows of one shard alone. So a write
  // locks each object before it reads or changes the object, and keeps the lock until the write ends. Two writes that
  // name the same object come one after the other. The object's hash chooses the lock, so locks also cover keys that
  // are not stored yet.
  //
  // The locks are the coordinator's, for one transaction. A lock on a row of a node would not do: it is free once that
  // node has committed, perhaps before another node has. The coordinator's locks are free once all nodes have
  // committed.
  //
  // Writes wait for locks in one order: the gate, then ascending numbers. So no two writes wait for each other. A later
  // batch that needs a lower number, or the whole store, waits for a moment only. Then the write begins again, and locks
  // the whole store first. A write with a unique index does so at once, because it will look at all objects.

  /// The locks of a write on Citus.
  final class KeyLocks {
    /// The number of locks that objects share. More let more writes run side by side; each takes memory of the server.
    static let count: UInt32 = 1024

    private enum Gate { case closed, shared, exclusive }

    private let connection: Connection
    /// The store of the locks. A new store in the same schema has others.
    private var store: UUIDBytes?
    private var gate = Gate.closed
    /// The question for the version of the catalog that was sent behind the gate.
    private var version: Ticket?
    private var held = [Bool](repeating: false, count: Int(count))
    private var highest = -1
    /// Whether the first lock is for the whole store.
    private let locksAll: Bool
    /// How long a write waits for a lock out of order, in milliseconds.
    private static let briefWait: Int64 = 20
    /// The new objects, which no other write can name.
    private var own: Set<ObjectID> = []
    /// Objects that an answer has had since they were locked.
    private var seen: Set<ObjectID> = []

    init(_ connection: Connection, locksAll: Bool) {
      self.connection = connection
      self.locksAll = locksAll
    }

    /// Locks objects by the hashes in their numbers or of their keys, in ascending order. Its errors come with the next answer.
    func lock(_ shards: some Sequence<UInt32>, of layout: Layout) throws {
      begin(layout)
      guard gate != .exclusive else { return }
      var new: [Int] = []
      for shard in shards {
        let number = Int(shard % Self.count)
        if held[number] { continue }
        held[number] = true
        new.append(number)
      }
      guard !new.isEmpty else { return }
      if gate == .closed { try open(.shared, layout) }
      if gate == .exclusive { return }
      new.sort()
      let numbers = Parameters(ArrayColumn(new.map { Self.number($0 + 1, layout.version.store) }))
      let statement = Statement("SELECT pg_advisory_xact_lock(n) FROM unnest($1) n", .int8.array)
      if let first = new.first, first < highest {
        try connection.sendQuietly(statement, numbers, within: Self.briefWait)
      } else {
        try connection.sendQuietly(statement, numbers)
      }
      highest = max(highest, new.last ?? highest)
    }

    /// Locks the whole store, for a write that looks at all objects of an entity.
    func lockAll(of layout: Layout) throws {
      begin(layout)
      guard gate != .exclusive else { return }
      try open(.exclusive, layout)
    }

    /// The answer to the question for the version. The catalog is fixed from then to the end of the write.
    func version(of layout: Layout) throws -> Ticket {
      begin(layout)
      if let version { return version }
      return try open(.shared, layout)
    }

    /// Waits, in the transaction of a change of the catalog, until no write runs. Later ones wait for it.
    static func waitForWrites(of store: UUIDBytes, _ connection: Connection) throws {
      try sendGate(.exclusive, store, connection)
    }

    /// Adds a new object, which needs no lock.
    func add(own id: ObjectID) { own.insert(id) }

    /// Adds a locked object that an answer has had.
    func add(seen id: ObjectID) {
      // Forgotten objects are looked at again.
      if seen.count >= 1 << 20 { seen.removeAll() }
      seen.insert(id)
    }

    /// Whether an object cannot be gone: it was seen under its lock, or is new.
    func hasSeen(_ id: ObjectID) -> Bool { seen.contains(id) || own.contains(id) }

    /// Whether an object is locked, or is new.
    func holds(_ id: ObjectID) -> Bool {
      gate == .exclusive || held[Int(UInt32(bitPattern: id.shard) % Self.count)] || own.contains(id)
    }

    /// Locks of another store protect nothing of this one.
    private func begin(_ layout: Layout) {
      guard store != layout.version.store else { return }
      store = layout.version.store
      gate = .closed
      highest = -1
      version = nil
      seen.removeAll()
      for number in held.indices { held[number] = false }
    }

    /// Each write has the gate, so that none runs beside a write that reads all objects, or beside a change of the
    /// catalog.
    @discardableResult
    private func open(_ wanted: Gate, _ layout: Layout) throws -> Ticket {
      let isUpgrade = gate == .shared
      gate = locksAll ? .exclusive : wanted
      try Self.sendGate(gate, layout.version.store, connection, within: isUpgrade ? Self.briefWait : nil)
      if let version { return version }
      let version = try connection.send(Layout.versionStatement(in: layout.schema))
      self.version = version
      return version
    }

    private static func sendGate(
      _ gate: Gate, _ store: UUIDBytes, _ connection: Connection, within time: Int64? = nil
    ) throws {
      let function = gate == .exclusive ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
      var parameters = Parameters()
      parameters.int8(number(0, store))
      let statement = Statement("SELECT \(function)($1)", .int8)
      if let time {
        try connection.sendQuietly(statement, parameters, within: time)
      } else {
        try connection.sendQuietly(statement, parameters)
      }
    }

    /// The number of a lock on the server. Its upper bits are the store's.
    private static func number(_ lock: Int, _ store: UUIDBytes) -> Int64 {
      Int64(bitPattern: store.high & ~0xffff | UInt64(lock))
    }
  }

  extension TransactionLayout {
    /// Locks objects before they are read or changed, in a store that needs it.
    func lock(_ ids: some Sequence<ObjectID>) throws {
      guard let locks, let layout else { return }
      try locks.lock(ids.lazy.filter { !locks.holds($0) }.map { UInt32(bitPattern: $0.shard) }, of: layout)
    }

    /// Locks the objects with some keys, whether or not they are stored.
    func lock(_ keys: some Sequence<PrimaryKey>) throws {
      guard let locks, let layout else { return }
      let secret = layout.fingerprintKey.low
      try locks.lock(keys.lazy.map { $0.shard(secret) }, of: layout)
    }

    func lockAll() throws {
      if let locks, let layout { try locks.lockAll(of: layout) }
    }
  }

  extension PostgresWriter {
    func lock(_ lookups: [KeyLookup]) throws {
      guard let locks = reader.session.locks, let layout = reader.session.layout else { return }
      let secret = layout.fingerprintKey.low
      // All at once, so that the order of the locks does not depend on the entities.
      try locks.lock(lookups.lazy.flatMap { $0.keys.lazy.map { $0.shard(secret) } }, of: layout)
    }

    /// Locks the objects of a batch with their targets. Objects that this write has not seen under their lock may be
    /// gone.
    ///
    /// - Throws: `ConflictError` if another write has deleted one of the objects or targets.
    func lock(_ batch: borrowing ChangeBatch) throws {
      guard let locks = reader.session.locks else { return }
      var unseen: [ByteName: Set<ObjectID>] = [:]
      for change in batch.changes {
        guard let bound = binding[change.entity] else { continue }
        if !change.isNew, !locks.hasSeen(change.id) {
          unseen[ByteName(bound.table), default: []].insert(change.id)
        }
        for (number, field) in bound.fields.enumerated() {
          guard let field, let target = field.stored.target else { continue }
          let ids = change.row[number].target.map { [$0] } ?? Array(change.row[number].targets)
          for id in ids where !locks.hasSeen(id) {
            unseen[ByteName(try table(target)), default: []].insert(id)
          }
        }
      }
      if unseen.isEmpty { return }
      // A new object has no row yet.
      for change in batch.changes where change.isNew {
        if let bound = binding[change.entity] { unseen[ByteName(bound.table)]?.remove(change.id) }
      }
      try reader.session.lock(unseen.values.joined())
      let tickets = try unseen.map { table, ids in
        let statement = Statement(
          "SELECT count(*) FROM \(table.text) WHERE fastmap_id = ANY ($1)", .int8.array)
        return (ids.count, try connection.send(statement, Parameters(ArrayColumn(numbers: ids))))
      }
      for (count, ticket) in tickets where try connection.answer(to: ticket).int8(0, 0) < count {
        throw ConflictError("another write has deleted an object that this one changes or refers to")
      }
      for ids in unseen.values { for id in ids { locks.add(seen: id) } }
    }

    private func table(_ entity: Int64) throws -> String {
      guard let layout = reader.session.layout else { return "" }
      return layout.qualified(try layout.catalog.entity(entity).sqlName)
    }
  }
#endif
