internal import CFastMap

/// Weak relationships whose links wait for missing objects.
extension ImportUnit {
  /// A merge of a list of a stored owner that brings entries that wait. The old list decides about their places.
  struct WaitingMerge {
    let owner: ObjectID
    let entity: Int
    let field: WaitingField
    let row: UnsafeMutablePointer<fastmap_slot>
    let entries: [ListEntry]
  }

  /// Whether an occurrence stands for a missing object that a link waits for.
  func isWaiting(_ index: UInt32) -> Bool {
    let occurrence = occurrences[Int(index)]
    let flags = occurrence.flags & UInt32(FASTMAP_WAITS | FASTMAP_UNLINKED | FASTMAP_SKIPPED)
    return flags == FASTMAP_WAITS | FASTMAP_UNLINKED && occurrence.object != FASTMAP_NONE
      && !saysDeleted(Int(index))
  }

  /// Whether the batch makes an object with a key.
  var hasInserted: Bool {
    keyed.contains { $0.contains { objects[$0].isMet && !objects[$0].isStored } }
  }

  /// The objects with a key that the batch has made, by entity.
  func inserted(_ isWanted: (Int) -> Bool) -> [Int: [WaitingLinks.Inserted]] {
    var inserted: [Int: [WaitingLinks.Inserted]] = [:]
    for entity in keyed.indices where isWanted(entity) {
      let new = objects[keyed[entity]].filter { $0.isMet && !$0.isStored }
      if new.isEmpty { continue }
      inserted[entity] = new.compactMap { object in
        PrimaryKey(slot: object.key).map { .init(key: $0, id: object.id) }
      }
    }
    return inserted
  }

  // MARK: Stand-ins

  /// Finds or makes the stand-ins of missing objects, and the notes of their relationships.
  ///
  /// - Parameter asksAgain: Whether some of the objects may have been made since the batch asked for their keys.
  func findStandIns<W: StoreWriter>(in writer: inout W, asksAgain: Bool) throws {
    guard plan.traits.hasWaiting else { return }
    let links = missed.filter { isWaiting(UInt32($0)) && !isStale(Int(occurrences[$0].owner)) }
    var missing = Set(links.map { Int(occurrences[$0].object) })
    if asksAgain { missing = try stillMissing(missing, in: &writer) }
    if missing.isEmpty { return }
    var wanted: [(key: PrimaryKey, object: Int?, note: String?)] = missing.compactMap { object in
      PrimaryKey(slot: objects[object].key).map {
        (WaitingLink.standIn(of: $0, plan.schema.entities[objects[object].entity].name), object, nil)
      }
    }
    for link in plan.waitingLinks { wanted.append((link.key, nil, link.note)) }
    wanted.sort { $0.key < $1.key }
    let entity = plan.schema.entities.count - 1
    let found = try writer.checkedFind(wanted.map(\.key), of: entity)
    for (wanted, id) in zip(wanted, found) {
      var object = Object(entity: entity)
      (object.keyField, object.isMet) = (WaitingNames.keyField, true)
      if let id {
        (object.id, object.isStored) = (id, true)
      } else {
        guard case .string(let key) = wanted.key else { continue }
        object.key = try makeSlot(Array(key.utf8), FASTMAP_STRING)
        if let note = wanted.note {
          let row = try allocate(fastmap_batch_slot.self, 2)
          row.initialize(repeating: fastmap_batch_slot(), count: 2)
          row[WaitingNames.noteField].value = try makeSlot(Array(note.utf8), FASTMAP_STRING)
          object.row = row
        }
      }
      if let missing = wanted.object { standIns[missing] = objects.count }
      objects.append(object)
    }
  }

  /// Leaves out the objects that are stored by now.
  private func stillMissing<W: StoreWriter>(_ missing: Set<Int>, in writer: inout W) throws -> Set<Int> {
    var left = missing
    for (entity, numbers) in Dictionary(grouping: missing.sorted(), by: { objects[$0].entity }) {
      let keys = numbers.compactMap { PrimaryKey(slot: objects[$0].key) }
      for (number, id) in zip(numbers, try writer.checkedFind(keys, of: entity)) {
        guard let id else { continue }
        (objects[number].id, objects[number].isStored) = (id, true)
        left.remove(number)
      }
    }
    return left
  }

