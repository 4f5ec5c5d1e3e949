internal import CFastMap
internal import FastMapCore

extension Rebuild {
  /// A to-many relationship of one object.
  struct List: Hashable {
    let owner: ObjectID
    let field: UInt16
  }

  /// Removes lost objects from lists, removes the lists of lost owners, and adds missing inverses.
  mutating func mendLists() throws {
    var changes: [Change] = []
    var broken: Set<List> = []
    var reasons: [(place: String, detail: String)] = []
    try forEach(.links) { reader, key, value in
      guard key.count == 18, value.count % 8 == 0, value.count > 0 else {
        changes.append(Change(.links, key, nil))
        reasons.append((Place.describe(.links, key), "not a list of objects; it is left out"))
        return
      }
      let list = List(
        owner: key.id(inKeyAt: 0), field: key.bigEndian(at: 8, as: UInt16.self))
      guard try reader.record(list.owner) != nil, isToMany(list) else {
        changes.append(Change(.links, key, nil))
        reasons.append((Place.describe(.links, key), "its owner is lost"))
        return
      }
      var bytes = KeyBytes()
      for offset in stride(from: 0, to: value.count, by: 8) {
        let target = value.id(inValueAt: offset)
        if try reader.record(target) == nil {
          broken.insert(list)
          reasons.append((Place.describe(.links, key), "\(Self.words(target)) is lost"))
          continue
        }
        bytes.setInverse(target: target, field: list.field, owner: list.owner)
        if try reader.view.get(reader.tables.inverse, bytes.bytes) == nil {
          changes.append(Change(.inverse, bytes.bytes, []))
        }
      }
      if value.count / 8 > reader.lists.perSegment { broken.insert(list) }
    }
    for reason in reasons { add(reason.place, reason.detail) }
    try make(changes)
    try rewrite(broken) { reader, targets in try targets.filter { try reader.record($0) != nil } }
  }

  private func isToMany(_ list: List) -> Bool {
    if case .relationship(isToMany: true, _, _) = kind(of: list.field, list.owner) { true } else { false }
  }

  /// Writes lists again.
  private func rewrite(
    _ lists: some Sequence<List>, _ change: (LMDBReader, [ObjectID]) throws -> [ObjectID]
  ) throws {
    for list in lists {
      var changes: [Change] = []
      try store.environment.read { transaction in
        let reader = LMDBReader(
          view: transaction.view, tables: tables, layout: layout, lists: store.lists)
        let cursor = try transaction.view.unsafeCursor(tables.links)
        let old = try reader.list(of: list.owner, field: list.field, cursor)
        let new = try change(reader, old.targets)
        var key = KeyBytes()
        for segment in old.segments {
          key.setLink(owner: list.owner, field: list.field, position: segment.position)
          changes.append(Change(.links, key.bytes, nil))
        }
        let size = store.lists.perSegment
        for (index, start) in stride(from: 0, to: new.count, by: size).enumerated() {
          key.setLink(
            owner: list.owner, field: list.field,
            position: ListShape.first + UInt64(index) * store.lists.step)
          let value = new[start..<min(start + size, new.count)].flatMap { target in
            withUnsafeBytes(of: target.rawValue.littleEndian) { Array($0) }
          }
          changes.append(Change(.links, key.bytes, value))
        }
      }
      try make(changes)
    }
  }

  /// Appends objects to lists that only the inverse knows, and removes the inverses of lost objects.
  mutating func mendInverse() throws {
    // Every reference has its inverse by now. If there are as many inverses as references, there are no others.
    guard try countPairs() != store.environment.read({ try $0.statistics(tables.inverse).entries }) else {
      return
    }
    var lists: [List: Set<ObjectID>] = [:]
    var changes: [Change] = []
    var missing: [List: [ObjectID]] = [:]
    try forEach(.inverse) { reader, key, value in
      let isInverse = key.count == 18 && value.isEmpty
      guard isInverse, try reader.record(key.id(inKeyAt: 0)) != nil,
        let owner = try reader.record(key.id(inKeyAt: 10))
      else { return changes.append(Change(.inverse, key, nil)) }
      let target = key.id(inKeyAt: 0)
      let list = List(
        owner: key.id(inKeyAt: 10), field: key.bigEndian(at: 8, as: UInt16.self))
      guard isToMany(list) else {
        let slot = owner.slot(Int(list.field))
        if slot?.object != target {
          changes.append(Change(.inverse, key, nil))
        }
        return
      }
      if lists[list] == nil {
        let cursor = try reader.view.unsafeCursor(tables.links)
        lists[list] = Set(try reader.links(of: list.owner, field: list.field, cursor))
      }
      if lists[list]?.contains(target) != true { missing[list, default: []].append(target) }
    }
    try make(changes)
    for (list, targets) in missing {
      add(
        "links, field \(list.field) of \(Self.words(list.owner))",
        "a part of the list is lost; \(targets.count) objects were appended at its end")
      try rewrite(CollectionOfOne(list)) { _, old in old + targets }
    }
  }

  /// The number of pairs of a relationship and a target.
  private func countPairs() throws -> Int {
    var count = 0
    try forEach(.records) { _, _, value in
      _ = RecordView(value)?.forEach { _, tag, _ in
        if tag == RecordFormat.Tag.target { count += 1 }
        return true
      }
    }
    var last: List?
    var met: Set<ObjectID> = []
    try forEach(.links) { _, key, value in
      let list = List(
        owner: key.id(inKeyAt: 0), field: key.bigEndian(at: 8, as: UInt16.self))
      if list != last { met = [] }
      last = list
      for offset in stride(from: 0, to: value.count, by: 8) {
        if met.insert(value.id(inValueAt: offset)).inserted { count += 1 }
      }
    }
    return count
  }
}
