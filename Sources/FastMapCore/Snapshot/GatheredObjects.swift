internal import CFastMap

/// Copies of stored objects, which were read in sets: their rows, and the targets of their to-many relationships.
///
/// It is filled by ``StoreReader/gatherRows(of:entity:into:limit:)`` and
/// ``StoreReader/gatherTargets(of:entity:fields:into:limit:)``.
// @unchecked: one thread fills it, and other threads only read it after that.
final class GatheredObjects: @unchecked Sendable {
  private struct List: Hashable {
    var owner: ObjectIdentity
    var field: Int
  }

  private let schema: Schema
  /// The slots of each object that was asked for; nil if it is not stored.
  private var rows: [ObjectIdentity: UnsafePointer<fastmap_slot>?] = [:]
  private var lists: [List: [ObjectID]] = [:]
  /// The memory of the rows.
  private var arena = fastmap_arena()
  /// The approximate size of everything.
  private(set) var byteCount = 0
  /// By entity, what one object took so far, for the size of the next question.
  private var rowSizes: [AnswerSize]
  private var listSizes: [AnswerSize]

  /// The number of fields of an entity.
  func fieldCount(of entity: Int) -> Int { schema.entities[entity].fields.count }

  init(_ schema: Schema) {
    self.schema = schema
    rowSizes = schema.entities.map { _ in AnswerSize() }
    listSizes = rowSizes
  }

  deinit { fastmap_arena_free(&arena) }

  func removeAll() {
    rows.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    fastmap_arena_reset(&arena)
    byteCount = 0
  }

  // MARK: Rows

  /// Whether an object was asked for.
  func isKnown(_ object: ObjectIdentity) -> Bool { rows[object] != nil }

  /// Whether an object was asked for and is not stored.
  func isAbsent(_ object: ObjectIdentity) -> Bool { rows[object] == .some(.none) }

  /// The row of an object, borrowed until ``removeAll()``; nil if it is not stored or not known.
  func row(of object: ObjectIdentity) -> Row? {
    guard let slots = rows[object] ?? nil else { return nil }
    return Row(slots: slots, count: schema.entities[object.entity].fields.count)
  }

  /// Copies a lent row, which has a slot for each field of the entity.
  ///
  /// - Throws: ``SystemError`` if there is no memory. The object is not known then.
  func keep(_ row: Row, of object: ObjectIdentity) throws(SystemError) {
    let start = byteCount
    let slots = try allocate(row.count, of: fastmap_slot.self)
    for number in 0..<row.count {
      let field = row[number]
      var slot = field.slot
      if let bytes = field.bytes {
        let copy = try allocate(bytes.count, of: UInt8.self)
        UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: bytes)
        slot.bytes = UnsafePointer(copy)
      }
      (slots + number).initialize(to: slot)
    }
    rows[object] = UnsafePointer(slots)
    byteCount += Self.entrySize
    rowSizes[object.entity].note(byteCount - start)
  }

  /// The number of rows of an entity that probably take some memory.
  func rowCount(of entity: Int, in size: Int) -> Int { rowSizes[entity].count(in: size) }

  /// Records that an object is not stored.
  func keepAbsent(_ object: ObjectIdentity) {
    rows[object] = .some(nil)
    byteCount += Self.entrySize
  }

  private func allocate<T>(_ count: Int, of type: T.Type) throws(SystemError) -> UnsafeMutablePointer<T> {
    let size = max(1, count * MemoryLayout<T>.stride)
    guard let memory = fastmap_arena_alloc(&arena, size) else { throw SystemError.outOfMemory }
    byteCount += size
    return memory.bindMemory(to: T.self, capacity: max(1, count))
  }

  /// The memory of an entry of a dictionary, with its share of empty places.
  static var entrySize: Int { 64 }

  // MARK: Relationships

  /// The number of lists of targets of an entity that probably take some memory.
  func listCount(of entity: Int, in size: Int) -> Int { listSizes[entity].count(in: size) }

  /// The targets of a relationship; nil if they are not known. Those of a to-one are in the row.
  func targets(of owner: ObjectIdentity, field: Int) -> [ObjectID]? {
    if case .toMany = schema.entities[owner.entity].fields[field].kind {
      return lists[List(owner: owner, field: field)] ?? (isAbsent(owner) ? [] : nil)
    }
    guard isKnown(owner) else { return nil }
    return row(of: owner)?[field].target.map { [$0] } ?? []
  }

  func keep(_ targets: [ObjectID], of owner: ObjectIdentity, field: Int) {
    let size = Self.entrySize + targets.count * MemoryLayout<ObjectID>.stride
    lists[List(owner: owner, field: field)] = targets
    byteCount += size
    listSizes[owner.entity].note(size)
  }
}

