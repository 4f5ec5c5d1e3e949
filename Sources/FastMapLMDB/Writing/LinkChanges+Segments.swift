internal import CFastMap
internal import FastMapStoreKit

/// Writes the segments of lists.
extension LinkChanges {
  struct LastSegment {
    let position: UInt64
    let targets: [ObjectID]
  }

  /// The last segment of a list; nil if the list is empty.
  func lastSegment(of owner: ObjectID, _ field: UInt16) throws -> LastSegment? {
    var bound = KeyBytes()
    bound.setLink(owner: owner, field: field, position: .max)
    let entry =
      if let found = try cursor.seek(atLeast: bound.bytes) {
        found.key.equals(bound.bytes) ? found : try cursor.previous()
      } else {
        try cursor.last()
      }
    bound.setLink(owner: owner, field: field)
    guard let entry, entry.key.starts(with: bound.bytes) else { return nil }
    let segment = try reader.segment(entry.key, entry.value)
    return LastSegment(
      position: segment.position,
      targets: (0..<segment.bytes.count / 8).map { segment.bytes.id(inValueAt: $0 * 8) })
  }

  /// Fills the last segment of a list and adds full ones after it, without reading the segments before it.
  mutating func append(
    _ targets: UnsafeBufferPointer<ObjectID>, behind last: LastSegment?, of owner: ObjectID, _ field: UInt16
  ) throws {
    guard !targets.isEmpty else { return }
    let shape = reader.lists
    let room = last.map { min(shape.perSegment - $0.targets.count, targets.count) } ?? 0
    let count = (targets.count - room + shape.perSegment - 1) / shape.perSegment
    guard let positions = shape.positions(count, between: last?.position, and: nil) else {
      return try makeRoom(for: targets, of: owner, field)
    }
    if let last, room > 0 {
      try (last.targets + targets[..<room]).withUnsafeBufferPointer {
        try put($0, at: last.position, of: owner, field)
      }
    }
    var start = room
    for position in positions {
      let end = min(start + shape.perSegment, targets.count)
      try put(UnsafeBufferPointer(rebasing: targets[start..<end]), at: position, of: owner, field)
      start = end
    }
  }

  /// Appends to a list whose last segment has the highest position.
  private mutating func makeRoom(
    for targets: UnsafeBufferPointer<ObjectID>, of owner: ObjectID, _ field: UInt16
  ) throws {
    let old = try reader.list(of: owner, field: field, cursor)
    try (old.targets + targets).withUnsafeBufferPointer {
      try write(ListEdit(old, to: $0, keeping: old.kept(in: $0), reader.lists), $0, of: owner, field)
    }
  }

  /// Writes the segments that differ, and deletes unused ones.
  mutating func write(
    _ edit: ListEdit, _ targets: UnsafeBufferPointer<ObjectID>, of owner: ObjectID, _ field: UInt16
  ) throws {
    for position in edit.deleted {
      key.setLink(owner: owner, field: field, position: position)
      if try cursor.seek(key.bytes) != nil { try cursor.delete() }
    }
    for piece in edit.written {
      guard let position = piece.position else { preconditionFailure("a piece of a list has its place") }
      try put(UnsafeBufferPointer(rebasing: targets[piece.range]), at: position, of: owner, field)
    }
  }

  private mutating func put(
    _ targets: UnsafeBufferPointer<ObjectID>, at position: UInt64, of owner: ObjectID, _ field: UInt16
  ) throws {
    key.setLink(owner: owner, field: field, position: position)
    let key = self.key.bytes
    let end = Checksum.size + targets.count * 8
    value.withUnsafeMutableBytes { value in
      for (index, target) in targets.enumerated() {
        value.storeBytes(
          of: target.rawValue.littleEndian, toByteOffset: Checksum.size + index * 8, as: UInt64.self)
      }
      let crc = Checksum.make(.links, key, UnsafeRawBufferPointer(rebasing: value[Checksum.size..<end]))
      value.storeBytes(of: crc.littleEndian, as: UInt32.self)
    }
    try value.withUnsafeBytes { try cursor.put(key, UnsafeRawBufferPointer(rebasing: $0[..<end])) }
  }
}