  /// The new stand-ins and notes of the batch, for an import that writes object by object.
  func standInChanges() throws -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    if standIns.isEmpty { return batch }
    let entity = plan.schema.entities.count - 1
    for object in objects where object.entity == entity && !object.isStored {
      let row = try makeSlots(2)
      row[WaitingNames.keyField] = object.key
      if let note = object.row { row[WaitingNames.noteField] = note[WaitingNames.noteField].value }
      batch.changes.append(
        ObjectChange(
          id: object.id, entity: entity, isNew: true, keyField: WaitingNames.keyField,
          row: Row(slots: row, count: 2)))
    }
    return batch
  }

  private func makeSlot(_ bytes: [UInt8], _ tag: Int) throws(SystemError) -> fastmap_slot {
    let copy = try allocate(UInt8.self, bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    var slot = fastmap_slot()
    (slot.tag, slot.length, slot.bytes) = (UInt8(tag), UInt32(bytes.count), UnsafePointer(copy))
    return slot
  }

  // MARK: Rows

  /// Turns a row of the unit into one for the store, with the entries that wait.
  func stored(
    _ row: UnsafeMutablePointer<fastmap_batch_slot>, _ fieldCount: Int, _ links: [Int],
    _ waiting: [WaitingField], of object: Object, among objects: [Object]
  ) throws(SystemError) -> UnsafeMutablePointer<fastmap_slot> {
    let entries = waiting.map { takeWaiting($0, &row[$0.link].link, among: objects) }
    let row = stored(row, fieldCount, links, among: objects)
    for (field, entries) in zip(waiting, entries) {
      if let entries { try set(entries, field, in: row, of: object) }
    }
    return row
  }

  /// Takes the entries that wait out of a relationship.
  ///
  /// - Returns: The whole list, or nothing if none waits. Nil for a relationship that the row does not have.
  func takeWaiting(_ field: WaitingField, _ link: inout fastmap_link, among objects: [Object]) -> [ListEntry]?
  {
    func entry(_ number: UInt64) -> ListEntry? {
      let object = objects[Int(number)]
      if object.isStored || object.isMet { return .target(object.id) }
      guard let key = PrimaryKey(slot: object.key), let standIn = standIns[Int(number)] else { return nil }
      return .waiting(key, objects[standIn].id)
    }
    if link.tag == FASTMAP_OBJECT {
      if case .target? = entry(link.object) { return [] }
      let entries = [entry(link.object)].compactMap(\.self)
      link.tag = UInt8(FASTMAP_NULL)
      return entries
    }
    if link.tag != FASTMAP_OBJECTS { return link.tag == FASTMAP_NULL ? [] : nil }
    let list = UnsafeMutableBufferPointer(
      start: UnsafeMutablePointer(mutating: link.objects), count: Int(link.length))
    guard list.contains(where: { !objects[Int($0)].isStored && !objects[Int($0)].isMet }) else { return [] }
    var entries: [ListEntry] = []
    var count = 0
    for number in list {
      guard let entry = entry(number) else { continue }
      entries.append(entry)
      if case .target = entry {
        list[count] = number
        count += 1
      }
    }
    link.length = UInt32(count)
    return entries
  }

  /// Sets the fields of the entries that wait.
  ///
  /// - Parameter row: The row for the store of an object. Its relationship is set.
  func set(
    _ entries: [ListEntry], _ field: WaitingField, in row: UnsafeMutablePointer<fastmap_slot>,
    of object: Object
  ) throws(SystemError) {
    let isMerge = field.isToMany && row[field.link].policy == FASTMAP_MERGE
    if isMerge, entries.isEmpty { return }
    if isMerge, object.isStored {
      row[field.link].tag = UInt8(FASTMAP_NULL)
      waitingMerges.append(
        WaitingMerge(owner: object.id, entity: object.entity, field: field, row: row, entries: entries))
    } else if !entries.isEmpty || object.isStored {
      let list = isMerge ? ListEntry.merged([], with: entries) : entries
      try setEntries(list, field, in: row)
    }
  }

  private func setEntries(
    _ list: [ListEntry], _ field: WaitingField, in row: UnsafeMutablePointer<fastmap_slot>
  ) throws(SystemError) {
    if case .data(let bytes) = list.waiting.value {
      row[field.entries] = try makeSlot(bytes, FASTMAP_DATA)
    } else {
      row[field.entries].tag = UInt8(FASTMAP_NULL)
    }
    // Stand-ins that no link waits for any more are deleted.
    row[field.standIns] = try makeSlot(list.standIns, isToMany: true, policy: FASTMAP_REPLACE)
  }

  /// Completes the rows of merges, in the state before the batch.
  func mergeWaiting<W: StoreWriter>(in writer: inout W) throws {
    if waitingMerges.isEmpty { return }
    let merges = Dictionary(grouping: waitingMerges) { Holder(owner: $0.entity, field: $0.field.link) }
    waitingMerges.removeAll()
    for (place, merges) in merges.sorted(by: { ($0.key.owner, $0.key.field) < ($1.key.owner, $1.key.field) })
    {
      let (owners, field) = (merges.map(\.owner), merges[0].field)
      let lists = try writer.checkedTargets(
        of: owners, entity: place.owner, fields: [field.link, field.standIns])
      var old = [WaitingEntries](repeating: WaitingEntries(), count: owners.count)
      try writer.read(owners, of: place.owner) { index, row in
        try row.check(index, of: owners, fields: plan.schema.entities[place.owner].fields.count)
        old[index] = WaitingEntries(row[field.entries])
      }
      for (index, merge) in merges.enumerated() {
        let before = [ListEntry](lists[0][index], old[index], lists[1][index])
        let list = ListEntry.merged(before, with: merge.entries)
        merge.row[field.link] = fastmap_slot()
        if list == before { continue }
        merge.row[field.link] = try makeSlot(list.targets, isToMany: true)
        try setEntries(list, field, in: merge.row)
      }
    }
  }
}

extension ListEntry {
  /// The old list, and behind it the entries that it does not have.
  fileprivate static func merged(_ old: [ListEntry], with entries: [ListEntry]) -> [ListEntry] {
    var (targets, standIns) = (Set(old.targets), Set(old.standIns))
    return old
      + entries.filter {
        switch $0 {
        case .target(let id): targets.insert(id).inserted
        case .waiting(_, let id): standIns.insert(id).inserted
        }
      }
  }
}

extension Plan {
  /// The relationships of the plan whose links wait.
  var waitingLinks: [WaitingLink] {
    zip(schema.entities, traits.waiting).flatMap { entity, fields in
      fields.map { WaitingLink($0, of: entity, in: schema) }
    }
  }
}