/// What the answers about the objects of one entity took, and so how many objects fit into the next question.
private struct AnswerSize {
  private var average = 0

  mutating func note(_ size: Int) { average = average == 0 ? size : (average * 7 + size) / 8 }

  /// The number of objects to ask for, when there is room for some bytes.
  func count(in room: Int) -> Int {
    // The first question finds out how large the answers are.
    average == 0 ? Self.first : min(Self.most, max(1, room / average))
  }

  private static var first: Int { 256 }
  private static var most: Int { 65_536 }
}

extension StoreReader {
  /// Reads the rows of objects that are not known yet. Each question asks for as many as fit.
  ///
  /// - Parameter limit: The size at which `objects` is full.
  /// - Returns: Whether all are known now. False if `objects` is full.
  mutating func gatherRows(
    of ids: [ObjectID], entity: Int, into objects: GatheredObjects, limit: Int = .max
  ) throws -> Bool {
    var left = ids.filter { !objects.isKnown(ObjectIdentity(entity: entity, id: $0)) }.sortedUnique()[...]
    while !left.isEmpty {
      let room = limit - objects.byteCount
      guard room > 0 else { return false }
      let chunk = Array(left.prefix(objects.rowCount(of: entity, in: room)))
      let fields = objects.fieldCount(of: entity)
      var isFull = false
      try read(chunk, of: entity) { index, row in
        isFull = isFull || objects.byteCount > limit
        if isFull { return }
        try row.check(index, of: chunk, fields: fields)
        try objects.keep(row, of: ObjectIdentity(entity: entity, id: chunk[index]))
      }
      if isFull { return false }
      for id in chunk where !objects.isKnown(ObjectIdentity(entity: entity, id: id)) {
        objects.keepAbsent(ObjectIdentity(entity: entity, id: id))
      }
      left = left.dropFirst(chunk.count)
    }
    return true
  }

  /// Reads the targets of to-many relationships of objects. Each question asks for as many objects as fit.
  ///
  /// - Parameters:
  ///   - fields: To-many relationships.
  ///   - limit: The size at which `objects` is full.
  /// - Returns: Whether all are known now. False if `objects` is full.
  mutating func gatherTargets(
    of owners: [ObjectID], entity: Int, fields: [Int], into objects: GatheredObjects, limit: Int = .max
  ) throws -> Bool {
    if fields.isEmpty { return true }
    var left = owners.filter { id in
      fields.contains { objects.targets(of: ObjectIdentity(entity: entity, id: id), field: $0) == nil }
    }.sortedUnique()[...]
    while !left.isEmpty {
      let room = limit - objects.byteCount
      guard room > 0 else { return false }
      let count = objects.listCount(of: entity, in: room) / fields.count
      let chunk = Array(left.prefix(max(1, count)))
      for (field, lists) in zip(fields, try checkedTargets(of: chunk, entity: entity, fields: fields)) {
        for (id, targets) in zip(chunk, lists) {
          objects.keep(targets, of: ObjectIdentity(entity: entity, id: id), field: field)
        }
      }
      left = left.dropFirst(chunk.count)
    }
    return true
  }
}

extension [ObjectID] {
  /// Ascending and without repeats.
  func sortedUnique() -> [ObjectID] {
    if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
    var sorted = sorted()
    var count = 0
    for index in sorted.indices where count == 0 || sorted[index] != sorted[count - 1] {
      sorted[count] = sorted[index]
      count += 1
    }
    sorted.removeLast(sorted.count - count)
    return sorted
  }
}
