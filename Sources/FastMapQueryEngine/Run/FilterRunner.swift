internal import CFastMap

/// Runs a filter over objects of one read: in chunks, which are read level by level in sets.
///
/// Memory is bounded by a chunk: it holds at most 64 MiB of copied rows, unless one object alone needs more.
final class FilterRunner: RowCondition {
  let program: FilterProgram
  /// Copies of objects, which a filter of rows alone does not need.
  private lazy var objects = GatheredObjects(program.schema)
  private let limit: Int
  private let fieldCount: Int
  /// A match passes all quick tests and `slowTests`. Raw memory, because an array would be retained for each object.
  private let quickTests: UnsafeMutableBufferPointer<FieldComparison>
  private let slowTests: FilterProgram.Node?
  /// By key set, the objects with these keys; nil before the first chunk.
  private var keySets: [Set<ObjectID>]?
  private var lists: [FilterLists]
  /// The values of one object.
  private let scratch = FilterMemory()
  private var shownValue = RowBuffer()
  /// The outputs of a chunk.
  private let kept = FilterMemory()
  private var outputs: [fastmap_slot] = []
  private var isFound: [Bool] = []
  private var chunkSize = 0

  /// The bytes of rows that a chunk may copy.
  static let limit = 64 << 20

  init(_ program: FilterProgram, limit: Int = FilterRunner.limit) {
    self.program = program
    self.limit = limit
    let (quick, slow) = program.root.parted
    quickTests = .allocate(capacity: quick.count)
    _ = quickTests.initialize(from: quick)
    slowTests = slow
    fieldCount = program.schema.entities[program.entity].fields.count
    lists = program.lists.map { FilterLists($0, program.schema, limit: max(1 << 20, limit / 2)) }
  }

  deinit { quickTests.deallocate() }

  /// The objects of a page that pay for a question.
  func pageSize<R: StoreReader>(_ reader: borrowing R) -> Int {
    if reader.prefersSets { return 4096 }
    return isLocal ? 64 : 1024
  }

  // MARK: Lent objects

  /// Resolves the key sets, once for the whole query.
  func begin<R: StoreReader>(_ reader: inout R) throws {
    if keySets == nil { keySets = try resolveKeys(&reader) }
  }

  /// Whether the filter is true for an object. The object's own fields decide.
  func includes(_ id: ObjectID, _ row: Row) throws -> Bool {
    try row.check(fields: fieldCount)
    for test in quickTests where !test.holds(row) { return false }
    return try slowTests.map { try includes(id, row, $0) } ?? true
  }

  /// The same for a filled row. Quick tests read its slots; only slow tests need a ``Row``.
  @inline(__always)
  func includes(_ id: ObjectID, slots: UnsafePointer<fastmap_slot>) throws -> Bool {
    // Not by value, which would copy each test.
    for place in quickTests.indices where !quickTests[place].holds(slots) { return false }
    return try slowTests.map { try includes(id, Row(slots: slots, count: fieldCount), $0) } ?? true
  }

  private func includes(_ id: ObjectID, _ row: Row, _ tests: FilterProgram.Node) throws -> Bool {
    scratch.removeAll()
    return try truth(tests, Context(id: id, row: row, stage: .row, place: 0)) == .yes
  }

  /// Whether the fields of an object decide, and no other object is read.
  var isLocal: Bool { max(program.stage, program.outputStage) == .row }

  private enum Truth { case no, yes, unknown }

  // MARK: Chunks

