internal import CFastMap
package import FastMapCore

extension LMDBStore {
  /// The result of loading a dump.
  ///
  ///     print(try store.load(dump: "people.dump").objectCount)
  public struct LoadReport: Equatable, Sendable {
    /// The number of objects.
    public internal(set) var objectCount = 0
    /// The number of targets of to-many relationships, counted once for each position.
    public internal(set) var targetCount = 0
  }

  /// Loads a dump into an empty store. Objects keep their numbers.
  ///
  ///     let report = try LMDBStore(at: "copy.db").load(dump: "people.dump")
  ///
  /// The load is one transaction. Every line is checked: types, keys, links, counts and the checksum at the end.
  ///
  /// - Parameter path: The dump. A pipe is read as data arrives.
  /// - Returns: The numbers of objects and targets.
  /// - Throws: ``DumpError`` with the line, also if this store is not empty; ``LMDBError``. The store is unchanged
  ///   then.
  /// - Complexity: O(*n* log *n*) in the objects and links; memory for one line and 65 536 links.
  /// - Note: Thread rule: any thread.
  @discardableResult
  public func load(dump path: String) throws -> LoadReport { try load(JSONLines(path)) }

  /// Loads a dump into an empty store.
  @discardableResult
  package func load(_ lines: JSONLines) throws -> LoadReport {
    guard !isReadOnly else { throw environment.error(.readOnly) }
    return try environment.write { transaction in
      lines.rewind()
      let writing = WriteView(view: transaction.view)
      // Before counting records: in a store of another version, the count says nothing.
      _ = try StoreLayout(transaction.view, tables, isWriting: true)
      let stored = try writing.statistics(tables.records).entries
      guard stored == 0 else {
        throw DumpError(
          file: path,
          "the store already has \(stored == 1 ? "an object" : "\(stored) objects"); a dump can only be loaded into an empty store"
        )
      }
      // An empty store still remembers earlier entities.
      for table in [tables.meta, tables.spare] where try writing.statistics(table).entries > 0 {
        try writing.deleteAll(table)
      }
      // No running import has this number.
      let number = ImportMark(from: 1, of: environment).number
      var loader = try DumpLoader(lines, writing, tables, lists, leftoversOf: number)
      return try loader.run()
    }
  }
}

/// Writes the lines of a dump into empty tables, in one transaction.
struct DumpLoader: ~Copyable {
  let lines: JSONLines
  let writing: WriteView
  let tables: Tables
  let lists: ListShape

  var report = LMDBStore.LoadReport()
  var layout = StoreLayout()
  var changes: [Migration.Mark] = []
  /// The counts in the header.
  var promised: [EntityLayout.Counts] = []
  /// The entities by the bytes of their names, because Swift treats some different spellings as equal.
  var entities: [[UInt8]: Int] = [:]
  var fields: [[[UInt8]: Int]] = []

  /// The last object that was read.
  var last: ObjectID?
  /// Its last list that was read, and the number of its segments.
  var list: (field: Int, segments: UInt64)?
  var pending: [ObjectID] = []
  var inverse: InverseBlocks
  /// Objects that an interrupted import has left to delete, as far as they are not stored yet.
  var leftovers: LeftoverEntry

  init(
    _ lines: JSONLines, _ writing: WriteView, _ tables: Tables, _ lists: ListShape, leftoversOf number: UInt64
  ) throws {
    (self.lines, self.writing, self.tables, self.lists) = (lines, writing, tables, lists)
    inverse = try InverseBlocks(writing.view, tables)
    leftovers = LeftoverEntry(importNumber: number, commit: 1, objects: [])
  }

