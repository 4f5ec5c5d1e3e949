internal import FastMapStoreKit

/// The layouts of all entities, as one transaction sees them.
///
/// The table `spare` has a copy of all but the counts. No damaged page takes both.
struct StoreLayout {
  /// The entities, indexed by number.
  var entities: [EntityLayout] = []
  /// The secondary indexes, ascending by number.
  var indexes: [IndexLayout] = []

  /// The format version of the store. Stores of other versions are refused.
  static let version: UInt16 = 3

  static let formatKey = Array("format".utf8)
  private static let layoutPrefix = Array("layout".utf8)
  private static let countPrefix = Array("count".utf8)
  private static let indexPrefix = Array("index".utf8)

  private static func key(_ prefix: [UInt8], _ number: UInt16) -> [UInt8] {
    prefix + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  /// Reads the layouts.
  ///
  /// - Parameter isWriting: Whether the store will be changed.
  /// - Throws: ``LMDBError`` if the store has another format, or features that this FastMap does not know, or is
  ///   damaged.
  init(_ view: TransactionView, _ tables: Tables, isWriting: Bool = false) throws {
    guard let format = try Self.read(Self.formatKey, view, tables) else {
      guard try view.statistics(tables.meta).entries == 0 else {
        throw view.environment.error(.damaged(place: "meta", detail: "the format version is missing"))
      }
      return  // nothing has been written yet
    }
    let header = try FormatHeader(format, path: view.environment.path)
    try header.check(isWriting: isWriting, path: view.environment.path)
    for number in 0..<header.entityCount {
      guard let layout = try Self.read(Self.key(Self.layoutPrefix, number), view, tables),
        let counts = try Self.read(Self.key(Self.countPrefix, number), view, tables),
        let entity = EntityLayout(number: number, layout: layout, counts: counts)
      else {
        throw view.environment.error(
          .damaged(place: "meta, entity \(number)", detail: "the layout is incomplete"))
      }
      entities.append(entity)
    }
    if header.hasIndexes { try readIndexes(view, tables) }
  }

  private mutating func readIndexes(_ view: TransactionView, _ tables: Tables) throws {
    let cursor = try view.unsafeCursor(tables.meta)
    var entry = try Self.indexPrefix.withUnsafeBytes { try cursor.seek(atLeast: $0) }
    while let found = entry, found.key.starts(with: Self.indexPrefix) {
      let value = try Checksum.open(.meta, found.key, found.value, in: view)
      guard let index = Self.index(found.key, value), index.isSound(in: self) else {
        throw Checksum.damaged(.meta, found.key, "not an index", view.environment)
      }
      indexes.append(index)
      entry = try cursor.next()
    }
  }

  /// Removes the declarations of all indexes, also unreadable ones.
  static func removeIndexes(_ view: TransactionView, _ tables: Tables) throws {
    for table in [tables.meta, tables.spare] {
      let cursor = try view.unsafeCursor(table)
      while let found = try indexPrefix.withUnsafeBytes({ try cursor.seek(atLeast: $0) }),
        found.key.starts(with: indexPrefix)
      {
        try cursor.delete()
      }
    }
  }

  private static func index(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> IndexLayout? {
    guard key.count == indexPrefix.count + 2, key.starts(with: indexPrefix) else { return nil }
    return IndexLayout(number: key.bigEndian(at: indexPrefix.count, as: UInt16.self), value)
  }

  /// Whether a key of the table `meta` is valid in a store with this many entities.
  static func isKnown(_ key: UnsafeRawBufferPointer, _ count: Int) -> Bool {
    if key.elementsEqual(formatKey) || isText(key) { return true }
    if key.count == indexPrefix.count + 2, key.starts(with: indexPrefix) { return true }
    return isOfEntity(key, below: count)
  }

  private static func isOfEntity(_ key: UnsafeRawBufferPointer, below count: Int) -> Bool {
    [layoutPrefix, countPrefix].contains { prefix in
      key.count == prefix.count + 2 && key.prefix(prefix.count).elementsEqual(prefix)
        && Int(key.bigEndian(at: prefix.count, as: UInt16.self)) < count
    }
  }

  /// An empty store.
  init() {}

  /// Whether an entry of `meta` with this key stands in `spare` too. Counts change with every commit, and can be counted again.
  static func isSpared(_ key: UnsafeRawBufferPointer) -> Bool {
    isKnown(key, 0x10000) && !key.starts(with: countPrefix)
  }

  /// The readable layouts and counts of a damaged store, by entity number, its recorded number of entities, and its
  /// indexes.
  static func salvage(
    _ view: TransactionView, _ tables: Tables
  ) throws -> (
    entities: [Int: (layout: EntityLayout?, counts: EntityLayout.Counts?)], count: Int?,
    indexes: [IndexLayout]
  ) {
    var indexes: [IndexLayout] = []
    var found: [Int: (layout: EntityLayout?, counts: EntityLayout.Counts?)] = [:]
    var count: Int?
    let noCounts = EntityLayout(number: 0, name: "").countBytes
    let noLayout = EntityLayout(number: 0, name: "").layoutBytes
    let cursor = try view.unsafeCursor(tables.meta)
    var entry = try cursor.first()
    while let next = entry {
      let bytes = try Checksum.open(.meta, next.key, next.value, in: view)
      if next.key.elementsEqual(formatKey) {
        let header = try FormatHeader(bytes, path: view.environment.path)
        try header.check(isWriting: true, path: view.environment.path)
        count = Int(header.entityCount)
      } else if let index = index(next.key, bytes) {
        indexes.append(index)
      } else if isOfEntity(next.key, below: 0x10000) {
        let number = next.key.bigEndian(at: next.key.count - 2, as: UInt16.self)
        if next.key.starts(with: layoutPrefix) {
          found[Int(number), default: (nil, nil)].layout = noCounts.withUnsafeBytes {
            EntityLayout(number: number, layout: bytes, counts: $0)
          }
        } else {
          found[Int(number), default: (nil, nil)].counts = noLayout.withUnsafeBytes {
            EntityLayout(number: number, layout: $0, counts: bytes)?.counts
          }
        }
      }
      entry = try cursor.next()
    }
    return (found, count, indexes)
  }

  private static func read(
    _ key: [UInt8], _ view: TransactionView, _ tables: Tables
  ) throws -> UnsafeRawBufferPointer? {
    try key.withUnsafeBytes { key in
      guard let value = try view.get(tables.meta, key) else { return nil }
      return try Checksum.open(.meta, key, value, in: view)
    }
  }

  /// Writes the differences from `old`.
  func write(_ writing: WriteView, _ tables: Tables, since old: StoreLayout) throws {
    if entities.count != old.entities.count || indexes.isEmpty != old.indexes.isEmpty
      || hasDecimals != old.hasDecimals
    {
      try putFormat(writing, tables)
    }
    for index in indexes where !old.indexes.contains(index) {
      try Self.put(Self.key(Self.indexPrefix, index.number), index.bytes, writing, tables)
    }
    for index in old.indexes where !indexes.contains(where: { $0.number == index.number }) {
      try Self.key(Self.indexPrefix, index.number).withUnsafeBytes { key in
        _ = try writing.delete(tables.meta, key)
        _ = try writing.delete(tables.spare, key)
      }
    }
    for (index, entity) in entities.enumerated() {
      let known = index < old.entities.count ? old.entities[index] : nil
      if known?.fields != entity.fields || known?.keyKind != entity.keyKind
        || known?.name.utf8.elementsEqual(entity.name.utf8) != true
      {
        try Self.put(Self.key(Self.layoutPrefix, entity.number), entity.layoutBytes, writing, tables)
      }
      if known?.counts != entity.counts {
        try Self.put(Self.key(Self.countPrefix, entity.number), entity.countBytes, writing, tables)
      }
    }
    try writing.view.environment.describe(self, isNew: !hasSchema(of: old))
  }

  // MARK: Texts

  private static func isText(_ key: UnsafeRawBufferPointer) -> Bool {
    KeptText.allCases.contains { key.elementsEqual($0.rawValue.utf8) }
  }

  /// A text that the store keeps; nil if there is none.
  static func text(_ name: KeptText, _ view: TransactionView, _ tables: Tables) throws -> [UInt8]? {
    try read(Array(name.rawValue.utf8), view, tables).map { Array($0) }
  }

  static func put(_ text: [UInt8], as name: KeptText, _ writing: WriteView, _ tables: Tables) throws {
    // No entity was written yet.
    if try read(formatKey, writing.view, tables) == nil { try StoreLayout().putFormat(writing, tables) }
    try put(Array(name.rawValue.utf8), text, writing, tables)
  }

  private var hasDecimals: Bool {
    entities.contains { $0.fields.contains { $0.kind == .attribute(.decimal) } }
  }

  private func putFormat(_ writing: WriteView, _ tables: Tables) throws {
    let header = FormatHeader(
      entityCount: UInt16(entities.count), hasIndexes: !indexes.isEmpty, hasDecimals: hasDecimals)
    try Self.put(Self.formatKey, header.bytes, writing, tables)
  }

  private static func put(
    _ key: [UInt8], _ bytes: [UInt8], _ writing: WriteView, _ tables: Tables
  ) throws {
    try key.withUnsafeBytes { key in
      try Checksum.sealed(.meta, key, bytes[...]).withUnsafeBytes { try writing.put(tables.meta, key, $0) }
      guard isSpared(key) else { return }
      try Checksum.sealed(.spare, key, bytes[...]).withUnsafeBytes { try writing.put(tables.spare, key, $0) }
    }
  }
}
