internal import FastMapMaintenance

/// Checks a store with one pass over each table.
struct Checker: ~Copyable {
  let reader: LMDBReader
  let inverse: InverseCursor
  var finder: KeyFinder
  var report = CheckReport()
  var objects: [UInt64]
  var keyed: [UInt64]
  /// The number of pairs of a relationship and a target.
  var pairCount = 0

  init(reader: LMDBReader) throws {
    self.reader = reader
    inverse = try InverseCursor(reader.view, reader.tables)
    finder = KeyFinder(reader.view, reader.tables)
    objects = reader.layout.entities.map { _ in 0 }
    keyed = objects
  }

  mutating func run() throws {
    try checkMeta()
    try checkRecords()
    try checkNumbers()
    try checkLinks()
    try checkInverse()
    try checkIndexes()
    checkCounts()
  }

  var environment: Environment { reader.environment }

  /// Calls `body` with every entry of a table whose checksum matches, and reports the others.
  mutating func forEach(
    _ table: Table, _ database: Database,
    _ body: (inout Checker, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let cursor = try reader.view.unsafeCursor(database)
    var count = 0
    var previous: [UInt8] = []
    var entry = try cursor.first()
    while let found = entry {
      let isInOrder = count == 0 || previous.withUnsafeBytes { $0.precedes(found.key) }
      if !isInOrder {
        report.add(Place.describe(table, found.key), "the key is out of order")
      }
      previous = Array(found.key)
      count += 1
      do {
        let rest = try Checksum.open(table, found.key, found.value, in: reader.view)
        try body(&self, found.key, rest)
      } catch let error as LMDBError {
        guard case .damaged(let place, let detail) = error.reason else { throw error }
        report.add(place, detail)
      }
      entry = try cursor.next()
    }
    let entries = try reader.view.statistics(database).entries
    if entries != count { report.add(table.name, "has \(count) entries, the header records \(entries)") }
  }

  func layout(_ id: ObjectID) -> EntityLayout? {
    let number = Int(ObjectNumber.entity(id))
    return number < reader.layout.entities.count ? reader.layout.entities[number] : nil
  }

  /// Whether an object exists, intact or not.
  mutating func exists(_ id: ObjectID) throws -> Bool { try finder.exists(id) }

  // MARK: The table `meta`

  /// The layouts themselves were read before.
  mutating func checkMeta() throws {
    try forEach(.meta, reader.tables.meta) { checker, key, _ in
      // A key of another form belongs to a later version of FastMap.
      guard StoreLayout.isKnown(key, 0x10000),
        !StoreLayout.isKnown(key, checker.reader.layout.entities.count)
      else { return }
      checker.report.add(Place.describe(.meta, key), "the store records fewer entities")
    }
    try checkSpare()
    try countLeftovers()
    for layout in reader.layout.entities {
      for field in layout.fields {
        guard case .relationship(_, _, let entity) = field.kind, Int(entity) >= reader.layout.entities.count
        else { continue }
        report.add(
          "meta, entity \(escaped(layout.name))", "\(quoted(field.name)) refers to an unknown entity")
      }
    }
  }

  /// `spare` has the entries of `meta` that do not change with every commit.
  private mutating func checkSpare() throws {
    var count = 0
    try forEach(.spare, reader.tables.spare) { checker, key, copy in
      guard StoreLayout.isSpared(key) else { return }
      count += 1
      let value = try checker.reader.view.get(checker.reader.tables.meta, key)
      if let value, value.dropFirst(Checksum.size).elementsEqual(copy) { return }
      checker.report.add(Place.describe(.spare, key), "meta has another value")
    }
    var expected = 0
    try forEach(.meta, reader.tables.meta) { _, key, _ in if StoreLayout.isSpared(key) { expected += 1 } }
    if count != expected { report.add("spare", "has \(count) entries, meta has \(expected)") }
  }

  /// Imports in progress are not counted.
  private mutating func countLeftovers() throws {
    var left: Set<ObjectID> = []
    do {
      for entry in try LeftoverEntry.all(reader.view, reader.tables)
      where !ImportMark.isHeld(entry.importNumber, in: environment) {
        for object in entry.objects where try exists(object.id) { left.insert(object.id) }
      }
    } catch let error as LMDBError {
      guard case .damaged = error.reason else { throw error }  // reported already
    }
    report.leftoverCount = left.count
  }

  mutating func checkCounts() {
    for layout in reader.layout.entities {
      let number = Int(layout.number)
      let place = "meta, entity \(escaped(layout.name))"
      if layout.counts.objects != objects[number] {
        report.add(place, "has \(objects[number]) objects, the recorded count is \(layout.counts.objects)")
      }
      if layout.counts.keyed != keyed[number] {
        report.add(
          place, "has \(keyed[number]) objects with a key, the recorded count is \(layout.counts.keyed)")
      }
    }
  }
}
