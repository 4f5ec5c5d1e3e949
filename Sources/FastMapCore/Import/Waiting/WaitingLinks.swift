internal import CFastMap

/// Makes the links that wait for objects, once the objects are inserted: by whichever import or save, with any mapping.
///
///     inserted: Person 9  →  its stand-in  →  the owners that wait for it  →  their lists with 9 in its place
///
/// The store's notes say which relationships may wait. A store without any is asked nothing more.
struct WaitingLinks {
  /// An object that was inserted.
  struct Inserted {
    var key: PrimaryKey
    var id: ObjectID
  }

  private let plan: Plan
  /// The relationships of the store, by the entity of their targets in the plan.
  private var links: [Int: [WaitingLink]] = [:]
  /// Whether the notes of the store are known.
  private(set) var isRead = false

  private static let schema = Schema(entities: [WaitingNames.layout])
  private static let objectsAtOnce = 4096
  private static let ownersAtOnce = 1024

  init(_ plan: Plan) { self.plan = plan }

  /// Whether no inserted object of the plan can be waited for.
  var isEmpty: Bool { links.isEmpty }

  /// Whether objects of an entity may be waited for.
  func has(_ entity: Int) -> Bool { links[entity] != nil }

  /// Begins another transaction.
  mutating func forget() { (links, isRead) = ([:], false) }

  /// Reads the notes of the store. Call it after `settle`, and after the writer's first answer: with that answer, a store notices
  /// the changes of other writers.
  mutating func find<W: StoreWriter>(in writer: inout W) throws {
    isRead = true
    var all = Set(plan.waitingLinks)
    // A copy, as the writer itself would add the entity.
    var reader = writer.reader
    try reader.use(Self.schema)
    try reader.forEachPage(
      of: 0, keys: WaitingLink.keys, isDescending: false, pageSize: PageSize.ofNumbers
    ) { reader, page in
      try reader.read(page.ids, of: 0) { _, row in
        guard case .string(let note)? = row[WaitingNames.noteField].value else { return }
        if let link = WaitingLink(note: note) { all.insert(link) }
      }
      return true
    }
    let known = all.sorted { ($0.owner, $0.name) < ($1.owner, $1.name) }
    links = [:]
    for link in known {
      if let target = plan.schema.entity(named: link.target) { links[target, default: []].append(link) }
    }
  }

  /// Makes the links that wait for objects. Nothing is unsettled.
  ///
  /// - Parameter note: Receives the changes of owners, and the name of their entity.
  func make<W: StoreWriter>(
    for inserted: [Int: [Inserted]], on writer: inout W, note: (String, [ObjectChange]) -> Void
  ) throws {
    var hasAsked = false
    for (entity, objects) in inserted.sorted(by: { $0.key < $1.key }) {
      guard let links = links[entity] else { continue }
      let name = plan.schema.entities[entity].name
      for start in stride(from: 0, to: objects.count, by: Self.objectsAtOnce) {
        let some = objects[start..<min(start + Self.objectsAtOnce, objects.count)]
        hasAsked = true
        try writer.use(Self.schema)
        let keys = some.map { WaitingLink.standIn(of: $0.key, name) }
        var found: [ObjectID: Inserted] = [:]
        for (object, standIn) in zip(some, try writer.checkedFind(keys, of: 0)) {
          if let standIn { found[standIn] = object }
        }
        if found.isEmpty { continue }
        for link in links { try make(link, found, on: &writer, note: note) }
        try writer.use(Self.schema)
        _ = try writer.delete(found.keys.sorted(), of: 0)
      }
    }
    if hasAsked { try writer.use(plan.schema) }
  }

  /// Makes the links of one relationship.
  ///
  /// - Parameter found: By their stand-ins.
  private func make<W: StoreWriter>(
    _ link: WaitingLink, _ found: [ObjectID: Inserted], on writer: inout W,
    note: (String, [ObjectChange]) -> Void
  ) throws {
    let schema = link.schema
    try writer.use(schema)
    let standIns = found.keys.sorted()
    let owners = Set(
      try writer.checkedOwners(of: standIns, entity: 0, field: WaitingLink.standInsField).joined()
    ).sorted()
    for start in stride(from: 0, to: owners.count, by: Self.ownersAtOnce) {
      let some = Array(owners[start..<min(start + Self.ownersAtOnce, owners.count)])
      let lists = try writer.checkedTargets(
        of: some, entity: 0, fields: [WaitingLink.linkField, WaitingLink.standInsField])
      var entries = [WaitingEntries](repeating: WaitingEntries(), count: some.count)
      try writer.read(some, of: 0) { index, row in
        try row.check(index, of: some, fields: schema.entities[0].fields.count)
        entries[index] = WaitingEntries(row[WaitingLink.entriesField])
      }
      let memory = RowMemory()
      var batch = ChangeBatch(schema: schema)
      for (index, owner) in some.enumerated() {
        let list = [ListEntry](lists[0][index], entries[index], lists[1][index]).made(
          found, isToMany: link.isToMany)
        let row = try memory.makeRow(schema.entities[0].fields.count)
        try memory.set(row + WaitingLink.linkField, to: list.targets, isToMany: link.isToMany)
        try memory.set(row + WaitingLink.entriesField, to: list.waiting.value)
        try memory.set(row + WaitingLink.standInsField, to: list.standIns, isToMany: true)
        for field in 0..<schema.entities[0].fields.count { row[field].policy = UInt8(FASTMAP_ASSIGN) }
        batch.changes.append(
          ObjectChange(
            id: owner, entity: 0, isNew: false, keyField: nil,
            row: Row(slots: row, count: schema.entities[0].fields.count)))
      }
      try writer.apply(&batch)
      try writer.settle(&batch)
      note(link.owner, batch.changes)
    }
  }
}

extension [ListEntry] {
  /// The list with targets in place of the entries that waited for them.
  fileprivate func made(_ found: [ObjectID: WaitingLinks.Inserted], isToMany: Bool) -> [ListEntry] {
    // Another mapping may have set a to-one relationship since.
    if !isToMany, !targets.isEmpty { return filter { if case .target = $0 { true } else { false } } }
    var made: Set<ObjectID> = []
    let list = map { entry -> (entry: ListEntry, isMade: Bool) in
      guard case .waiting(let key, let standIn) = entry, let object = found[standIn], object.key == key else {
        return (entry, false)
      }
      made.insert(object.id)
      return (.target(object.id), true)
    }
    // A merge may have added the object in the batch that has made it. The list has it once.
    return list.filter { entry, isMade in
      if !isMade, case .target(let id) = entry { return !made.contains(id) }
      return true
    }.map(\.entry)
  }
}
