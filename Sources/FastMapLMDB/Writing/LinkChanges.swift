internal import CFastMap
internal import FastMapCore

/// The relationships that one batch changes. Lists are written at once; their inverse is collected and put in
/// order.
///
/// A list is cut into segments that stay below the size at which LMDB moves a value to pages of its own.
struct LinkChanges: ~Copyable {
  /// 240 numbers, a checksum and the key fit in a node of 2038 bytes.
  static let perSegment = 240

  private let writing: WriteView
  private let reader: LMDBReader
  private let cursor: Cursor
  private var inverse: [Inverse] = []
  private var value = [UInt8](repeating: 0, count: Checksum.size + perSegment * 8)
  private var key = KeyBytes()

  private struct Inverse {
    var target: ObjectID
    var owner: ObjectID
    var field: UInt16
    var isAdded: Bool

    static func < (a: Inverse, b: Inverse) -> Bool {
      (a.target, a.field, a.owner) < (b.target, b.field, b.owner)
    }
  }

  init(_ writer: LMDBWriter) throws {
    writing = writer.writing
    reader = writer.reader
    cursor = try writer.writing.unsafeCursor(writer.tables.links)
  }

  mutating func add(_ target: ObjectID, _ field: UInt16, _ owner: ObjectID) {
    inverse.append(.init(target: target, owner: owner, field: field, isAdded: true))
  }

  private mutating func remove(_ target: ObjectID, _ field: UInt16, _ owner: ObjectID) {
    inverse.append(.init(target: target, owner: owner, field: field, isAdded: false))
  }

  // MARK: To one

  /// Notes how a to-one relationship differs from the stored one.
  mutating func compare(
    _ change: ObjectChange, _ field: Int, _ number: UInt16, _ stored: RecordView, _ changes: inout ChangeBatch
  ) {
    let slot = change.row.slots[field]
    guard slot.tag != FASTMAP_MISSING else { return }
    let old = stored.slot(Int(number)).flatMap { $0.tag == FASTMAP_TARGET ? $0.target : nil }
    let new = slot.tag == FASTMAP_TARGET ? slot.target : nil
    guard old != new else { return }
    if let old {
      remove(old, number, change.id)
      if slot.policy == FASTMAP_REPLACE { changes.noteRemoved(old, from: field, of: change) }
    }
    if let new { add(new, number, change.id) }
  }

  // MARK: To many

  /// Writes a to-many relationship.
  ///
  /// - Returns: Whether anything became different.
  mutating func set(
    _ change: ObjectChange, _ field: Int, _ number: UInt16, _ changes: inout ChangeBatch
  ) throws -> Bool {
    let slot = change.row.slots[field]
    let targets = change.row.targets(at: field)
    if slot.policy == FASTMAP_MERGE {
      return try merge(targets, change, number)
    }
    if change.isNew {
      for target in targets { add(target, number, change.id) }
      try put(targets, from: 0, of: change.id, number)
      return !targets.isEmpty
    }
    let old = try reader.links(of: change.id, field: number, cursor)
    guard !old.elementsEqual(targets) else { return false }
    try replace(old, by: targets, of: change.id, number)
    let kept = Set(targets)
    var had: Set<ObjectID> = []
    for target in old where had.insert(target).inserted && !kept.contains(target) {
      remove(target, number, change.id)
      if slot.policy == FASTMAP_REPLACE { changes.noteRemoved(target, from: field, of: change) }
    }
    for target in kept.subtracting(had) { add(target, number, change.id) }
    return true
  }

  /// Appends the targets that the list does not have. The list itself is not read: the inverse knows.
  private mutating func merge(
    _ targets: UnsafeBufferPointer<ObjectID>, _ change: ObjectChange, _ number: UInt16
  ) throws -> Bool {
    var met: Set<ObjectID> = []
    var new: [ObjectID] = []
    for target in targets where met.insert(target).inserted {
      if !change.isNew {
        key.setInverse(target: target, field: number, owner: change.id)
        if try writing.get(reader.tables.inverse, key.bytes) != nil { continue }
      }
      new.append(target)
      add(target, number, change.id)
    }
    guard !new.isEmpty else { return false }
    let (segment, last) = change.isNew ? (0, []) : try lastSegment(of: change.id, number)
    try (last + new).withUnsafeBufferPointer { try put($0, from: segment, of: change.id, number) }
    return true
  }

