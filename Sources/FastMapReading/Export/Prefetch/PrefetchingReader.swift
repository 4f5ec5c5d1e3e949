/// Reads ahead the objects that a serializer is going to need, for a store whose questions cost much more than their
/// answers.
///
///     people ──▶ their rows, their targets ──▶ rows of the targets, their targets ──▶ …
///
/// Root objects, or the targets of a relationship, are read level by level, each with two questions for each entity:
/// rows, and targets of to-many relationships. The output's rules decide which relationships are followed. An object
/// that will be abbreviated to its key needs its row only. The serializer then runs on the gathered objects. The run asks
/// the store itself only for missing objects.
///
/// The gathered objects are limited to ``limit``. If they do not fit, fewer are read together. If not even one fits,
/// its relationships are read ahead when the serializer reaches them.
///
/// - Note: Used by one call at a time.
final class PrefetchingReader: StoreReader {
  var base: any StoreReader
  /// The root objects that follow, for the next question.
  var upcoming: ArraySlice<ObjectID> = []
  package var position = 0
  /// The groups of root objects that are read while others are written.
  var roots = RootsAhead()
  /// Whether the store answers while the caller works.
  let isAnticipating: Bool

  let objects: GatheredObjects
  let program: OutputProgram
  let options: SerializerOptions
  /// Whether an object's path decides whether it is abbreviated.
  let followsEntities: Bool

  /// The relationships that the objects of each mapping need; made on first use.
  private var needs: [OutputNeeds?]
  var paths = EntityPaths()
  /// The paths on which objects of a mapping are followed. All combinations of entities would be too many.
  var pathsOfMapping: [Int: Set<Int>] = [:]
  /// The lowest level at which an object's relationships were followed.
  var followed: [GatheringPlace: Int] = [:]
  /// The same on any path, by mapping.
  var prepared: [ObjectIdentity: Int] = [:]
  /// How many objects of a mapping are read together.
  private var windows: [Int: Int] = [:]

  /// The most bytes that are read ahead.
  static let limit = 64 << 20
  /// The most root objects or targets that are read together.
  static let largestWindow = 4096
  private static let firstWindow = 1024
  static let pathsOfEach = 8

  let limit: Int
  var mostBytes = 0

  init(_ base: any StoreReader, for run: borrowing SerializerRun, limit: Int = PrefetchingReader.limit) {
    self.base = base
    isAnticipating = base is any AnticipatingReader
    self.limit = limit
    program = run.program
    options = run.options
    followsEntities = run.cycles == .entityAsKey
    objects = GatheredObjects(run.program.plan.schema)
    needs = Array(repeating: nil, count: run.program.layouts.count)
  }

  func needs(of mapping: Int) -> OutputNeeds {
    if let known = needs[mapping] { return known }
    let made = OutputNeeds(program.layouts[mapping], of: program)
    needs[mapping] = made
    return made
  }

  /// The memory in use.
  var byteCount: Int { objects.byteCount + (followed.count + prepared.count) * GatheredObjects.entrySize }

  func removeAll() {
    roots.forget()
    objects.removeAll()
    followed.removeAll(keepingCapacity: true)
    prepared.removeAll(keepingCapacity: true)
  }

  /// Reads ahead from the first of some objects on, unless it was read before.
  ///
  /// - Parameters:
  ///   - ids: Objects that are going to be written, in this order.
  ///   - level: The number of relationships from the root to them.
  ///   - run: The state of the output.
  /// - Returns: The number of objects that were read, from the first on.
  @discardableResult
  func readAhead(
    _ ids: ArraySlice<ObjectID>, as mapping: Int, level: Int, in run: inout SerializerRun
  ) throws -> Int {
    guard let first = ids.first else { return 0 }
    let object = ObjectIdentity(entity: program.layouts[mapping].entity, id: first)
    if needs(of: mapping).isLeaf {
      if objects.isKnown(object) { return 0 }
    } else {
      if let known = prepared[ObjectIdentity(entity: mapping, id: first)], known <= level { return 0 }
      if objects.isAbsent(object) { return 0 }
      if level > 0, objects.isKnown(object), run.isAbbreviated(first, as: mapping, level: level) { return 0 }
    }
    if byteCount > limit / 2 { removeAll() }
    var count = min(windows[mapping] ?? Self.firstWindow, ids.count)
    while true {
      let before = byteCount
      if try gather(Array(ids.prefix(count)), as: mapping, level: level, in: &run) {
        let size = max(1, (byteCount - before) / count)
        let window = max(windows[mapping] ?? Self.firstWindow, count * 2)
        windows[mapping] = max(1, min(Self.largestWindow, window, limit / 2 / size))
        return count
      }
      if roots.hasForgotten { try dropAhead() }
      windows[mapping] = max(1, count / 4)
      if count == 1 {
        // Some followed objects were not read. The serializer reads ahead again further down.
        followed.removeAll(keepingCapacity: true)
        prepared.removeAll(keepingCapacity: true)
        return 0
      }
      count /= 4
      if count == 0 { count = 1 }
      removeAll()
    }
  }

