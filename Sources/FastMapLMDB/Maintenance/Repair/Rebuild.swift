internal import CFastMap
internal import FastMapMaintenance

/// Restores the invariants of a store that was filled with the entries found in another one.
///
/// Each step reads a table completely, collects the changes, and then applies them. There are few changes: only the
/// damage requires any.
struct Rebuild {
  /// The entries to change, references to add, and numbers to set or, without a key, to remove.
  var changes: [Change] = []
  var missing: [InverseEntry] = []
  var numbers: [(id: ObjectID, key: [UInt8]?)] = []
  private(set) var report: RepairReport
  let store: LMDBStore
  var layout = StoreLayout()
  /// They are built again from the records.
  private var indexes: [IndexLayout] = []
  private var stored: [EntityLayout.Counts?] = []
  /// The number of lost objects of each entity that `numbers` still names.
  var namedLost: [Int: Int] = [:]
  /// The schema beside the old data.
  private let schema: StoreLayout?

  init(_ store: LMDBStore, _ report: RepairReport, _ schema: StoreLayout?) {
    self.store = store
    self.schema = schema
    self.report = report
  }

  var tables: Tables { store.tables }

  mutating func run() throws {
    try readLayouts()
    try removeOddRecords()
    try mendNumbers()
    try mendReferences()
    try mendLists()
    try mendInverse()
    layout.indexes = indexes.filter { $0.isSound(in: layout) }
    for index in indexes where !index.isSound(in: layout) {
      add("meta, index \(index.number)", "dropped, as the entity or a field of the index is lost")
    }
    try writeLayouts()
    let check = try store.check()
    for problem in check.problems { report.add(problem.place, problem.detail) }
  }