  private mutating func lastSegment(
    of owner: ObjectID, _ field: UInt16
  ) throws -> (segment: UInt32, targets: [ObjectID]) {
    key.setLink(owner: owner, field: field, segment: .max)
    let entry = try cursor.seek(atLeast: key.bytes) == nil ? cursor.last() : cursor.previous()
    key.setLink(owner: owner, field: field)
    guard let entry, entry.key.starts(with: key.bytes), entry.key.count == 14 else { return (0, []) }
    let bytes = try Checksum.open(.links, entry.key, entry.value, in: reader.environment)
    let targets = stride(from: 0, to: bytes.count - 7, by: 8).map {
      bytes.littleEndian(at: $0, as: UInt64.self)
    }
    return (entry.key.bigEndian(at: 10, as: UInt32.self), targets)
  }

  /// Writes the segments that differ, and deletes those beyond the new end.
  mutating func replace(
    _ old: [ObjectID], by targets: UnsafeBufferPointer<ObjectID>, of owner: ObjectID, _ field: UInt16
  ) throws {
    var numbers: [UInt32] = []
    try reader.forEachSegment(of: owner, field: field, cursor) { segment, _ in numbers.append(segment) }
    var start = 0
    var segment: UInt32 = 0
    while start < targets.count {
      let end = min(start + Self.perSegment, targets.count)
      let isSame =
        end <= old.count && old[start..<end].elementsEqual(targets[start..<end])
        && (end == start + Self.perSegment || end == old.count)
      if !isSame {
        try putSegment(UnsafeBufferPointer(rebasing: targets[start..<end]), segment, of: owner, field)
      }
      start = end
      segment += 1
    }
    for number in numbers where number >= segment {
      key.setLink(owner: owner, field: field, segment: number)
      try writing.delete(reader.tables.links, key.bytes)
    }
  }

  private mutating func put(
    _ targets: UnsafeBufferPointer<ObjectID>, from first: UInt32, of owner: ObjectID, _ field: UInt16
  ) throws {
    var start = 0
    var segment = first
    while start < targets.count {
      let end = min(start + Self.perSegment, targets.count)
      try putSegment(UnsafeBufferPointer(rebasing: targets[start..<end]), segment, of: owner, field)
      start = end
      segment += 1
    }
  }

  private mutating func putSegment(
    _ targets: UnsafeBufferPointer<ObjectID>, _ segment: UInt32, of owner: ObjectID, _ field: UInt16
  ) throws {
    key.setLink(owner: owner, field: field, segment: segment)
    let key = self.key.bytes
    value.withUnsafeMutableBytes { value in
      for (index, target) in targets.enumerated() {
        value.storeBytes(of: target.littleEndian, toByteOffset: Checksum.size + index * 8, as: UInt64.self)
      }
      let rest = UnsafeRawBufferPointer(rebasing: value[Checksum.size..<(Checksum.size + targets.count * 8)])
      let crc = Checksum.make(.links, key, rest)
      value.storeBytes(of: crc.littleEndian, as: UInt32.self)
    }
    try value.withUnsafeBytes {
      try cursor.put(key, UnsafeRawBufferPointer(rebasing: $0[..<(Checksum.size + targets.count * 8)]))
    }
  }

  // MARK: Inverse

  /// Writes the collected inverse in the order of its keys.
  mutating func putInverse() throws {
    let isSorted = zip(inverse, inverse.dropFirst()).allSatisfy { !($1 < $0) }
    if !isSorted { inverse.sort(by: <) }
    let cursor = try writing.unsafeCursor(reader.tables.inverse)
    for entry in inverse {
      key.setInverse(target: entry.target, field: entry.field, owner: entry.owner)
      if entry.isAdded {
        var crc = Checksum.make(.inverse, key.bytes, UnsafeRawBufferPointer(start: nil, count: 0))
          .littleEndian
        try withUnsafeBytes(of: &crc) { try cursor.put(key.bytes, $0) }
      } else if try cursor.seek(key.bytes) != nil {
        try cursor.delete()
      }
    }
    inverse.removeAll(keepingCapacity: true)
  }
}
