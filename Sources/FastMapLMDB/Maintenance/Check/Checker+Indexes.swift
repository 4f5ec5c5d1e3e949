internal import CFastMap
internal import FastMapCore

/// The secondary indexes.
extension Checker {
  /// Every entry is that of a record, and there are as many entries as records. So no record lacks its entry.
  mutating func checkIndexes() throws {
    var counts = [UInt16: UInt64](uniqueKeysWithValues: reader.layout.indexes.map { ($0.number, 0) })
    let indexes = Dictionary(uniqueKeysWithValues: reader.layout.indexes.map { ($0.number, $0) })
    var expected = IndexEntry()
    var key = KeyBytes()
    var last: [UInt8] = []
    try forEach(.index, reader.tables.index) { checker, blockKey, bytes in
      let place = Place.describe(.index, blockKey)
      guard let block = IndexBlock(blockKey, bytes),
        let index = indexes[blockKey.bigEndian(at: 0, as: UInt16.self)]
      else { return checker.report.add(place, "not a block of an index of the store") }
      if bytes.count + Checksum.size + blockKey.count > IndexBlock.limit {
        checker.report.add(place, "it has \(bytes.count) bytes, which is too much for a block")
      }
      let prefix = UnsafeRawBufferPointer(rebasing: blockKey[..<2])
      let isWhole = try block.forEach { _, entry in
        counts[index.number, default: 0] += 1
        let isInOrder = last.withUnsafeBytes { last in
          !last.starts(with: prefix) || UnsafeRawBufferPointer(rebasing: last[2...]).precedes(entry.body)
        }
        if !isInOrder { checker.report.add(place, "an entry is not greater than the one before it") }
        last = Array(prefix) + Array(entry.body)
        try checker.check(entry, of: index, &expected, &key, place)
        return true
      }
      if !isWhole { checker.report.add(place, "an entry is not whole") }
    }
    for index in reader.layout.indexes { checkCounts(of: index, counts[index.number] ?? 0) }
  }

  /// Compares an entry with the record that it names.
  private mutating func check(
    _ entry: IndexEntryView, of index: IndexLayout, _ expected: inout IndexEntry, _ key: inout KeyBytes,
    _ place: String
  ) throws {
    if let id = entry.id {
      guard try finder.find(id) else { return report.add(place, "it names an object that does not exist") }
      key.set(finder.key.bytes)
    } else {
      key.setRecord(of: index.entity, behind: entry.key)
    }
    guard let found = try reader.view.entry(reader.tables.records, key.bytes) else {
      return report.add(place, "\(RecordKey(key.bytes)) does not exist")
    }
    // A damaged record is reported by itself.
    guard let record = try? RecordView(found, in: reader.view) else { return }
    expected.encode(index, record.id, found.key) { record.slot($0) ?? fastmap_slot() }
    if !expected.body.equals(entry.body) {
      report.add(
        place, "an entry of \(quoted(index.name(in: reader.layout))) differs from \(RecordKey(key.bytes))")
    }
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