  mutating func run() throws -> LMDBStore.LoadReport {
    var checksum: UInt32 = 0
    var hasEnded = false
    let records = try writing.unsafeCursor(tables.records)
    var key = KeyBytes()
    var numbers = NumberChanges(writing, tables)
    var encoder = RecordEncoder()
    var row = RowBuffer()
    while let line = try lines.next() {
      if line.isEmpty, hasEnded { continue }
      guard !hasEnded else { throw fault("expected nothing after the last line") }
      let value = try value(of: line)
      if lines.number == 1 {
        try readHeader(value)
      } else if value["end"] != nil {
        try readEnd(value, checksum)
        hasEnded = true
      } else if value["list"] != nil {
        try readList(value, &key)
      } else {
        try readObject(value, records, &numbers, &key, &encoder, &row)
      }
      checksum = fastmap_crc32c(checksum, line.baseAddress, line.count)
      checksum = withUnsafeBytes(of: UInt8(ascii: "\n")) { fastmap_crc32c(checksum, $0.baseAddress, 1) }
    }
    guard hasEnded else {
      throw DumpError(
        file: lines.name, line: lines.number + 1,
        lines.number == 0
          ? "expected a dump, found nothing" : "the dump is truncated: its last line is missing")
    }
    try numbers.write()
    try checkTargets()
    if let index = layout.indexes.first(where: { !$0.isSound(in: layout) }) {
      throw fault("$.entities[\(index.entity)].indexes", "an index of a field that has no order")
    }
    let indexes = IndexWriter([], writing.view, tables)
    layout.indexes = try indexes.finish(layout.indexes)
    try indexes.refuseDuplicates(in: layout)
    if changes.isEmpty {
      try layout.write(writing, tables, since: StoreLayout())
    } else {
      try layout.write(writing, tables, changes: changes)
    }
    return report
  }

  private func value(of line: UnsafeRawBufferPointer) throws -> JSONValue {
    do {
      let value = try lines.value(of: line)
      guard value.kind == .object else { throw fault("expected an object, found \(value.found)") }
      return value
    } catch let error as JSONSyntaxError {
      throw fault("column \(error.location.column): \(error.reason)")
    }
  }

  func fault(_ place: String?, _ reason: String) -> DumpError {
    DumpError(file: lines.name, line: lines.number, place: place, reason)
  }

  func fault(_ reason: String) -> DumpError { fault(nil, reason) }

  func fault(_ place: String, expected: String, found value: JSONValue?) -> DumpError {
    fault(place, "expected \(expected), found \(value?.found ?? "nothing")")
  }

  func string(_ name: String, of value: JSONValue, at place: String = "$") throws -> String {
    guard let text = value[name]?.string else {
      throw fault("\(place).\(name)", expected: "a string", found: value[name])
    }
    return text
  }

  func count(_ name: String, of value: JSONValue, at place: String = "$") throws -> UInt64 {
    guard let number = value[name]?.integer, let count = UInt64(exactly: number) else {
      throw fault("\(place).\(name)", expected: "a whole number of at least 0", found: value[name])
    }
    return count
  }

  func checkMembers(_ value: JSONValue, _ known: [String], at place: String = "$") throws {
    for (name, _) in value.members ?? [] where !known.contains(name) {
      throw fault(place, "unknown member \(quoted(name))")
    }
  }

  // MARK: The end

  private mutating func readEnd(_ value: JSONValue, _ checksum: UInt32) throws {
    try checkMembers(value, ["end", "objects", "targets", "checksum"])
    var key = KeyBytes()
    try endList(&key)
    try putLeftovers()
    let (objects, targets) = (try count("objects", of: value), try count("targets", of: value))
    guard objects == report.objectCount else {
      throw fault("$.objects", "the dump has \(report.objectCount) objects, its last line says \(objects)")
    }
    guard targets == report.targetCount else {
      throw fault("$.targets", "the dump has \(report.targetCount) targets, its last line says \(targets)")
    }
    for (entity, promised) in zip(layout.entities, promised) where entity.counts.objects != promised.objects {
      throw fault(
        "the dump has \(entity.counts.objects) objects of \(escaped(entity.name)), its first line says \(promised.objects)"
      )
    }
    // A dump that was edited by hand may lack the checksum.
    guard value["checksum"] != nil else { return }
    guard try string("checksum", of: value) == DumpFormat.text(of: checksum) else {
      throw fault("$.checksum", "the checksum does not match the preceding lines")
    }
  }
}
