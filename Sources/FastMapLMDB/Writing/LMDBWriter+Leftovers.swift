public import FastMapStoreKit

/// The objects that imports in several transactions have unlinked and not deleted yet.
///
///     meta   "left" import 8 commit 8   →   (flags 1 | object 8)…
///
/// Each transaction except the last adds its unlinked objects. The last one removes all of them. If the import's
/// process ends before, the next import or deletion of any process removes them.
extension LMDBWriter {
  public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    guard !leftovers.isEmpty else { return keeper }
    let mark: ImportMark
    if let known = keeper as? ImportMark {
      mark = known
    } else {
      let last = try LeftoverEntry.all(reader.view, tables).map(\.importNumber).max() ?? 0
      mark = ImportMark(from: last + 1, of: environment)
    }
    let entry = LeftoverEntry(
      importNumber: mark.number, commit: UInt64(reader.view.id), objects: leftovers)
    try entry.put(writing, tables)
    return mark
  }

  public mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    try environment.whole { try claimAllLeftovers(of: keeper) }
  }

  private mutating func claimAllLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    let own = (keeper as? ImportMark)?.number
    var isHeld: [UInt64: Bool] = [:]
    var taken: [Leftover] = []
    for var entry in try LeftoverEntry.all(reader.view, tables) {
      let number = entry.importNumber
      if number == own {  // the import knows its own
        try entry.delete(writing, tables)
        continue
      }
      let lives = isHeld[number] ?? ImportMark.isHeld(number, in: environment)
      isHeld[number] = lives
      if lives { continue }
      var rest: [Leftover] = []
      for object in entry.objects {
        guard let entity = reader.binding.entity(ofNumber: ObjectNumber.entity(object.id)),
          !object.isOwned || knowsRelationships(of: entity)
        else {
          rest.append(object)  // for a write that can delete it completely
          continue
        }
        taken.append(object.of(entity: entity))
      }
      guard rest.count < entry.objects.count else { continue }
      entry.objects = rest
      if rest.isEmpty { try entry.delete(writing, tables) } else { try entry.put(writing, tables) }
    }
    return taken
  }

  private func knowsRelationships(of entity: Int) -> Bool {
    let bound = reader.binding.entities[entity]
    guard let number = bound.number else { return false }
    return reader.layout.entities[Int(number)].fields.enumerated().allSatisfy { index, field in
      if case .relationship = field.kind {
        bound.schemaFields.indices.contains(index) && bound.schemaFields[index] >= 0
      } else {
        true
      }
    }
  }
}

/// The objects that one transaction of an import has unlinked.
struct LeftoverEntry {
  var importNumber: UInt64
  var commit: UInt64
  /// Of no entity: the store's number of an object has it.
  var objects: [Leftover]

  private static let prefix = Array("left".utf8)
  private static let (owned, shared): (UInt8, UInt8) = (1, 2)

  /// Whether a key of `meta` belongs to such an entry.
  static func isKey(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count == prefix.count + 16 && key.starts(with: prefix)
  }

  private var key: [UInt8] {
    Self.prefix + withUnsafeBytes(of: (importNumber.bigEndian, commit.bigEndian)) { Array($0) }
  }

  /// All entries, in the order of the imports and their commits.
  static func all(_ view: TransactionView, _ tables: Tables) throws -> [LeftoverEntry] {
    var entries: [LeftoverEntry] = []
    let cursor = try view.unsafeCursor(tables.meta)
    var found = try prefix.withUnsafeBytes { try cursor.seek(atLeast: $0) }
    while let next = found, next.key.starts(with: prefix) {
      if next.key.count == prefix.count + 16 {
        var bytes = ByteReader(try Checksum.open(.meta, next.key, next.value, in: view))
        var objects: [Leftover] = []
        while let flags = bytes.integer(UInt8.self), let id = bytes.integer(UInt64.self) {
          objects.append(
            Leftover(
              id: ObjectID(rawValue: id), entity: 0, isOwned: flags & owned != 0,
              deletesShared: flags & shared != 0))
        }
        entries.append(
          LeftoverEntry(
            importNumber: next.key.bigEndian(at: prefix.count, as: UInt64.self),
            commit: next.key.bigEndian(at: prefix.count + 8, as: UInt64.self), objects: objects))
      }
      found = try cursor.next()
    }
    return entries
  }

  func put(_ writing: WriteView, _ tables: Tables) throws {
    var rest = ByteWriter()
    for object in objects {
      rest.append((object.isOwned ? Self.owned : 0) | (object.deletesShared ? Self.shared : 0))
      rest.append(object.id.rawValue)
    }
    try key.withUnsafeBytes { key in
      try Checksum.sealed(.meta, key, rest.bytes[...])
        .withUnsafeBytes { try writing.put(tables.meta, key, $0) }
    }
  }

  func delete(_ writing: WriteView, _ tables: Tables) throws {
    _ = try key.withUnsafeBytes { try writing.delete(tables.meta, $0) }
  }
}
