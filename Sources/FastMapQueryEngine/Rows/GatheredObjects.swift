internal import CFastMap

/// Copies of stored objects, which were read in sets: their rows, and the targets of their to-many relationships.
///
/// Filled by ``StoreReader/gatherRows(of:entity:into:limit:)`` and
/// ``StoreReader/gatherTargets(of:entity:fields:into:limit:)``.
// @unchecked: one thread fills it, and other threads only read it after that.
package final class GatheredObjects: @unchecked Sendable {
  /// The rows and lists of the objects of one entity.
  private final class Entity {
    /// The slots of each object that was asked for; nil if it is not stored.
    var rows = ObjectTable<UnsafePointer<fastmap_slot>?>()
    /// By field, and after them by inverse, the places of lists of targets; nil for a field that is not to-many.
    package let lists: [Lists?]
    let fieldCount: Int

    init(_ entity: Schema.Entity) {
      fieldCount = entity.fields.count
      lists =
        entity.fields.map { if case .toMany = $0.kind { Lists() } else { nil } }
        + entity.inverses.map { _ in Lists() }
    }
  }

  /// The lists of one relationship, by their owners.
  private final class Lists {
    var places = ObjectTable<Int>()
  }

  /// By the numbers of the schema.
  private let entities: [Entity]
  fileprivate let schema: Schema
  private var lists: [[ObjectID]] = []
  /// The memory of the rows.
  private var arena = fastmap_arena()
  /// The approximate size of everything.
  package private(set) var byteCount = 0
  /// By entity, the memory that one object has taken so far, to size the next question.
  private var rowSizes: [AnswerSize]
  private var listSizes: [AnswerSize]

  func fieldCount(of entity: Int) -> Int { entities[entity].fieldCount }

  package init(_ schema: Schema) {
    self.schema = schema
    entities = schema.entities.map(Entity.init)
    rowSizes = schema.entities.map { _ in AnswerSize() }
    listSizes = rowSizes
  }

  deinit { fastmap_arena_free(&arena) }

  package func removeAll() {
    for entity in entities {
      entity.rows.removeAll()
      for lists in entity.lists { lists?.places.removeAll() }
    }
    lists.removeAll(keepingCapacity: true)
    fastmap_arena_reset(&arena)
    byteCount = 0
  }

  // MARK: Rows

  @inline(__always)
  package func isKnown(_ object: ObjectIdentity) -> Bool { entities[object.entity].rows[object.id] != nil }

  /// Whether an object was asked for and is not stored.
  @inline(__always)
  package func isAbsent(_ object: ObjectIdentity) -> Bool {
    entities[object.entity].rows[object.id] == .some(.none)
  }

  /// The row of an object, borrowed until ``removeAll()``; nil if it is not stored or not known.
  @inline(__always)
  @_lifetime(immortal)
  package func row(of object: ObjectIdentity) -> Row? {
    let entity = entities[object.entity]
    guard let slots = entity.rows[object.id] ?? nil else { return nil }
    return Row(slots: slots, count: entity.fieldCount)
  }

  /// Copies a lent row, which has a slot for each field of the entity.
  ///
  /// - Throws: ``SystemError`` if there is no memory. The object is not known then.
  func keep(_ row: Row, of object: ObjectIdentity) throws(SystemError) {
    var size = row.count * MemoryLayout<fastmap_slot>.stride
    for number in 0..<row.count { size += row[number].bytes?.count ?? 0 }
    guard let memory = fastmap_arena_alloc(&arena, max(1, size)) else { throw SystemError.outOfMemory }
    let slots = memory.bindMemory(to: fastmap_slot.self, capacity: row.count)
    var free = memory + row.count * MemoryLayout<fastmap_slot>.stride
    for number in 0..<row.count {
      let field = row[number]
      var slot = field.slot
      if let bytes = field.bytes {
        if let source = bytes.baseAddress { free.copyMemory(from: source, byteCount: bytes.count) }
        slot.bytes = UnsafePointer(free.assumingMemoryBound(to: UInt8.self))
        free += bytes.count
      }
      (slots + number).initialize(to: slot)
    }
    entities[object.entity].rows.set(UnsafePointer(slots), for: object.id)
    size += Self.entrySize
    byteCount += size
    rowSizes[object.entity].add(size)
  }

  /// The number of rows of an entity that probably take some memory.
  package func rowCount(of entity: Int, in size: Int) -> Int { rowSizes[entity].count(in: size) }

  /// Records that an object is not stored.
  func keepAbsent(_ object: ObjectIdentity) {
    entities[object.entity].rows.set(nil, for: object.id)
    byteCount += Self.entrySize
  }

  /// The memory of an entry of a dictionary, with its share of empty places.
  package static var entrySize: Int { 64 }

  // MARK: Relationships

  /// The number of lists of targets of an entity that probably take some memory.
  func listCount(of entity: Int, in size: Int) -> Int { listSizes[entity].count(in: size) }

  /// The targets of a relationship; nil if they are not known. The target of a to-one is in the row.
  package func targets(of owner: ObjectIdentity, field: Int) -> [ObjectID]? {
    if let known = entities[owner.entity].lists[field] {
      if let place = known.places[owner.id] { return lists[place] }
      return isAbsent(owner) ? [] : nil
    }
    guard isKnown(owner) else { return nil }
    return row(of: owner)?[field].target.map { [$0] } ?? []
  }

  /// - Parameter field: A to-many relationship or an inverse.
  func keep(_ targets: [ObjectID], of owner: ObjectIdentity, field: Int) {
    let size = Self.entrySize + targets.count * MemoryLayout<ObjectID>.stride
    entities[owner.entity].lists[field]?.places.set(lists.count, for: owner.id)
    lists.append(targets)
    byteCount += size
    listSizes[owner.entity].add(size)
  }
}

