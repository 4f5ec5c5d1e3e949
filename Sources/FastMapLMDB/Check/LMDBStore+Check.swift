internal import CFastMap
internal import FastMapCore

extension LMDBStore {
  /// Reads every record of one snapshot and verifies every invariant: checksums, the order and form of keys,
  /// that keys and objects agree, that relationships and their inverse agree, that nothing refers to what is
  /// not there, and all counts. Before that it looks at the pages themselves, so that LMDB meets none that is
  /// damaged.
  ///
  /// Changes nothing; others may read and write meanwhile.
  ///
  /// - Returns: What was found. A store that is damaged is a report, not an error.
  /// - Throws: ``LMDBError`` where the store cannot be read at all.
  /// - Complexity: O(*n* log *n*) in the records.
  public func check() throws -> CheckReport {
    try environment.read { transaction in
      var report = CheckReport()
      do {
        try environment.scanPages(transaction)
        var checker = Checker(
          reader: LMDBReader(
            view: transaction.view, tables: tables,
            binding: Binding(schema: Schema(entities: []), entities: []),
            layout: try StoreLayout(transaction.view, tables), lists: lists))
        try checker.run()
        report = checker.report
      } catch let error as LMDBError {
        guard case .damaged(let place, let detail) = error.reason else { throw error }
        report.add(place, detail)
      }
      return report
    }
  }
}

/// One pass over each table.
struct Checker {
  let reader: LMDBReader
  var report = CheckReport()
  private var objects: [UInt64]
  private var keyed: [UInt64]
  /// Pairs of an owner's relationship and a target.
  private var pairCount = 0

  init(reader: LMDBReader) {
    self.reader = reader
    objects = reader.layout.entities.map { _ in 0 }
    keyed = objects
  }

  mutating func run() throws {
    report.entityCount = reader.layout.entities.count
    try checkRecords()
    try checkIndex()
    try checkLinks()
    try checkInverse()
    checkCounts()
  }

  private var environment: Environment { reader.environment }