  /// Calls `body` with the index and the outputs of each match, in order.
  ///
  /// Objects that are not stored are left out.
  func run<R: StoreReader>(
    _ ids: [ObjectID], _ reader: inout R,
    _ body: (_ index: Int, _ outputs: UnsafeBufferPointer<fastmap_slot>) throws -> Void
  ) throws {
    try begin(&reader)
    let most = max(1, min(reader.prefersSets ? 4096 : 1024, (1 << 22) / max(1, program.weight)))
    // A program of rows copies nothing.
    var size = isLocal ? most : min(most, chunkSize == 0 ? 256 : chunkSize)
    var start = 0
    while start < ids.count {
      let chunk = Array(ids[start..<min(start + size, ids.count)])
      reset(chunk.count)
      if try evaluate(chunk, limit: chunk.count == 1 ? .max : limit, &reader) {
        let width = program.outputs.count
        for index in chunk.indices where isFound[index] {
          try outputs.withUnsafeBufferPointer {
            try body(start + index, UnsafeBufferPointer(rebasing: $0[index * width..<(index + 1) * width]))
          }
        }
        start += chunk.count
        size = min(most, size * 4)
      } else {
        size = max(1, chunk.count / 2)
      }
    }
    chunkSize = size
  }

  private func reset(_ count: Int) {
    if !isLocal { objects.removeAll() }
    kept.removeAll()
    isFound.removeAll(keepingCapacity: true)
    isFound.append(contentsOf: repeatElement(false, count: count))
    outputs.removeAll(keepingCapacity: true)
    outputs.append(contentsOf: repeatElement(fastmap_slot(), count: count * program.outputs.count))
  }

  private func resolveKeys<R: StoreReader>(_ reader: inout R) throws -> [Set<ObjectID>] {
    var found = program.keySets.map { _ in Set<ObjectID>() }
    let entities = Set(program.keySets.map(\.entity)).sorted()
    for entity in entities {
      let sets = program.keySets.indices.filter { program.keySets[$0].entity == entity }
      let keys = Set(sets.flatMap { program.keySets[$0].keys }).sorted()
      let ids = Dictionary(uniqueKeysWithValues: zip(keys, try reader.checkedFind(keys, of: entity)))
      for set in sets { found[set] = Set(program.keySets[set].keys.compactMap { ids[$0] ?? nil }) }
    }
    return found
  }

  /// - Returns: False if the chunk does not fit.
  private func evaluate<R: StoreReader>(_ ids: [ObjectID], limit: Int, _ reader: inout R) throws -> Bool {
    var pending: [Int] = []
    guard try evaluateRows(ids, limit, &reader, &pending) else { return false }
    if pending.isEmpty { return true }
    guard try gatherFrames(of: pending, ids, limit, &reader) else { return false }
    try decidePending(&pending, ids, .frames)
    if pending.isEmpty { return true }
    for number in lists.indices {
      let list = program.lists[number]
      var owners: [ObjectID?] = []
      for index in pending { owners.append(identity(list.frame, ids[index])?.id) }
      try lists[number].read(owners, entity: program.frames[list.frame].entity, &reader)
    }
    try decidePending(&pending, ids, .lists)
    return true
  }

  /// Decides objects by their rows where possible. Other objects are pending, and their rows are copied.
  private func evaluateRows<R: StoreReader>(
    _ ids: [ObjectID], _ limit: Int, _ reader: inout R, _ pending: inout [Int]
  ) throws -> Bool {
    let fields = fieldCount
    if reader.prefersSets, !isLocal {
      guard try reader.gatherRows(of: ids, entity: program.entity, into: objects, limit: limit) else {
        return false
      }
      for (index, id) in ids.enumerated() {
        guard let row = objects.row(of: .init(entity: program.entity, id: id)) else { continue }
        if try !decide(index, id, row, .row, place: 0) { pending.append(index) }
      }
      return true
    }
    if reader.prefersSets {
      try reader.read(ids, of: program.entity) { index, row in
        try row.check(index, of: ids, fields: fields)
        _ = try decide(index, ids[index], row, .row, place: 0)
      }
      return true
    }
    for (index, id) in ids.enumerated() {
      let isSettled = try reader.withRow(id, of: program.entity) { row in
        try row.check(fields: fields)
        if try decide(index, id, row, .row, place: 0) { return true }
        let object = ObjectIdentity(entity: program.entity, id: id)
        if !objects.isKnown(object) { try objects.keep(row, of: object) }
        return false
      }
      if isSettled == false { pending.append(index) }
      if isSettled == false, objects.byteCount > limit { return false }
    }
    return true
  }