/// The memory that answers about the objects of one entity have taken. The average shows how many objects fit into the next
/// question.
private struct AnswerSize {
  private var average = 0

  mutating func add(_ size: Int) { average = average == 0 ? size : (average * 7 + size) / 8 }

  /// The number of objects to ask for, when there is room for some bytes.
  package func count(in room: Int) -> Int {
    // The first question finds out how large the answers are.
    average == 0 ? Self.first : min(Self.most, max(1, room / average))
  }

  static var first: Int { 256 }
  private static var most: Int { 65_536 }
}

extension StoreReader {
  /// Reads the rows of objects that are not known yet. Each question asks for as many as fit.
  ///
  /// - Parameters:
  ///   - asked: Objects whose question was sent before.
  ///   - limit: The size at which `objects` is full.
  /// - Returns: Whether all are known now. False if `objects` is full.
  package mutating func gatherRows(
    of ids: [ObjectID], entity: Int, into objects: GatheredObjects, asked: [ObjectID] = [],
    limit: Int = .max
  ) throws -> Bool {
    if !asked.isEmpty {
      guard try keepRows(of: asked, entity: entity, in: objects, limit: limit) else { return false }
    }
    var left = objects.unknownRows(among: ids, of: entity)[...]
    while !left.isEmpty {
      let room = limit - objects.byteCount
      guard room > 0 else { return false }
      let chunk = Array(left.prefix(objects.rowCount(of: entity, in: room)))
      guard try keepRows(of: chunk, entity: entity, in: objects, limit: limit) else { return false }
      left = left.dropFirst(chunk.count)
    }
    return true
  }

  /// Asks one question for rows.
  private mutating func keepRows(
    of ids: [ObjectID], entity: Int, in objects: GatheredObjects, limit: Int
  ) throws -> Bool {
    let fields = objects.fieldCount(of: entity)
    var isFull = false
    var found = 0
    try read(ids, of: entity) { index, row in
      isFull = isFull || objects.byteCount > limit
      if isFull { return }
      try row.check(index, of: ids, fields: fields)
      let object = ObjectIdentity(entity: entity, id: ids[index])
      if objects.row(of: object) == nil { try objects.keep(row, of: object) }
      found += 1
    }
    if isFull { return false }
    if found < ids.count {
      for id in ids where !objects.isKnown(ObjectIdentity(entity: entity, id: id)) {
        objects.keepAbsent(ObjectIdentity(entity: entity, id: id))
      }
    }
    return true
  }

  /// Reads the targets of to-many relationships of objects. Each question asks for as many objects as fit.
  ///
  /// - Parameters:
  ///   - fields: To-many relationships and inverses.
  ///   - asked: Objects whose question, with the same fields, was sent before.
  ///   - limit: The size at which `objects` is full.
  /// - Returns: Whether all are known now. False if `objects` is full. One answer may go beyond the limit, because
  ///   the length of a list is unknown before. So each question has at most four times as many owners as the last.
  package mutating func gatherTargets(
    of owners: [ObjectID], entity: Int, fields: [Int], into objects: GatheredObjects,
    asked: [ObjectID] = [], limit: Int = .max
  ) throws -> Bool {
    if fields.isEmpty { return true }
    if !asked.isEmpty { try keepTargets(of: asked, entity: entity, fields: fields, in: objects) }
    var left = objects.unknownLists(among: owners, of: entity, fields: fields)[...]
    var most = max(AnswerSize.first, asked.count * 4)
    while !left.isEmpty {
      let room = limit - objects.byteCount
      guard room > 0 else { return false }
      let count = objects.listCount(of: entity, in: room) / fields.count
      let chunk = Array(left.prefix(max(1, min(count, most))))
      try keepTargets(of: chunk, entity: entity, fields: fields, in: objects)
      if objects.byteCount > limit { return false }
      left = left.dropFirst(chunk.count)
      most = max(AnswerSize.first, chunk.count * 4)
    }
    return true
  }

  /// Asks one question for targets.
  private mutating func keepTargets(
    of owners: [ObjectID], entity: Int, fields: [Int], in objects: GatheredObjects
  ) throws {
    for (field, lists) in zip(fields, try links(of: owners, entity: entity, fields, in: objects.schema)) {
      for (id, targets) in zip(owners, lists) {
        objects.keep(targets, of: ObjectIdentity(entity: entity, id: id), field: field)
      }
    }
  }
}

extension GatheredObjects {
  /// The objects that were not asked for, ascending and without repeats.
  package func unknownRows(among ids: [ObjectID], of entity: Int) -> [ObjectID] {
    ids.filter { !isKnown(ObjectIdentity(entity: entity, id: $0)) }.sortedUnique()
  }

  /// The owners whose lists were not asked for, ascending and without repeats.
  package func unknownLists(among owners: [ObjectID], of entity: Int, fields: [Int]) -> [ObjectID] {
    owners.filter { id in
      fields.contains { targets(of: ObjectIdentity(entity: entity, id: id), field: $0) == nil }
    }.sortedUnique()
  }
}

extension [ObjectID] {
  /// Ascending and without repeats.
  package func sortedUnique() -> [ObjectID] {
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
