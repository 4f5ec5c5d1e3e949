internal import CFastMap
internal import FastMapMaintenance

/// The secondary indexes.
extension Checker {
  /// Every entry belongs to a record, and there are as many entries as records. So no record lacks its entry.
  mutating func checkIndexes() throws {
    var counts = [UInt16: UInt64](uniqueKeysWithValues: reader.layout.indexes.map { ($0.number, 0) })
    let indexes = Dictionary(uniqueKeysWithValues: reader.layout.indexes.map { ($0.number, $0) })
    var expected = IndexEntry()
    var key = KeyBytes()
    var last: [UInt8] = []
    var group = UniqueGroup()
    try forEach(.index, reader.tables.index) { checker, blockKey, bytes in
      let place = Place.describe(.index, blockKey)
      guard let block = IndexBlock(blockKey, bytes),
        let index = indexes[blockKey.bigEndian(at: 0, as: UInt16.self)]
      else { return checker.report.add(place, "not a block of an index of the store") }
      if bytes.count + Checksum.size + blockKey.count > IndexBlock.limit {
        checker.report.add(place, "\(bytes.count) bytes, more than fit in a block")
      }
      let prefix = UnsafeRawBufferPointer(rebasing: blockKey[..<2])
      let isWhole = try block.forEach { _, entry in
        counts[index.number, default: 0] += 1
        let isInOrder = last.withUnsafeBytes { last in
          !last.starts(with: prefix) || UnsafeRawBufferPointer(rebasing: last[2...]).precedes(entry.body)
        }
        if !isInOrder { checker.report.add(place, "an entry is not greater than the one before it") }
        last = Array(prefix) + Array(entry.body)
        let record = try checker.check(entry, of: index, &expected, &key, place)
        if index.isUnique, let record, group.hasAnother(entry, record, index) {
          checker.report.add(
            place,
            "\(record.key) has the same values as another object in the unique index "
              + quoted(index.name(in: checker.reader.layout)))
        }
        return true
      }
      if !isWhole { checker.report.add(place, "an entry is not whole") }
    }
    for index in reader.layout.indexes { checkCounts(of: index, counts[index.number] ?? 0) }
  }

  /// The objects of the entries with the same values in a unique index, as far as they were met.
  private struct UniqueGroup {
    private var index: UInt16?
    private var values: [UInt8] = []
    private var met: Set<WholeValues> = []

    /// Adds an object.
    ///
    /// - Returns: Whether an object of the group has the same values.
    mutating func hasAnother(_ entry: IndexEntryView, _ record: RecordView, _ index: IndexLayout) -> Bool {
      if entry.lacksValue(index) { return false }
      if self.index != index.number || !values.withUnsafeBytes({ $0.equals(entry.values) }) {
        self.index = index.number
        values = Array(entry.values)
        met = []
      }
      return !met.insert(WholeValues(index: index, record: record)).inserted
    }
  }

  /// Compares an entry with the record that it names.
  ///
  /// - Returns: The record, if there is one.
  private mutating func check(
    _ entry: IndexEntryView, of index: IndexLayout, _ expected: inout IndexEntry, _ key: inout KeyBytes,
    _ place: String
  ) throws -> RecordView? {
    if let id = entry.id {
      guard try finder.find(id) else {
        report.add(place, "refers to an object that does not exist")
        return nil
      }
      key.set(finder.key.bytes)
    } else {
      key.setRecord(of: index.entity, behind: entry.key)
    }
    guard let found = try reader.view.entry(reader.tables.records, key.bytes) else {
      report.add(place, "\(RecordKey(key.bytes)) does not exist")
      return nil
    }
    // A damaged record is reported by itself.
    guard let record = try? RecordView(found, in: reader.view) else { return nil }
    expected.encode(index, record.id, found.key) { record.slot($0) ?? fastmap_slot() }
    if !expected.body.equals(entry.body) {
      report.add(
        place, "an entry of \(quoted(index.name(in: reader.layout))) differs from \(RecordKey(key.bytes))")
    }
    return record
  }

  private mutating func checkCounts(of index: IndexLayout, _ count: UInt64) {
    let place = "index \(quoted(index.name(in: reader.layout)))"
    let objects = objects[Int(index.entity)]
    if count != objects { report.add(place, "has \(count) entries for \(objects) objects") }
    if count != index.entries {
      report.add(place, "has \(count) entries, the recorded count is \(index.entries)")
    }
  }
}
