internal import CFastMap

/// What the objects of a run have in unique indexes: before the transaction, and at its end.
///
/// An object that is left out takes back what it had. If another object has that now, it is left out too, takes back what it had,
/// and so on. One run finds such a chain to its end, as far as its objects do not depend on others:
///
///     stored    1 a   2 b   3 c   4 d
///     payload   1 b   2 c   3 d           4 stays, so 3 is left out, takes back c, and so leaves out 2, and so 1
///
/// Values are kept as 128 bits of hashes, so that an object takes few bytes.
struct UniqueChains {
  /// An object that is left out because of another one that is left out.
  struct Link {
    let object: ObjectIdentity
    let keeper: ObjectIdentity
    let index: Schema.Index
  }

  /// The values of one object in one index.
  private struct Print: Hashable {
    var high: UInt64 = 0
    var low: UInt64 = 0

    /// Of an object that is not there, or has no value in a field.
    static let none = Print()
  }

  private struct Object {
    let identity: ObjectIdentity
    /// Where `prints` has its values before the transaction, one for each index of its entity.
    let first: Int
    /// Whether it has the same values if any other object is left out.
    var isFree: Bool
  }

  /// By entity.
  private var indexes: [Int: [Schema.Index]] = [:]
  private var numbers: [ObjectIdentity: Int] = [:]
  private var objects: [Object] = []
  private var prints: [Print] = []
  /// By entity, the objects that were met since values were read.
  private var unread: [Int: [Int]] = [:]

  mutating func beginRun() {
    numbers.removeAll(keepingCapacity: true)
    objects.removeAll(keepingCapacity: true)
    prints.removeAll(keepingCapacity: true)
    unread.removeAll()
  }

  /// - Parameter found: The indexes of an entity. One whose fields the schema lacks has no parts.
  mutating func use(_ found: [Schema.Index], of entity: Int) {
    var known: Set<[Int]> = []
    indexes[entity] = found.filter {
      $0.isUnique && !$0.parts.isEmpty && known.insert($0.parts.map(\.field).sorted()).inserted
    }
  }

  // MARK: Meeting

  /// - Parameter isFree: Whether this place of the object is there if any other object is left out.
  mutating func meet(_ object: ObjectIdentity, isFree: Bool, isStored: Bool) {
    if let number = numbers[object] {
      if !isFree { objects[number].isFree = false }
      return
    }
    numbers[object] = objects.count
    if isStored { unread[object.entity, default: []].append(objects.count) }
    objects.append(Object(identity: object, first: prints.count, isFree: isFree))
    prints.append(contentsOf: repeatElement(.none, count: indexes[object.entity]?.count ?? 0))
  }

  /// Reads what the objects have that were met since the last call, before they are written.
  mutating func readStored<W: StoreWriter>(in writer: inout W) throws {
    for (entity, numbers) in unread {
      guard let indexes = indexes[entity], !indexes.isEmpty else { continue }
      try writer.read(numbers.map { objects[$0].identity.id }, of: entity) { place, row in
        let first = objects[numbers[place]].first
        for (number, index) in indexes.enumerated() {
          prints[first + number] = Self.print(of: row, index, number, entity)
        }
      }
    }
    unread.removeAll()
  }

  private static func print(of row: Row, _ index: Schema.Index, _ number: Int, _ entity: Int) -> Print {
    var (high, low) = (Hasher(), Hasher())
    high.combine(entity)
    high.combine(number)
    low.combine(number)
    low.combine(entity)
    for part in index.parts {
      var slot = row[part.field].slot
      if slot.kind == .missing || slot.kind == .null { return .none }
      if slot.kind == .number, slot.number == 0 { slot.number = 0 }  // also if it was negative
      high.combine(slot.tag)
      low.combine(slot.tag)
      if slot.hasBytes {
        high.combine(slot.length)
        low.combine(slot.length)
        high.combine(bytes: UnsafeRawBufferPointer(slot.span))
        low.combine(bytes: UnsafeRawBufferPointer(slot.span))
      } else {
        high.combine(slot.integer)
        low.combine(slot.integer)
        if slot.kind == .date {
          high.combine(slot.length)
          low.combine(slot.length)
        }
      }
    }
    return Print(
      high: UInt64(bitPattern: Int64(high.finalize())) | 1, low: UInt64(bitPattern: Int64(low.finalize())))
  }

