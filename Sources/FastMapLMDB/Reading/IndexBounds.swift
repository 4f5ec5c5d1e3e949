internal import CFastMap
internal import FastMapStoreKit

/// The entries of an index that an ``IndexRange`` names, as bytes.
///
/// The entry of a long string is cut. So a range with a long string may have more entries than objects that fit.
struct IndexBounds {
  private(set) var low: [UInt8]
  /// All entries are less than these bytes, or begin with them if `includesHigh`.
  private(set) var high: [UInt8]
  private(set) var includesHigh = true
  /// Whether entries that begin with `low` are left out.
  private(set) var skipsLow = false

  init(_ range: IndexRange, of index: IndexLayout) throws {
    var entry = IndexEntry()
    let most = IndexEntry.mostValueBytes / index.parts.count
    var buffer = RowBuffer()
    func encode(_ content: IndexRange.Content, _ part: IndexLayout.Part) throws -> [UInt8] {
      entry.begin()
      try entry.append(content, part, most: most, &buffer)
      return Array(entry.body)
    }
    var prefix: [UInt8] = []
    for (content, part) in zip(range.equal, index.parts) { prefix += try encode(content, part) }
    (low, high) = (prefix, prefix)
    guard range.equal.count < index.parts.count, range.lower != nil || range.upper != nil else { return }
    let part = index.parts[range.equal.count]
    var upper = range.upper
    // NaN sorts after all numbers, but no comparison with a number includes it. So infinity bounds the range.
    if upper == nil, case .number? = range.lower?.value {
      upper = .init(.number(.infinity), isIncluded: true)
    }
    let (first, last) = part.isDescending ? (upper, range.lower) : (range.lower, upper)
    if let first {
      let bytes = try encode(.value(first.value), part)
      let cut = Self.withoutHash(bytes, entry.isCut)
      low = prefix + cut
      skipsLow = !first.isIncluded && !entry.isCut
    } else if !part.isDescending {
      low = prefix + [1]  // after entries without a value
    }
    if let last {
      let bytes = try encode(.value(last.value), part)
      high = prefix + Self.withoutHash(bytes, entry.isCut)
      includesHigh = last.isIncluded || entry.isCut
    } else if part.isDescending {
      high = prefix + [255]  // entries without a value
      includesHigh = false
    }
  }

  private static func withoutHash(_ bytes: [UInt8], _ isCut: Bool) -> [UInt8] {
    isCut ? Array(bytes.dropLast(8)) : bytes
  }

  /// The least bytes of the first entry; nil if there can be none.
  var start: [UInt8]? { skipsLow ? low.next : low }

  func isBefore(_ entry: UnsafeRawBufferPointer) -> Bool {
    high.withUnsafeBytes { high in
      entry.starts(with: high) ? !includesHigh : high.precedes(entry)
    }
  }

  /// Whether the range ends before all entries that begin with some bytes.
  func endsBefore(_ prefix: [UInt8]) -> Bool { prefix.withUnsafeBytes { isBefore($0) } }

  /// Whether the range begins after an entry.
  func isBehind(_ entry: UnsafeRawBufferPointer) -> Bool {
    low.withUnsafeBytes { low in entry.starts(with: low) ? skipsLow : entry.precedes(low) }
  }
}

extension IndexEntry {
  mutating func append(
    _ content: IndexRange.Content, _ part: IndexLayout.Part, most: Int, _ buffer: inout RowBuffer
  ) throws {
    switch content {
    case .none: append(fastmap_slot(), part.isDescending, most: most)
    case .object(let id):
      var slot = fastmap_slot()
      slot.tag = UInt8(FASTMAP_TARGET)
      slot.target = id.rawValue
      append(slot, part.isDescending, most: most)
    case .value(let value):
      buffer.reset(count: 1)
      buffer.set(value, at: 0)
      try buffer.checkWhole()
      append(buffer.slots[0], part.isDescending, most: most)
    }
  }

  /// The entry of an object that may not exist.
  mutating func encode(_ position: IndexRange.Position, _ index: IndexLayout) throws {
    begin()
    var buffer = RowBuffer()
    let most = Self.mostValueBytes / index.parts.count
    for (content, part) in zip(position.contents, index.parts) {
      try append(content, part, most: most, &buffer)
    }
    try position.key.withSlot { slot in
      try KeyBytes.withRecord(entity: index.entity, key: slot.pointee) { key in
        // No object has the highest number.
        finish(ObjectNumber.make(entity: index.entity, serial: ObjectNumber.maxSerial), key)
      }
    }
  }
}

extension [UInt8] {
  /// The least bytes that are greater than all that begin with these; nil if there are none.
  var next: [UInt8]? {
    var bytes = self
    while let last = bytes.popLast() {
      if last < 255 { return bytes + [last + 1] }
    }
    return nil
  }
}