  /// Reads the frames, level by level.
  private func gatherFrames<R: StoreReader>(
    of pending: [Int], _ ids: [ObjectID], _ limit: Int, _ reader: inout R
  ) throws -> Bool {
    let deepest = program.frames.last.map { _ in program.frames.reduce(0) { max($0, $1.level) } } ?? 0
    guard deepest > 0 else { return true }
    for level in 1...deepest {
      for number in program.frames.indices
      where program.frames[number].level == level && program.frames[number].isInverse {
        let frame = program.frames[number]
        let parents = pending.compactMap { identity(frame.parent, ids[$0])?.id }
        let entity = program.frames[frame.parent].entity
        guard
          try reader.gatherTargets(
            of: parents, entity: entity, fields: [frame.field], into: objects, limit: limit)
        else { return false }
      }
      var next = ObjectLevel()
      for number in program.frames.indices
      where program.frames[number].level == level && program.frames[number].needsRow {
        for index in pending {
          if let object = identity(number, ids[index]) { next.append(object.id, of: object.entity) }
        }
      }
      for entity in next.entities {
        guard try reader.gatherRows(of: next[entity], entity: entity, into: objects, limit: limit) else {
          return false
        }
      }
    }
    return true
  }

  /// Removes the objects that are decided from `pending`.
  private func decidePending(_ pending: inout [Int], _ ids: [ObjectID], _ stage: FilterProgram.Stage) throws {
    var left: [Int] = []
    for (place, index) in pending.enumerated() {
      guard let row = objects.row(of: .init(entity: program.entity, id: ids[index])) else { continue }
      if try !decide(index, ids[index], row, stage, place: place) { left.append(index) }
    }
    pending = left
  }

  /// - Returns: False if a later stage has to decide.
  private func decide(
    _ index: Int, _ id: ObjectID, _ row: Row, _ stage: FilterProgram.Stage, place: Int
  ) throws -> Bool {
    scratch.removeAll()
    let context = Context(id: id, row: row, stage: stage, place: place)
    switch try truth(program.root, context) {
    case .no: return true
    case .unknown: return false
    case .yes:
      if program.outputStage > stage { return false }
      for (number, output) in program.outputs.enumerated() {
        outputs[index * program.outputs.count + number] = try kept.copy(slot(output, context))
      }
      isFound[index] = true
      return true
    }
  }

  // MARK: One object

  private struct Context: ~Escapable {
    let id: ObjectID
    let row: Row
    let stage: FilterProgram.Stage
    /// Among the objects whose lists were read.
    let place: Int

    @_lifetime(copy row)
    init(id: ObjectID, row: Row, stage: FilterProgram.Stage, place: Int) {
      self.id = id
      self.row = row
      self.stage = stage
      self.place = place
    }
  }

  private func truth(_ node: FilterProgram.Node, _ context: Context) throws -> Truth {
    switch node {
    case .constant(let value): return value ? .yes : .no
    case .not(let part):
      switch try truth(part, context) {
      case .yes: return .no
      case .no: return .yes
      case .unknown: return .unknown
      }
    case .all(let parts):
      var result = Truth.yes
      for part in parts {
        switch try truth(part, context) {
        case .no: return .no
        case .unknown: result = .unknown
        case .yes: break
        }
      }
      return result
    case .any(let parts):
      var result = Truth.no
      for part in parts {
        switch try truth(part, context) {
        case .yes: return .yes
        case .unknown: result = .unknown
        case .no: break
        }
      }
      return result
    case .test(let test, let stage):
      if stage > context.stage { return .unknown }
      return try holds(test, context) ? .yes : .no
    }
  }