  /// Calls `body` with every entry of a table whose checksum matches, and reports the others.
  private mutating func forEach(
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
        report.add(Place.describe(table, found.key), "the key is not behind the one before it")
      }
      previous = Array(found.key)
      count += 1
      do {
        let rest = try Checksum.open(table, found.key, found.value, in: environment)
        try body(&self, found.key, rest)
      } catch let error as LMDBError {
        guard case .damaged(let place, let detail) = error.reason else { throw error }
        report.add(place, detail)
      }
      entry = try cursor.next()
    }
    let entries = try reader.view.statistics(database).entries
    if entries != count { report.add(table.name, "has \(count) entries, its header says \(entries)") }
  }

  private func layout(_ id: ObjectID) -> EntityLayout? {
    let number = Int(ObjectNumber.entity(id))
    return number < reader.layout.entities.count ? reader.layout.entities[number] : nil
  }

  /// Whether an object is there, whatever it looks like.
  private func exists(_ id: ObjectID) throws -> Bool {
    var key = id.bigEndian
    return try withUnsafeBytes(of: &key) { try reader.view.get(reader.tables.records, $0) } != nil
  }

  private func hasInverse(_ target: ObjectID, _ field: Int, _ owner: ObjectID) throws -> Bool {
    var key = KeyBytes()
    key.setInverse(target: target, field: UInt16(field), owner: owner)
    return try reader.view.get(reader.tables.inverse, key.bytes) != nil
  }

  // MARK: Records

  private mutating func checkRecords() throws {
    try forEach(.records, reader.tables.records) { checker, key, bytes in
      let place = Place.describe(.records, key)
      guard key.count == 8, let record = RecordView(bytes) else {
        return checker.report.add(place, "not a record")
      }
      let id = key.bigEndian(at: 0, as: UInt64.self)
      guard let layout = checker.layout(id) else { return checker.report.add(place, "of no known entity") }
      checker.report.objectCount += 1
      checker.objects[Int(layout.number)] += 1
      if ObjectNumber.serial(id) >= layout.counts.nextSerial {
        checker.report.add(place, "its number has not been given out yet")
      }
      guard record.fieldCount <= layout.fields.count else {
        return checker.report.add(
          place, "has \(record.fieldCount) fields, its entity has \(layout.fields.count)")
      }
      try checker.checkFields(record, id, layout, place)
      try checker.checkKey(record, id, layout, place)
    }
  }

  private mutating func checkFields(
    _ record: RecordView, _ id: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    var targets: [(field: Int, target: ObjectID)] = []
    var misfits: [Int] = []
    let isWhole = record.forEach { field, tag, value in
      let slot = RecordFormat.slot(tag, value)
      if !Self.fits(slot, layout.fields[field].kind) { misfits.append(field) }
      if slot.tag == FASTMAP_TARGET { targets.append((field, slot.target)) }
      return true
    }
    if !isWhole { report.add(place, "a field is not whole") }
    for field in misfits {
      report.add(place, "\(quoted(layout.fields[field].name)) holds a value of another type")
    }
    for (field, target) in targets {
      report.linkCount += 1
      pairCount += 1
      try checkTarget(target, field, id, layout, place)
    }
  }

  private static func fits(_ slot: fastmap_slot, _ kind: EntityLayout.Kind) -> Bool {
    switch (kind, Int(slot.tag)) {
    case (.attribute(.boolean), FASTMAP_BOOLEAN), (.attribute(.integer), FASTMAP_INTEGER),
      (.attribute(.integer), FASTMAP_UNSIGNED), (.attribute(.number), FASTMAP_NUMBER),
      (.attribute(.string), FASTMAP_STRING), (.attribute(.date), FASTMAP_DATE),
      (.attribute(.data), FASTMAP_DATA), (.attribute(.json), FASTMAP_JSON),
      (.relationship(isToMany: false, isOwned: _, entity: _), FASTMAP_TARGET):
      true
    default: false
    }
  }

  private mutating func checkTarget(
    _ target: ObjectID, _ field: Int, _ owner: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    let name = quoted(layout.fields[field].name)
    if case .relationship(_, _, let entity) = layout.fields[field].kind, ObjectNumber.entity(target) != entity
    {
      report.add(place, "\(name) refers to an object of another entity")
    }
    if try !exists(target) {
      report.add(place, "\(name) refers to object \(ObjectNumber.serial(target)), which is not there")
    }
    if try !hasInverse(target, field, owner) {
      report.add(place, "\(name) has no inverse for object \(ObjectNumber.serial(target))")
    }
  }

  private mutating func checkKey(
    _ record: RecordView, _ id: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    guard let field = record.keyField else { return }
    keyed[Int(layout.number)] += 1
    guard let slot = record.slot(Int(field)), PrimaryKey(slot: slot) != nil, KeyLimit.reason(slot) == nil
    else {
      return report.add(place, "its primary key is missing")
    }
    var key = KeyBytes()
    key.setIndex(entity: layout.number, key: slot)
    guard let value = try reader.view.get(reader.tables.index, key.bytes) else {
      return report.add(place, "its primary key is not in the index")
    }
    if try reader.id(key.bytes, value) != id {
      report.add(place, "its primary key stands for another object")
    }
  }

  // MARK: Index

  private mutating func checkIndex() throws {
    try forEach(.index, reader.tables.index) { checker, key, bytes in
      let place = Place.describe(.index, key)
      guard bytes.count == 8, PrimaryKey(indexKey: key) != nil else {
        return checker.report.add(place, "not an entry of the index")
      }
      checker.report.keyCount += 1
      let id = bytes.littleEndian(at: 0, as: UInt64.self)
      if key.bigEndian(at: 0, as: UInt16.self) != ObjectNumber.entity(id) {
        checker.report.add(place, "stands for an object of another entity")
      }
      guard let record = try checker.reader.record(id) else {
        return checker.report.add(place, "stands for object \(ObjectNumber.serial(id)), which is not there")
      }
      guard let field = record.keyField, let slot = record.slot(Int(field)),
        PrimaryKey(slot: slot) == PrimaryKey(indexKey: key)
      else { return checker.report.add(place, "stands for an object with another key") }
    }
  }

  // MARK: Relationships

  private mutating func checkLinks() throws {
    var last: (owner: ObjectID, field: UInt16, count: Int)?
    var met: Set<ObjectID> = []
    try forEach(.links, reader.tables.links) { checker, key, bytes in
      let place = Place.describe(.links, key)
      guard key.count == 18, bytes.count % 8 == 0, bytes.count > 0 else {
        return checker.report.add(place, "not a list of objects")
      }
      let owner = key.bigEndian(at: 0, as: UInt64.self)
      let field = key.bigEndian(at: 8, as: UInt16.self)
      guard let layout = checker.layout(owner), Int(field) < layout.fields.count,
        case .relationship(isToMany: true, _, _) = layout.fields[Int(field)].kind
      else { return checker.report.add(place, "of no known relationship") }
      if try !checker.exists(owner) { checker.report.add(place, "its owner is not there") }
      let count = bytes.count / 8
      if let last, last.owner == owner, last.field == field {
        if last.count < checker.reader.lists.least {
          checker.report.add(place, "the segment before it has only \(last.count) targets")
        }
      } else {
        met = []
      }
      last = (owner, field, count)
      if count > checker.reader.lists.perSegment {
        checker.report.add(place, "a segment has \(count) targets")
      }
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let target = bytes.littleEndian(at: offset, as: UInt64.self)
        checker.report.linkCount += 1
        guard met.insert(target).inserted else { continue }
        checker.pairCount += 1
        try checker.checkTarget(target, Int(field), owner, layout, place)
      }
    }
  }

  private mutating func checkInverse() throws {
    var count = 0
    try forEach(.inverse, reader.tables.inverse) { checker, key, bytes in
      guard key.count == 18, bytes.isEmpty else {
        return checker.report.add(Place.describe(.inverse, key), "not an inverse")
      }
      count += 1
    }
    // Every pair has its inverse; as many inverses as pairs means that there are no others.
    if count != pairCount { try reportStrayInverses() }
  }

  private mutating func reportStrayInverses() throws {
    struct List: Hashable {
      let owner: ObjectID
      let field: UInt16
    }
    var lists: [List: Set<ObjectID>] = [:]
    try forEach(.inverse, reader.tables.inverse) { checker, key, bytes in
      guard key.count == 18 else { return }
      let target = key.bigEndian(at: 0, as: UInt64.self)
      let field = key.bigEndian(at: 8, as: UInt16.self)
      let owner = key.bigEndian(at: 10, as: UInt64.self)
      let list = List(owner: owner, field: field)
      if lists[list] == nil {
        let cursor = try checker.reader.view.unsafeCursor(checker.reader.tables.links)
        lists[list] = Set(try checker.reader.links(of: owner, field: field, cursor))
      }
      let slot = try checker.reader.record(owner)?.slot(Int(field))
      if lists[list]?.contains(target) != true, slot?.tag != UInt8(FASTMAP_TARGET) || slot?.target != target {
        checker.report.add(Place.describe(.inverse, key), "has no relationship")
      }
    }
  }

  private mutating func checkCounts() {
    for layout in reader.layout.entities {
      let number = Int(layout.number)
      let place = "meta, entity \(layout.name)"
      if layout.counts.objects != objects[number] {
        report.add(place, "has \(objects[number]) objects, the count says \(layout.counts.objects)")
      }
      if layout.counts.keyed != keyed[number] {
        report.add(place, "has \(keyed[number]) objects with a key, the count says \(layout.counts.keyed)")
      }
    }
    let keyCount = report.keyCount
    let keyedCount = keyed.reduce(0, +)
    if keyedCount != UInt64(keyCount) {
      report.add("index", "has \(keyCount) keys for \(keyedCount) objects with a key")
    }
  }
}
