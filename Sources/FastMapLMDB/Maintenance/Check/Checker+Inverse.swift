internal import FastMapMaintenance

/// The blocks of the table `inverse`.
extension Checker {
  /// Whether a reference is stored. The block of the reference may be damaged, which is reported once.
  func hasInverse(_ target: ObjectID, _ field: Int, _ owner: ObjectID) throws -> Bool {
    do {
      return try inverse.contains(InverseEntry(target: target, field: UInt16(field), owner: owner))
    } catch let error as LMDBError {
      guard case .damaged = error.reason else { throw error }
      return true
    }
  }

  mutating func checkInverse() throws {
    var count = 0
    var last: InverseEntry?
    try forEach(.inverse, reader.tables.inverse) { checker, key, bytes in
      let place = Place.describe(.inverse, key)
      guard let block = InverseBlock(key, bytes) else {
        return checker.report.add(place, "not a block of references that begins with its key")
      }
      if block.count > InverseBlock.limit {
        checker.report.add(place, "has \(block.count) entries, a block has at most \(InverseBlock.limit)")
      }
      if let index = block.disorder {
        checker.report.add(place, "entry \(index + 1) is not greater than the one before it")
      }
      if let last, last >= block.first { checker.report.add(place, "the block before it overlaps it") }
      last = max(last ?? block.last, block.last)
      count += block.count
    }
    // Every pair has its inverse. If there are as many entries as pairs, there are no others.
    if count != pairCount { try reportStrayInverses() }
  }

  private mutating func reportStrayInverses() throws {
    struct List: Hashable {
      let owner: ObjectID
      let field: UInt16
    }
    var lists: [List: Set<ObjectID>] = [:]
    let (reader, tables) = (reader, reader.tables)
    let cursor = try reader.view.unsafeCursor(tables.inverse)
    let links = try reader.view.unsafeCursor(tables.links)
    var found = try cursor.first()
    while let stored = found {
      // Damaged blocks were reported.
      if let rest = try? Checksum.open(.inverse, stored.key, stored.value, in: reader.view),
        let block = InverseBlock(stored.key, rest)
      {
        for index in 0..<block.count {
          let entry = block[index]
          let list = List(owner: entry.owner, field: entry.field)
          if lists[list] == nil {
            lists[list] = Set(try reader.links(of: entry.owner, field: entry.field, links))
          }
          if lists[list]?.contains(entry.target) != true, try !refers(entry) {
            report.add("inverse, \(Place.describe(entry))", "has no relationship")
          }
        }
      }
      found = try cursor.next()
    }
  }

  /// Whether the owner's record has the target. A record that cannot be read is reported by itself.
  private func refers(_ entry: InverseEntry) throws -> Bool {
    do {
      return try reader.record(entry.owner)?.slot(Int(entry.field))?.object == entry.target
    } catch let error as LMDBError {
      guard case .damaged = error.reason else { throw error }
      return true
    }
  }
}
