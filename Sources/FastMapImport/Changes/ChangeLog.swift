/// The changes of a transaction, object by object: the state before the first write beside the state at the end.
///
///     begin(batch) ──▶ apply ──▶ end(batch)   …   finish ──▶ commit ──▶ send
///
/// States and changes stand in unnamed files. Memory has two bits for each object, and the objects of one sorted run.
final class ChangeLog {
  private let plan: Plan
  private let onChange: @Sendable (ImportOptions.Change) -> Void
  /// By entity, the objects of `order`.
  private var known: [StateMap]
  private var order: ChangeOrder
  private let states = SpilledRecords()
  /// The changes to send after the commit.
  private let changes = SpilledRecords()
  /// Objects of the root entity that belonged to an owner: such an object is no root.
  private var detached: Set<ObjectID> = []

  /// The objects that the batch may change, with the places of their states in `openStates`.
  private var open: [ObjectIdentity: (key: PrimaryKey?, state: Int)] = [:]
  private let openStates = SpilledRecords()
  /// The owners of objects without a key that the batch may change.
  private var owners: [ObjectIdentity: ObjectIdentity] = [:]

  private static let objectsAtOnce = 256

  init(_ plan: Plan, _ onChange: @escaping @Sendable (ImportOptions.Change) -> Void) {
    (self.plan, self.onChange) = (plan, onChange)
    known = plan.schema.entities.map { _ in StateMap() }
    order = ChangeOrder(plan.schema)
  }

  /// Begins a transaction, or begins it again.
  func beginRun() {
    known = plan.schema.entities.map { _ in StateMap() }
    order.removeAll()
    states.removeAll()
    changes.removeAll()
    endBatch()
  }

  // MARK: Writes

  /// Reads the objects that a batch may change.
  func begin<W: StoreWriter>(_ batch: ChangeBatch, on writer: inout W) throws {
    var left = batch.changes[...]
    while let entity = left.first?.entity {
      let some = left.prefix { $0.entity == entity }
      left = left.dropFirst(some.count)
      for change in some where change.isNew && known[entity][change.id] == .unmet {
        known[entity][change.id] = .inserted
        try order.add(.init(object: .init(entity: entity, id: change.id), key: change.key, state: nil))
      }
      try open(some.filter { !$0.isNew }.map(\.id), of: entity, on: &writer)
    }
  }

  /// Keeps the states of the objects that a batch has changed.
  func end(_ batch: ChangeBatch) throws {
    let root = plan.mappings[0].entity
    if plan.schema.entities[root].keepsKeyless || plan.traits.keyFields[root].isEmpty {
      for removed in batch.removed where removed.entity == root { detached.insert(removed.id) }
    }
    for change in batch.changes where change.isChanged && !change.isNew {
      try keep(.init(entity: change.entity, id: change.id))
    }
    endBatch()
  }

  private func endBatch() {
    open.removeAll(keepingCapacity: true)
    owners.removeAll(keepingCapacity: true)
    openStates.removeAll()
  }

  /// Keeps the states of objects to delete, and of all objects that refer to them.
  ///
  /// - Parameter objects: By entity.
  func beginDeletion<W: StoreWriter>(of objects: [Set<ObjectID>], on writer: inout W) throws {
    for (entity, ids) in objects.enumerated() where !ids.isEmpty {
      let ids = ids.sorted()
      try keep(ids, of: entity, on: &writer)
      try writer.forEachReferences(to: ids, of: entity) { writer, references in
        for (owner, links) in Dictionary(grouping: references, by: \.entity) {
          guard let owner else { continue }
          let ids = links.map(\.owner).filter { !objects[owner].contains($0) }
          try keep(ids.sortedUnique(), of: owner, on: &writer)
        }
      }
    }
  }

  private func keep<W: StoreWriter>(_ ids: [ObjectID], of entity: Int, on writer: inout W) throws {
    for start in stride(from: 0, to: ids.count, by: Self.objectsAtOnce) {
      try open(
        Array(ids[start..<min(start + Self.objectsAtOnce, ids.count)]), of: entity, on: &writer)
      for object in open.keys { try keep(object) }
      endBatch()
    }
  }

  // MARK: States before