  // MARK: Following

  /// Follows what is left out because of others, from the end of a run.
  ///
  /// - Parameter left: The objects that are left out from now on. They have a key.
  /// - Returns: More of them, each behind its keeper.
  /// - Complexity: O(*n*) in the objects that the run has met.
  func links<W: StoreWriter>(from left: [ObjectIdentity], in writer: inout W) throws -> [Link] {
    guard left.contains(where: { !stored(of: $0).isEmpty }) else { return [] }
    let wanted = Set(prints)
    var holders: [Print: [Int]] = [:]
    for (entity, indexes) in indexes where !indexes.isEmpty {
      let free = objects.indices.filter { objects[$0].isFree && objects[$0].identity.entity == entity }
      for start in stride(from: 0, to: free.count, by: 4096) {
        let some = free[start..<min(start + 4096, free.count)]
        try writer.read(some.map { objects[$0].identity.id }, of: entity) { place, row in
          let object = objects[some[start + place]]
          for (number, index) in indexes.enumerated() {
            let print = Self.print(of: row, index, number, entity)
            guard print != .none, wanted.contains(print), prints[object.first + number] != print else {
              continue
            }
            holders[print, default: []].append(some[start + place])
          }
        }
      }
    }
    var isOut = Set(left)
    var links: [Link] = []
    var queue = left
    var next = 0
    while next < queue.count {
      let keeper = queue[next]
      next += 1
      for (index, print) in stored(of: keeper) {
        for number in holders[print] ?? [] {
          let object = objects[number].identity
          guard isOut.insert(object).inserted else { continue }
          links.append(Link(object: object, keeper: keeper, index: index))
          queue.append(object)
        }
      }
    }
    return links
  }

  /// What an object had before the transaction.
  private func stored(of object: ObjectIdentity) -> [(index: Schema.Index, print: Print)] {
    guard let number = numbers[object], let indexes = indexes[object.entity] else { return [] }
    let first = objects[number].first
    return zip(indexes, prints[first..<first + indexes.count]).filter { $1 != .none }.map { ($0, $1) }
  }

  /// The links as pairs of a store, which have the keys of both objects and their values.
  ///
  /// - Parameter keys: Those of the objects that the chains begin with.
  static func pairs<W: StoreWriter>(
    of links: [Link], _ plan: Plan, keys: [ObjectIdentity: PrimaryKey], in writer: inout W
  ) throws -> [DuplicateValues] {
    var keys = keys
    var contents = [[IndexRange.Content]?](repeating: nil, count: links.count)
    for (entity, places) in Dictionary(grouping: links.indices, by: { links[$0].object.entity }) {
      let keyFields = plan.traits.keyFields[entity]
      let fields = plan.schema.entities[entity].fields
      for start in stride(from: 0, to: places.count, by: 4096) {
        let some = Array(places[start..<min(start + 4096, places.count)])
        try writer.read(some.map { links[$0].object.id }, of: entity) { place, row in
          let link = links[some[place]]
          keys[link.object] = keyFields.lazy.compactMap { row[$0].key }.first
          contents[some[place]] = link.index.parts.map { part in
            fields[part.field].kind.target == nil
              ? row[part.field].value.map { .value($0) } ?? .none
              : row[part.field].target.map { .object($0) } ?? .none
          }
        }
      }
    }
    return zip(links, contents).compactMap { link, contents in
      guard let contents, let key = keys[link.object] else { return nil }
      return DuplicateValues(
        entity: link.object.entity, index: link.index.name, contents: contents,
        first: .init(id: link.keeper.id, key: keys[link.keeper]), second: .init(id: link.object.id, key: key))
    }
  }
}