  /// Records a problem.
  mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    report.add(place(), detail())
  }

  // MARK: Reading and changing

  /// The look-ups of a pass over one table in the others.
  struct Pass: ~Copyable {
    let reader: LMDBReader
    let inverse: InverseCursor
    /// It searches once for neighbours.
    var finder: KeyFinder

    func exists(_ id: ObjectID) throws -> Bool { try reader.record(id) != nil }
  }

  func reader(_ transaction: borrowing ReadTransaction) -> LMDBReader {
    LMDBReader(view: transaction.view, tables: tables, layout: layout, lists: store.lists)
  }

  /// Calls `body` with every entry of a table, without its checksum, and then makes the changes that `body` has collected.
  mutating func forEach(
    _ table: Table,
    _ body: (
      inout Rebuild, inout Pass, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws -> Void
  ) throws {
    try store.environment.read { transaction in
      let view = transaction.view
      var pass = Pass(
        reader: reader(transaction), inverse: try InverseCursor(view, tables),
        finder: KeyFinder(view, tables))
      let cursor = try view.unsafeCursor(store.environment.databases[table.rawValue])
      var entry = try cursor.first()
      while let found = entry {
        try body(&self, &pass, found.key, try Checksum.open(table, found.key, found.value, in: view))
        entry = try cursor.next()
      }
    }
    try make(changes)
    try makeInverse(missing) { $0.add($1) }
    try writeNumbers()
    (changes, missing, numbers) = ([], [], [])
  }

  struct Change {
    let table: Table
    let key: [UInt8]
    /// Without its checksum; nil to remove the entry.
    let value: [UInt8]?

    init(_ table: Table, _ key: UnsafeRawBufferPointer, _ value: [UInt8]?) {
      (self.table, self.key, self.value) = (table, Array(key), value)
    }
  }

  /// Changes entries. Each transaction has as many changes as LMDB can hold pages for.
  func make(_ changes: [Change]) throws {
    for start in stride(from: 0, to: changes.count, by: 20_000) {
      try store.environment.write { transaction in
        for change in changes[start..<min(start + 20_000, changes.count)] {
          let database = store.environment.databases[change.table.rawValue]
          try change.key.withUnsafeBytes { key in
            guard let value = change.value else {
              _ = try transaction.delete(database, key)
              return
            }
            try Checksum.sealed(change.table, key, value[...])
              .withUnsafeBytes { try transaction.put(database, key, $0) }
          }
        }
      }
    }
  }

  func kind(of field: UInt16, _ owner: ObjectID) -> EntityLayout.Kind? {
    let number = Int(ObjectNumber.entity(owner))
    guard number < layout.entities.count, Int(field) < layout.entities[number].fields.count else {
      return nil
    }
    return layout.entities[number].fields[Int(field)].kind
  }

  // MARK: Layouts

  private mutating func readLayouts() throws {
    let (found, count, indexes) = try store.environment.read { transaction in
      try StoreLayout.salvage(transaction.view, tables)
    }
    self.indexes = indexes
    if count == nil, !found.isEmpty { add("meta", "the number of entities was lost, and is counted again") }
    // A store without damage does not need it.
    let schema = report.isComplete ? nil : schema
    let known = count ?? schema?.entities.count ?? 0
    let number = max(known, (found.keys.max() ?? -1) + 1)
    let names = Set(found.values.compactMap { $0.layout.map { Array($0.name.utf8) } })
    for index in 0..<number {
      let parts = found[index]
      let described = described(index, parts?.layout, in: schema, besides: names)
      if described != nil {
        add("meta, entity \(index)", "its layout is lost; using the layout in \(SchemaFile.name)")
      } else if parts?.layout == nil {
        add("meta, entity \(index)", "its layout is lost, so its objects cannot be read")
      } else if parts?.counts == nil {
        add("meta, entity \(index)", "its counts were lost, and are counted again")
      }
      var entity =
        described ?? parts?.layout ?? EntityLayout(number: UInt16(index), name: "lost entity \(index)")
      stored.append(parts?.counts)
      entity.counts = EntityLayout.Counts()
      entity.counts.nextSerial = parts?.counts?.nextSerial ?? 1
      layout.entities.append(entity)
    }
    for index in schema?.indexes ?? [] where !indexes.contains(where: { $0.number == index.number }) {
      self.indexes.append(index)
    }
    self.indexes.sort { $0.number < $1.number }
    // So that the store can be read meanwhile.
    try store.environment.write { try StoreLayout.removeIndexes($0.view, store.tables) }
    try writeLayouts()
  }

  /// The layout that the schema beside the data has for an entity whose layout is lost, or is an older one with fewer fields.
  ///
  /// - Parameter names: The names of the layouts that were found. No entity gets one of them twice.
  private func described(
    _ number: Int, _ found: EntityLayout?, in schema: StoreLayout?, besides names: Set<[UInt8]>
  ) -> EntityLayout? {
    guard let schema, number < schema.entities.count else { return nil }
    let entity = schema.entities[number]
    guard let found else { return names.contains(Array(entity.name.utf8)) ? nil : entity }
    let isNewer =
      entity.fields.count > found.fields.count && entity.name.utf8.elementsEqual(found.name.utf8)
      && zip(entity.fields, found.fields).allSatisfy { $0.kind == $1.kind }
    return isNewer ? entity : nil
  }

  /// Objects that interrupted imports have left to delete. Lost ones must keep their numbers reserved.
  private func leftovers() throws -> [ObjectID] {
    let tables = store.tables
    return try store.environment.read { transaction in
      try LeftoverEntry.all(transaction.view, tables).flatMap { $0.objects.map(\.id) }
    }
  }

  /// Counts the objects, and writes all layouts.
  private mutating func writeLayouts() throws {
    for index in layout.entities.indices {
      layout.entities[index].counts.objects = 0
      layout.entities[index].counts.keyed = 0
    }
    var entities = layout.entities
    try forEach(.records) { _, _, key, value in
      guard let record = RecordView(key, value) else { return }
      let id = record.id
      let number = Int(ObjectNumber.entity(id))
      guard number < entities.count else { return }
      entities[number].counts.objects += 1
      if !record.key.isKeyless { entities[number].counts.keyed += 1 }
      entities[number].counts.nextSerial = max(
        entities[number].counts.nextSerial, ObjectNumber.serial(id) + 1)
    }
    for id in try leftovers() where Int(ObjectNumber.entity(id)) < entities.count {
      let number = Int(ObjectNumber.entity(id))
      entities[number].counts.nextSerial = max(
        entities[number].counts.nextSerial, ObjectNumber.serial(id) + 1)
    }
    layout.entities = entities
    let (whole, tables) = (layout, tables)
    let shared = try store.environment.write { transaction in
      var layout = whole
      let indexes = IndexWriter([], transaction.view, tables)
      layout.indexes = try indexes.finish(whole.indexes)
      // Records of different commits may have the same values. They are worth more than the rule.
      var shared: [UniquenessError] = []
      for place in layout.indexes.indices {
        let number = layout.indexes[place].number
        try indexes.forEachPair(limit: 1, in: { $0.number == number }) { pair in
          shared.append(try indexes.error(of: pair, in: layout))
          layout.indexes[place].isUnique = false
        }
      }
      try layout.write(WriteView(view: transaction.view), tables, since: StoreLayout())
      return shared
    }
    for error in shared {
      add("index \(quoted(error.index)) of \(escaped(error.entity))", "no longer unique: \(error)")
    }
    report.entities = zip(layout.entities, stored).map { entity, stored in
      .init(
        name: entity.name, savedCount: Int(entity.counts.objects),
        lostCount: stored.map { max(0, Int($0.objects) - Int(entity.counts.objects)) }
          ?? namedLost[Int(entity.number)])
    }
  }
}