  /// Reads objects that are not known yet. Of an object without a key, its owner is read.
  private func open<W: StoreWriter>(_ ids: [ObjectID], of entity: Int, on writer: inout W) throws {
    let unknown = ids.filter { id in
      let object = ObjectIdentity(entity: entity, id: id)
      return known[entity][id] == .unmet && open[object] == nil && owners[object] == nil
    }
    for start in stride(from: 0, to: unknown.count, by: Self.objectsAtOnce) {
      let some = Array(unknown[start..<min(start + Self.objectsAtOnce, unknown.count)])
      let keys = try writer.reader.keys(of: some, entity, plan)
      let keyless = some.filter { keys[$0] == nil }
      let lists = try keyless.isEmpty ? [] : writer.checkedReferences(to: keyless, of: entity, limit: 1)
      var above: [Int: [ObjectID]] = [:]
      var own = keyless.isEmpty ? some : some.filter { keys[$0] != nil }
      for (id, links) in zip(keyless, lists) {
        guard let link = links.first else {
          if isRoot(id, of: entity) { own.append(id) }
          continue
        }
        guard let owner = link.entity else { continue }
        owners[.init(entity: entity, id: id)] = .init(entity: owner, id: link.owner)
        above[owner, default: []].append(link.owner)
      }
      for (id, state) in zip(own, try writer.reader.states(of: own, entity, plan)) {
        guard let state else { continue }
        let place = try openStates.append { state.write(to: &$0) }
        open[.init(entity: entity, id: id)] = (keys[id], place)
      }
      for (owner, ids) in above { try open(ids.sortedUnique(), of: owner, on: &writer) }
    }
  }

  /// Whether an object without a key and without an owner is a root object.
  private func isRoot(_ id: ObjectID, of entity: Int) -> Bool {
    entity == plan.mappings[0].entity && !detached.contains(id)
  }

  /// Keeps the state of an object of the batch, or of the owner of an object without a key.
  private func keep(_ object: ObjectIdentity) throws {
    var object = object
    for _ in 0...owners.count {
      guard let owner = owners[object] else { break }
      object = owner
    }
    guard let (key, place) = open[object], known[object.entity][object.id] == .unmet else { return }
    known[object.entity][object.id] = .updated
    let state = try openStates.read(at: place) { ObjectState(&$0) }
    let kept = try states.append { state.write(to: &$0) }
    try order.add(.init(object: object, key: key, state: kept))
  }

  // MARK: Changes

  /// Compares all kept states with the end of the transaction, before its commit.
  func finish<W: StoreWriter>(on writer: inout W) throws {
    try order.merge()
    while case let some = try order.next(most: Self.objectsAtOnce), let entity = some.first?.object.entity {
      let ids = some.compactMap { $0.state == nil ? nil : $0.object.id }
      let after = Dictionary(
        zip(ids, try writer.reader.states(of: ids, entity, plan)), uniquingKeysWith: { $1 })
      let new = try writer.reader.stored(some.filter { $0.state == nil }.map(\.object.id), of: entity)
      let keyless = some.filter { $0.key == nil && new.contains($0.object.id) }.map(\.object.id)
      let roots = try DeletionSweep.unreferenced(
        keyless.filter { isRoot($0, of: entity) }, of: entity, in: &writer)
      for entry in some {
        let id = entry.object.id
        if let place = entry.state {
          let before = try states.read(at: place) { ObjectState(&$0) }
          try add(entry, before, after[id] ?? nil)
        } else if new.contains(id), entry.key != nil || roots.contains(id) {
          try add(entry, nil, nil)
        }
      }
    }
  }

  /// - Parameter before: Nil for a new object.
  private func add(_ entry: ChangeOrder.Entry, _ before: ObjectState?, _ after: ObjectState?) throws {
    let layout = plan.schema.entities[entry.object.entity]
    var kind = before == nil ? ImportOptions.Change.Kind.inserted : .deleted
    var fields: [(field: Int, before: String, after: String)] = []
    if let before, let after {
      kind = .updated
      fields = after.differences(from: before, in: layout.fields).map {
        ($0, before.fields[$0], after.fields[$0])
      }
      if fields.isEmpty { return }
    }
    _ = try changes.append { record in
      record.add(kind.rawValue)
      record.add(entry.object.entity)
      record.add(entry.key)
      record.add(fields.count)
      for (field, before, after) in fields {
        record.add(field, before)
        record.add(after)
      }
    }
  }

  /// Sends the changes of the transaction, which has ended.
  func send() throws {
    let null = { (text: String) in text.isEmpty ? "null" : text }
    var next = 0
    while next < changes.end {
      let change = try changes.read(next: &next) { record in
        let kind = ImportOptions.Change.Kind(rawValue: record.string()) ?? .updated
        let layout = plan.schema.entities[record.integer()]
        let key = record.key()
        let fields = (0..<record.integer()).map { _ in
          (layout.fields[record.integer()].name, null(record.string()), null(record.string()))
        }
        return ImportOptions.Change(kind: kind, entity: layout.name, key: key, fields: fields)
      }
      onChange(change)
    }
    changes.removeAll()
  }
}

extension ChangeLog? {
  /// Writes a batch whose effect the next question must see.
  func write<W: StoreWriter>(_ batch: inout ChangeBatch, on writer: inout W) throws {
    try self?.begin(batch, on: &writer)
    try writer.apply(&batch)
    try writer.finish(&batch)
    try self?.end(batch)
  }
}
