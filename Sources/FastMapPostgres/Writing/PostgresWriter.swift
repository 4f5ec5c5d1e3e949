#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// One write of a PostgreSQL store.
  ///
  ///     try store.transact(plan.schema) { writer in
  ///       guard let id = try writer.reader.find(314, of: 0) else { return .rollBack(false) }
  ///       return .commit(try writer.delete(id, of: 0))
  ///     }
  ///
  /// A batch takes one round trip to be resolved. Its changes travel with the next question, or as a COPY if there are
  /// many.
  ///
  /// - Note: It is valid until the call that lends it returns.
  public struct PostgresWriter: StoreWriter {
    public var reader: PostgresReader
    /// The state that the copies of a writer share.
    let state: WriteState

    /// - Parameter isQueued: Whether the write lines up behind others. On Citus it locks the whole store then.
    init(
      _ session: TransactionLayout, _ schema: Schema, _ store: PostgresStore, isQueued: Bool = false
    ) throws {
      reader = try PostgresReader(session, schema, store.configuration)
      state = WriteState(store)
      if session.connection.server.flavour == .citus {
        let hasUnique = reader.binding.entities.contains {
          $0?.stored.indexes.contains(where: \.isUnique) ?? false
        }
        session.locks = KeyLocks(session.connection, locksAll: isQueued || hasUnique)
      }
    }

    var connection: Connection { reader.connection }
    var binding: Binding { reader.binding }
  }

  /// The state of a write beside the store.
  final class WriteState {
    let store: PostgresStore
    /// Changes that were sent, and whose answers were not read.
    var pending: [PendingBatch] = []
    /// The first thing that this write has added to the store, and that a commit would need ``Store/prepare(_:)`` for.
    var addition: String?
    /// The objects that were inserted or updated, by the numbers of stored entities with a unique index.
    var touched: [Int64: [ObjectID]] = [:]
    var touchedCount = 0
    /// How many of them were known when somebody asked for duplicates last, and there were none; nil before.
    var checked: Int?
    var fingerprinted: [ObjectID] = []
    /// The defaults that this write has stored in all objects, by the number of their field.
    var stored: [Int64: NewDefault] = [:]
    var changesCatalog = false
    /// The store as it was when the write began.
    lazy var before = Before(store)

    init(_ store: PostgresStore) { self.store = store }
  }

  // MARK: Keys

  extension PostgresWriter {
    public mutating func resolve(_ lookups: [KeyLookup]) throws {
      try refuseLongKeys(of: lookups)
      for lookup in lookups { lookup.ids.update(repeating: nil) }
      let bounds = reader.bounds
      let writer = self
      let sent = try reader.send { binding, connection in
        try writer.lock(lookups)
        return try lookups.map { lookup -> [(offset: Int, ticket: Ticket)] in
          guard let bound = binding[lookup.entity],
            let statement = bound.resolving(isSharded: connection.server.flavour == .citus)
          else { return [] }
          let keys = lookup.keys.places(of: bound.keyKind ?? .integer)
          return try bounds.ranges(keys, size: { 12 + (lookup.keys[$0].bytes?.count ?? 0) }).map { range in
            let column = ArrayColumn(lent: lookup.keys[range])
            return (range.lowerBound, try connection.send(statement, Parameters(column)))
          }
        }
      }
      for (lookup, tickets) in zip(lookups, sent) {
        for (offset, ticket) in tickets {
          let answer = try connection.answer(to: ticket)
          for row in 0..<answer.rowCount where !answer.isNull(row, 1) {
            let place = offset + Int(answer.int8(row, 0)) - 1
            lookup.ids[place] = answer.id(row, 1)
            reader.session.locks?.add(seen: answer.id(row, 1))
            if let fingerprints = lookup.fingerprints, !answer.isNull(row, 2) {
              state.fingerprinted.append(answer.id(row, 1))
              fingerprints[place] = Fingerprint(
                high: answer.bytes(row, 2).bigEndian(UInt64.self),
                low: answer.bytes(row, 2).bigEndian(UInt64.self, at: 8))
            }
          }
        }
      }
    }

    private func refuseLongKeys(of lookups: [KeyLookup]) throws {
      var reasons: [Int: [Int: String]] = [:]
      for lookup in lookups {
        for (index, key) in lookup.keys.enumerated() {
          guard let bytes = key.bytes, let reason = Layout.refusal(ofKey: bytes) else { continue }
          reasons[lookup.entity, default: [:]][index] = reason
        }
      }
      if !reasons.isEmpty { throw RefusedKeysError(reasons) }
    }

    /// Makes numbers of a hash of the key and random bits, without a question.
    ///
    /// Two objects get the same number with a probability of 2⁻⁶³ for each pair. The server then refuses the second one,
    /// and the transaction is repeated with other numbers.
    public mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
      let secret = reader.session.layout?.fingerprintKey.low ?? 0
      var generator = SystemRandomNumberGenerator()
      return requests.map { request in
        var ids: [ObjectID] = []
        ids.reserveCapacity(request.count)
        for key in request.keys { ids.append(.make(shard: key.shard(secret), &generator)) }
        while ids.count < request.count {
          ids.append(.make(shard: UInt32.random(in: 0...UInt32(Int32.max), using: &generator), &generator))
        }
        if let locks = reader.session.locks {
          for id in ids { locks.add(own: id) }
        }
        return .list(ids)
      }
    }
  }

  extension Layout {
    /// The reason why a key cannot be stored; nil if it can.
    static func refusal(ofKey bytes: UnsafeRawBufferPointer) -> String? {
      guard bytes.count > maximumKeyLength / 2 else { return nil }
      let length = StoredText.isEncoded(bytes) ? StoredText.encoded(bytes).count : bytes.count
      guard length > maximumKeyLength else { return nil }
      // Control characters take more than one byte in the column.
      let found =
        length == bytes.count
        ? "\(length) bytes" : "\(bytes.count) bytes, which take \(length) in PostgreSQL"
      return "expected a key of at most \(maximumKeyLength) bytes, found one of \(found)"
    }
  }

  extension ObjectID {
    static func make(shard: UInt32, _ generator: inout SystemRandomNumberGenerator) -> ObjectID {
      ObjectID(rawValue: UInt64(shard) << 32 | UInt64.random(in: 1...UInt64(UInt32.max), using: &generator))
    }

    @inline(__always)
    var column: Int64 { Int64(bitPattern: rawValue) }

    /// The value that distributes the objects over servers.
    @inline(__always)
    var shard: Int32 { Int32(truncatingIfNeeded: rawValue >> 32) }
  }

  extension Field {
    /// 31 bits of a hash of a key. The same key has the same bits for the life of the store.
    func shard(_ secret: UInt64) -> UInt32 {
      if let bytes { return bytes.shard(secret) }
      return (integer ?? 0).shard(secret)
    }
  }

  extension PrimaryKey {
    /// As for the same key in a batch.
    func shard(_ secret: UInt64) -> UInt32 {
      switch self {
      case .integer(let value): value.shard(secret)
      case .string(let text): text.utf8.shard(secret)
      }
    }
  }

  extension Collection<UInt8> {
    fileprivate func shard(_ secret: UInt64) -> UInt32 {
      var hash = secret ^ hashStart
      for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return finished(hash)
    }
  }

  extension Int64 {
    fileprivate func shard(_ secret: UInt64) -> UInt32 {
      finished(secret ^ hashStart ^ UInt64(bitPattern: self))
    }
  }

  private let hashStart: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The finaliser of SplitMix64: every bit of the result depends on every bit of the key.
  private func finished(_ hash: UInt64) -> UInt32 {
    var hash = hash
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return UInt32((hash ^ (hash >> 31)) >> 33)
  }

  extension Answer {
    @inline(__always)
    func id(_ row: Int, _ column: Int) -> ObjectID {
      ObjectID(rawValue: UInt64(bitPattern: int8(row, column)))
    }
  }

  extension KeyBatch {
    /// The keys of a kind. All integers come before all strings. A key of another kind is never stored.
    fileprivate func places(of kind: AttributeKind) -> Range<Int> {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if self[middle].bytes == nil { low = middle + 1 } else { high = middle }
      }
      return kind == .string ? low..<count : 0..<low
    }
  }

  extension ArrayColumn {
    /// A column of lent keys, which are all integers or all strings.
    fileprivate convenience init(lent keys: Slice<KeyBatch>) {
      let isText = keys.first?.bytes != nil
      self.init(of: isText ? .text : .int8, capacity: keys.count * 16)
      for key in keys {
        if let bytes = key.bytes { next().storedText(bytes) } else { int8(key.integer ?? 0) }
      }
    }
  }

  extension Binding.Entity {
    /// Finds numbers and fingerprints by keys; nil if objects have none.
    ///
    /// An outer join makes PostgreSQL look up each key by the index, also in a table that is smaller than the batch. For
    /// one, Citus copies the whole table to the coordinator.
    func resolving(isSharded: Bool) -> Statement? {
      guard let key = comparedKey, let kind = keyKind else { return nil }
      return Statement(
        """
        SELECT n.i, t.fastmap_id, t.fastmap_fingerprint FROM unnest($1) WITH ORDINALITY n (key, i)
        \(isSharded ? "JOIN" : "LEFT JOIN") \(table) t ON t.\(key) = n.key AND t.fastmap_order IS NULL
        """, kind == .string ? .text.array : .int8.array)
    }
  }
#endif
