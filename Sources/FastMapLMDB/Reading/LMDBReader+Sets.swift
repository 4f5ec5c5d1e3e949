internal import CFastMap
public import FastMapStoreKit

// Objects are read in the order of their numbers, so that neighbours share a chunk of numbers.
extension LMDBReader {
  /// The objects by ascending number, or in the order of the last page. All fields of each are decoded at once, and nothing is copied.
  public mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    let bound = binding.entities[entity]
    guard bound.number != nil else { return }
    var buffer = RowBuffer()
    try forEachRecord(of: ids, nil, entity) { reader, index, record in
      try reader.fill(&buffer, from: record, of: ids[index], bound)
      try body(index, buffer.row)
    }
  }

  public mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    var result = fields.map { _ in [[ObjectID]](repeating: [], count: owners.count) }
    let bound = binding.entities[entity]
    guard bound.number != nil else { return result }
    var ones: [(place: Int, field: Int)] = []
    var lists: [(place: Int, field: Int)] = []
    for (place, field) in fields.enumerated() where bound.fields[field] >= 0 {
      if case .toOne = binding.schema.entities[entity].fields[field].kind {
        ones.append((place, bound.fields[field]))
      } else {
        lists.append((place, bound.fields[field]))
      }
    }
    let order = NumberOrder(owners)
    if !ones.isEmpty {
      try forEachRecord(of: owners, order, entity) { _, index, record in
        for one in ones {
          if let target = record.slot(one.field)?.object { result[one.place][index] = [target] }
        }
      }
    }
    if !lists.isEmpty {
      lists.sort { $0.field < $1.field }
      var sweep = ListSweep(try view.unsafeCursor(tables.links))
      for step in 0..<owners.count {
        let index = order[step]
        guard isNumber(owners[index], of: entity) else { continue }
        for list in lists {
          result[list.place][index] = try sweep.targets(of: owners[index], UInt16(list.field), in: self)
        }
      }
    }
    return result
  }

  public mutating func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID] {
    let number = binding.entities[entity].fields[field]
    guard number >= 0, isNumber(owner, of: entity) else { return [] }
    if case .toOne = binding.schema.entities[entity].fields[field].kind {
      return try record(owner, of: entity)?.slot(number)?.object.map { [$0] } ?? []
    }
    var sweep = ListSweep(try view.unsafeCursor(tables.links))
    return try sweep.targets(of: owner, UInt16(number), in: self)
  }

  /// Calls `body` with the verified records of objects of an entity.
  ///
  /// - Parameter order: Nil if it is not known yet. Records that are remembered need none.
  @inline(__always)
  private mutating func forEachRecord(
    of ids: [ObjectID], _ order: NumberOrder?, _ entity: Int,
    _ body: (borrowing LMDBReader, _ index: Int, RecordView) throws -> Void
  ) throws {
    if ids.count > 1, let records = remembered(ids) {
      for (index, record) in records.enumerated() where isNumber(record.id, of: entity) {
        try body(self, index, record)
      }
      return
    }
    let order = order ?? NumberOrder(ids)
    guard isWriting else {
      for step in 0..<ids.count {
        let index = order[step]
        if let record = try record(ids[index], of: entity) { try body(self, index, record) }
      }
      return
    }
    var finder = KeyFinder(view, tables)
    for step in 0..<ids.count {
      let index = order[step]
      guard isNumber(ids[index], of: entity), try finder.find(ids[index]) else { continue }
      let key = finder.key.bytes
      try body(self, index, try record(ids[index], at: key, try view.entry(tables.records, key)))
    }
  }
}

/// The places of objects by ascending number.
struct NumberOrder {
  /// Nil if the objects ascend themselves.
  private let places: [Int]?

  init(_ ids: [ObjectID]) {
    let isAscending = zip(ids, ids.dropFirst()).allSatisfy { $0 <= $1 }
    places = isAscending ? nil : ids.indices.sorted { ids[$0] < ids[$1] }
  }

  subscript(step: Int) -> Int { places?[step] ?? step }
}

/// A cursor that reads lists by ascending owner and field. Neighbouring lists need no search.
private struct ListSweep: ~Copyable {
  private let cursor: Cursor
  /// The first entry after the last list.
  private var next: Cursor.Entry?
  /// The last owner and field, which are also in an entry's key.
  private var last: (owner: UInt64, field: UInt16)?

  init(_ cursor: consuming Cursor) { self.cursor = cursor }

  mutating func targets(of owner: ObjectID, _ field: UInt16, in reader: LMDBReader) throws -> [ObjectID] {
    let wanted = (owner: owner.rawValue, field: field)
    var entry = next
    let isAhead = last.map { $0 < wanted } ?? false
    last = wanted
    if !isAhead || entry.map({ Self.place(of: $0) < wanted }) ?? false {
      entry = try KeyBytes.withLink(owner: wanted.owner, field: wanted.field) { try cursor.seek(atLeast: $0) }
    }
    var targets: [ObjectID] = []
    while let found = entry, Self.place(of: found) == wanted {
      let bytes = try reader.segment(found.key, found.value).bytes
      // For each segment, this would copy the list each time.
      if targets.isEmpty { targets.reserveCapacity(bytes.count / 8) }
      for index in 0..<bytes.count / 8 { targets.append(bytes.id(inValueAt: index * 8)) }
      entry = try cursor.next()
    }
    next = entry
    return targets
  }

  @inline(__always)
  private static func place(of entry: Cursor.Entry) -> (owner: UInt64, field: UInt16) {
    guard entry.key.count >= 10 else { return (0, 0) }
    return (entry.key.bigEndian(at: 0, as: UInt64.self), entry.key.bigEndian(at: 8, as: UInt16.self))
  }
}
