import FastMapCore
import FastMapMemory
import FastMapStoreTesting

extension Fault? {
  /// Finds a key as the store with the fault does.
  fileprivate func find(_ key: PrimaryKey, _ find: (PrimaryKey) throws -> ObjectID?) rethrows -> ObjectID? {
    switch (self, key) {
    case (.confusesKinds, .string(let text)): try find(key) ?? Int64(text).flatMap { try find(.integer($0)) }
    case (.cutsKeys, .string(let text)): try find(.string(String(text.prefix(500))))
    default: try find(key)
    }
  }

  /// Reads an object as the store with the fault does.
  fileprivate func read(
    _ id: ObjectID, of entity: Int, _ reader: inout some StoreReader, into buffer: inout RowBuffer
  ) throws -> Bool {
    var read = RowBuffer()
    let isStored = try reader.read(id, of: entity, into: &read)
    if !isStored, self == .readsAnything, id.rawValue != 0 {
      buffer.reset(count: 1)
      return true
    }
    let row = read.row
    if isStored, self != .leavesBuffers || buffer.row.count != row.count { buffer.reset(count: row.count) }
    for field in 0..<row.count where !row[field].isMissing { buffer.copy(row[field], at: field) }
    return isStored
  }

  /// Lends an object as the store with the fault does.
  fileprivate func withRow<R>(
    _ id: ObjectID, of entity: Int, _ reader: inout some StoreReader, _ body: (Row) throws -> R
  ) throws -> R? {
    do {
      return try reader.withRow(id, of: entity) { row in
        try Row.lend(count: row.count) { field in
          self == .losesTargets && row[field].target != nil ? .missing : row[field]
        } to: {
          try body($0)
        }
      }
    } catch {
      if self == .swallowsErrors { return nil }
      throw error
    }
  }
}

extension Schema {
  /// A schema that nobody has asked for.
  fileprivate static let foreign = Schema(entities: [.init(name: "Foreign", fields: [], keyKind: nil)])
}

struct FaultyReader: InterceptedReader {
  var base: MemoryReader
  let store: MemoryStore
  let fault: Fault?

  mutating func use(_ schema: Schema) throws {
    switch fault {
    case .ignoresSchemas: break
    case .looksAfresh: base = try store.read(schema) { $0 }
    case .readerLosesItsSchema:
      do { try base.use(schema) } catch {
        try base.use(.foreign)
        throw error
      }
    default: try base.use(schema)
    }
  }

  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    fault.find(key) { base.find($0, of: entity) }
  }
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    var met: Set<PrimaryKey> = []
    return try keys.map { try fault == .findsOnce && !met.insert($0).inserted ? nil : find($0, of: entity) }
  }
  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    var met: Set<ObjectID> = []
    for (index, id) in ids.enumerated() where fault != .lendsOnce || met.insert(id).inserted {
      _ = try withRow(id, of: entity) { try body(index, $0) }
    }
  }
  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try fault.read(id, of: entity, &base, into: &buffer)
  }
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R? {
    try fault.withRow(id, of: entity, &base, body)
  }
  func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
    base.targets(of: owners, entity: entity, fields: fault == .sortsFields ? fields.sorted() : fields)
  }
  mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    var owners = base.owners(of: targets, entity: entity, field: field)
    switch fault {
    case .sortsOwners: for index in owners.indices { owners[index].sort() }
    case .repeatsOwners: for index in owners.indices { owners[index] += owners[index].suffix(1) }
    case .ownersOnce:
      var met: Set<ObjectID> = []
      for (index, target) in targets.enumerated() where !met.insert(target).inserted { owners[index] = [] }
    default: break
    }
    return owners
  }
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    let isDescending = isDescending && fault != .turnsPages
    let pageSize = fault == .fillsPages ? pageSize + 1 : pageSize
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) {
      try body(&copy, $1) || fault == .ignoresStops
    }
  }
}

struct FaultyWriter: InterceptedWriter {
  var base: MemoryWriter
  let store: MemoryStore
  var schema: Schema
  let lastNumber: Counter
  let fault: Fault?
  /// The stored objects when the write was asked for.
  var early: MemoryReader?

  var reader: FaultyReader {
    get { FaultyReader(base: early ?? base.reader, store: store, fault: fault) }
    set { if early == nil { base.reader = newValue.base } }
  }

  mutating func use(_ schema: Schema) throws {
    switch fault {
    case .ignoresSchemas: return
    case .writerLosesItsSchema:
      do { try base.use(schema) } catch {
        try base.use(.foreign)
        throw error
      }
    default: try base.use(schema)
    }
    self.schema = schema
  }

  mutating func resolve(_ lookups: [KeyLookup]) throws {
    for lookup in fault == .resolvesOne ? lookups.prefix(1) : lookups[...] {
      for index in lookup.keys.indices {
        if fault == .refusesAnother, lookup.keys[index].bytes?.count ?? 0 > 500 {
          throw RefusedKeysError([lookup.entity: [0: "too long"]])
        }
        let id = try lookup.keys[index].key.flatMap { try reader.find($0, of: lookup.entity) }
        if fault != .leavesNumbers || id != nil { lookup.ids[index] = id }
      }
    }
  }

  mutating func reserve(_ requests: [NumberRequest]) -> [ObjectNumbers] {
    if fault == .repeatsNumbers {
      return zip(requests, base.reserve(requests)).map { request, numbers in
        .list((0..<request.count).map { numbers[$0 / 2] })
      }
    }
    guard fault == .countsAfreshWhenOpened else { return base.reserve(requests) }
    return requests.map { request in
      defer { lastNumber.value += request.count }
      return .run(from: ObjectID(rawValue: UInt64(lastNumber.value + 1)))
    }
  }

  mutating func apply(_ changes: inout ChangeBatch) throws {
    base.apply(&changes)
    if fault == .notesTwice { noteAgain(&changes) }
  }

  mutating func finish(_ changes: inout ChangeBatch) throws {
    try base.finish(&changes)
    if fault == .notesLater { noteAgain(&changes) }
  }

  private func noteAgain(_ changes: inout ChangeBatch) {
    for note in changes.removed {
      guard let change = changes.changes.first(where: { $0.id == note.holder.owner }) else { continue }
      changes.recordRemoved(note.id, from: note.holder.field, of: change)
    }
  }

  mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    let limit = fault == .ignoresLimits ? .max : limit
    if fault == .knowsOneReference, last != nil { return ids.map { _ in [] } }
    guard fault == .refersBySchema else {
      return base.references(to: ids, of: entity, after: last, limit: limit)
    }
    return base.references(to: ids, of: entity, after: last, limit: .max).map {
      Array($0.filter { $0.entity != nil }.prefix(limit))
    }
  }

  mutating func delete(_ ids: [ObjectID], of entity: Int) -> [ObjectID] {
    let deleted = base.delete(ids, of: entity)
    return fault == .countsWhatIsNot ? ids : deleted
  }
  mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    var buffer = RowBuffer()
    if fault == .answersInOrder { return base.changed(ids.sorted(), of: entity) }
    return zip(ids, base.changed(ids, of: entity)).map { id, isChanged in
      if fault == .changesWhatIsGone, !base.reader.read(id, of: entity, into: &buffer) { return true }
      return isChanged
    }
  }
}