  private func holds(_ test: FilterProgram.Test, _ context: Context) throws -> Bool {
    switch test {
    case .exists(let operand): return try slot(operand, context).kind != .missing
    case .compare(let a, let comparison, let b):
      return comparison.holds(between: try slot(a, context), try slot(b, context))
    case .decimal(let operand, let test): return test.holds(try slot(operand, context))
    case .isOne(let operand, let literals): return literals.contains(try slot(operand, context))
    case .isObject(let operand, let keySet, let isNoneEqual):
      guard let id = try slot(operand, context).object else { return isNoneEqual }
      return keySets?[keySet].contains(id) ?? false
    case .text(let a, let textTest, let b, let pattern):
      return textTest.holds(try slot(a, context), try slot(b, context), pattern)
    }
  }

  private func slot(_ operand: FilterProgram.Operand, _ context: Context) throws -> fastmap_slot {
    var result = fastmap_slot()
    switch operand {
    case .literal(let literal): return literal.slot
    case .field(let frame, let field):
      result = row(frame, context)?[field].slot ?? fastmap_slot()
      // In a store, null is no value.
      if result.kind == .null { result.tag = UInt8(FASTMAP_MISSING) }
    case .shown(let frame, let field, let values):
      guard let row = row(frame, context) else { break }
      result = try shown(row[field].slot, values)
    case .object(let frame): if let object = identity(frame, context.id) { result.set(object.id) }
    case .json(let place, let selection):
      guard let text = try json(place, context) else { break }
      if let found = selection.first(in: text) { result = try found.slot(scratch) }
      if selection.isWhole, result.kind == .null { result.tag = UInt8(FASTMAP_MISSING) }
    case .jsonCount(let place, let selection):
      let count = try json(place, context).map { try selection.count(in: $0) } ?? 0
      result.set(FASTMAP_INTEGER, integer: Int64(count))
    case .jsonOnly(let place, let selection):
      if let text = try json(place, context), let found = try selection.only(in: text) {
        result = try found.slot(scratch)
      }
    case .listCount(let list):
      result.set(FASTMAP_INTEGER, integer: Int64(lists[list].counts[context.place]))
    case .listValue(let list): result = lists[list].values[context.place]
    case .length(let inner): result = try slot(inner, context).filterLength
    case .lowercased(let inner): result = try slot(inner, context).lowercased(scratch)
    case .presence(let inner):
      result.set(FASTMAP_INTEGER, integer: try slot(inner, context).kind == .missing ? 0 : 1)
    }
    return result
  }

  private func json(_ place: FilterProgram.JSONPlace, _ context: Context) throws -> JSONText? {
    guard let row = row(place.frame, context) else { return nil }
    var slot = row[place.field].slot
    if let values = place.shown { slot = try shown(slot, values) }
    return slot.kind == .json ? JSONText(slot.span) : nil
  }

  /// A stored value as a property shows it; as it is stored where the property cannot hold it.
  private func shown(_ slot: fastmap_slot, _ values: ShownValues) throws(SystemError) -> fastmap_slot {
    if slot.kind == .missing || slot.kind == .null { return values.none?.slot ?? fastmap_slot() }
    guard let access = values.access else { return slot }
    shownValue.reset(count: 1)
    guard shownValue.normalise(Field(slot), access, at: 0) else { return slot }
    try shownValue.checkWhole()
    return try scratch.copy(shownValue.slots[0])
  }

  /// The row of a frame's object; nil if there is no object.
  @_lifetime(copy context)
  private func row(_ frame: Int, _ context: Context) -> Row? {
    if frame == 0 { return context.row }
    let step = program.frames[frame]
    if step.isInverse {
      guard let object = identity(frame, context.id) else { return nil }
      return objects.row(of: object)
    }
    guard let id = row(step.parent, context)?[step.field].target else { return nil }
    return objects.row(of: .init(entity: step.entity, id: id))
  }

  private func identity(_ frame: Int, _ id: ObjectID) -> ObjectIdentity? {
    let step = program.frames[frame]
    if frame == 0 { return ObjectIdentity(entity: step.entity, id: id) }
    guard let parent = identity(step.parent, id),
      let target = step.isInverse
        ? objects.targets(of: parent, field: step.field)?.first : objects.row(of: parent)?[step.field].target
    else {
      return nil
    }
    return ObjectIdentity(entity: step.entity, id: target)
  }
}
