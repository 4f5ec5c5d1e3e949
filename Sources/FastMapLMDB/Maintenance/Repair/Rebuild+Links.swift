internal import CFastMap
internal import FastMapStoreKit

extension Rebuild {
  /// A to-many relationship of one object.
  struct List: Hashable {
    let owner: ObjectID
    let field: UInt16
  }

  /// Removes lost objects from lists, removes the lists of lost owners, and adds missing inverses.
  mutating func mendLists() throws {
    var changes: [Change] = []
    var missing: [InverseEntry] = []
    var broken: Set<List> = []
    var reasons: [(place: String, detail: String)] = []
    try forEach(.links) { reader, inverse, key, value in
      guard key.count == 18, value.count % 8 == 0, value.count > 0 else {
        changes.append(Change(.links, key, nil))
        reasons.append((Place.describe(.links, key), "not a list of objects; left out"))
        return
      }
      let list = List(
        owner: key.id(inKeyAt: 0), field: key.bigEndian(at: 8, as: UInt16.self))
      guard try reader.record(list.owner) != nil, isToMany(list) else {
        changes.append(Change(.links, key, nil))
        reasons.append((Place.describe(.links, key), "its owner is lost"))
        return
      }
      for offset in stride(from: 0, to: value.count, by: 8) {
        let target = value.id(inValueAt: offset)
        if try reader.record(target) == nil || !mayRefer(field: Int(list.field), list.owner, to: target) {
          broken.insert(list)
          reasons.append((Place.describe(.links, key), "\(Self.words(target)) is lost"))
          continue
        }
        let entry = InverseEntry(target: target, field: list.field, owner: list.owner)
        if try !inverse.contains(entry) { missing.append(entry) }
      }
      if value.count / 8 > reader.lists.perSegment { broken.insert(list) }
    }
    for reason in reasons { add(reason.place, reason.detail) }
    try make(changes)
    try addInverse(missing)
    for list in broken {
      try rewrite(CollectionOfOne(list)) { reader, targets in
        try targets.filter {
          try reader.record($0) != nil && mayRefer(field: Int(list.field), list.owner, to: $0)
        }
      }
    }
  }

  /// Whether a target has the entity that the field of its owner leads to.
  func mayRefer(field: Int, _ owner: ObjectID, to target: ObjectID) -> Bool {
    guard case .relationship(_, _, let entity) = kind(of: UInt16(field), owner) else { return false }
    return ObjectNumber.entity(target) == entity
  }

  func isToMany(_ list: List) -> Bool {
    if case .relationship(isToMany: true, _, _) = kind(of: list.field, list.owner) { true } else { false }
  }

  /// Writes lists again.
  func rewrite(
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
}