  /// Calls `body` with root objects until it returns false, and notes which ones follow.
  ///
  /// - Parameter next: Objects that follow in another call.
  func forEach(
    of ids: some Sequence<ObjectID>, before next: [ObjectID] = [], _ body: (ObjectID) throws -> Bool
  ) throws {
    var ids = ids.makeIterator()
    var first = ids.next()
    while let begin = first {
      var chunk = [begin]
      first = ids.next()
      while chunk.count < Self.largestWindow, let id = first {
        chunk.append(id)
        first = ids.next()
      }
      let count = chunk.count
      if first == nil { chunk += next }
      for index in 0..<count {
        upcoming = chunk[index...]
        defer { position += 1 }
        guard try body(chunk[index]) else { return }
      }
    }
  }

  // MARK: Answers for the serializer

  func use(_ schema: Schema) throws { try base.use(schema) }

  func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    var missing: [(index: Int, id: ObjectID)] = []
    for (index, id) in ids.enumerated() {
      let object = ObjectIdentity(entity: entity, id: id)
      if let row = objects.row(of: object) {
        try body(index, row)
      } else if !objects.isKnown(object) {
        missing.append((index, id))
      }
    }
    if missing.isEmpty { return }
    try base.read(missing.map(\.id), of: entity) { index, row in
      try StoreContractError.check(position: index, below: missing.count)
      try body(missing[index].index, row)
    }
  }

  func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    let object = ObjectIdentity(entity: entity, id: id)
    if let row = objects.row(of: object) {
      buffer.copy(row)
      return true
    }
    if !objects.isKnown(object) { return try base.read(id, of: entity, into: &buffer) }
    buffer.reset(count: 0)
    return false
  }

  package func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID] {
    try objects.targets(of: ObjectIdentity(entity: entity, id: owner), field: field)
      ?? base.targets(of: owner, entity: entity, field: field)
  }

  package func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    var known: [[[ObjectID]]] = []
    for field in fields {
      var lists: [[ObjectID]] = []
      for owner in owners {
        guard let list = objects.targets(of: ObjectIdentity(entity: entity, id: owner), field: field) else {
          return try base.targets(of: owners, entity: entity, fields: fields)
        }
        lists.append(list)
      }
      known.append(lists)
    }
    return known
  }

  func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try base.owners(of: targets, entity: entity, field: field)
  }

  var prefersSets: Bool { base.prefersSets }

  func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] { try base.find(keys, of: entity) }
  package func count(of entity: Int) throws -> Int { try base.count(of: entity) }

  func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout PrefetchingReader, ObjectPage) throws -> Bool
  ) throws {
    var own = base
    defer { base = own }
    try own.forEachPage(
      of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize, ahead: self, body)
  }
}

extension StoreReader {
  /// Lends each page to `body`, with the reader that reads ahead on top of this one.
  fileprivate mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int, ahead gatherer: PrefetchingReader,
    _ body: (inout PrefetchingReader, ObjectPage) throws -> Bool
  ) throws {
    var gatherer = gatherer
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { reader, page in
      gatherer.base = reader
      // Keep the cache of the store's reader.
      defer { if let used = gatherer.base as? Self { reader = used } }
      return try body(&gatherer, page)
    }
  }
}
