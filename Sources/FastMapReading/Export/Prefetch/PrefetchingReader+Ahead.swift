/// Root objects in groups. While one is written, two others are read:
///
///     written        rows and targets known
///     window         own rows and targets known, rows of the targets asked for
///     after it       own rows and targets asked for
///
/// So the server, the network and the serializer work at the same time. Deeper levels are read when the group is
/// written.
struct RootsAhead {
  /// A group of root objects.
  struct Window {
    /// The number of root objects before it.
    let start: Int
    let ids: [ObjectID]
    /// Its targets, whose rows are not known.
    let below: GatheringLevel
    let pathsOfMapping: [Int: Set<Int>]
    /// The targets whose rows were asked for, by entity.
    var rows: [Int: [ObjectID]] = [:]
  }

  /// A question that was sent.
  struct Question {
    let start: Int
    let ids: [ObjectID]
    var rows: [ObjectID] = []
    package var lists: [ObjectID] = []
  }

  var window: Window?
  var question: Question?
  /// The number of root objects that were read completely, or that no read ahead is needed for.
  var end = 0
  /// The number of root objects that `byteCount` includes.
  package var count = 0
  var untilInput = 0
  /// Whether questions were sent that will not be asked.
  var hasForgotten = false

  /// Forgets the groups, because the objects read so far are dropped.
  mutating func forget() {
    hasForgotten = hasForgotten || window != nil || question != nil
    (window, question) = (nil, nil)
    (end, count) = (0, 0)
  }
}

extension PrefetchingReader {
  /// How many root objects are read together. Larger groups keep either side waiting at the ends.
  private static let groupSize = 1024
  private static let firstGroupSize = 128
  private static let inputInterval = 8

  func readAheadRoots(from id: ObjectID, in run: inout SerializerRun) throws {
    guard isAnticipating, upcoming.first == id else {
      let ids = upcoming.first == id ? upcoming : [id]
      _ = try readAhead(ids, as: 0, level: 0, in: &run)
      return
    }
    if roots.untilInput == 0 {
      try anticipating { try $0.consumeInput() }
      roots.untilInput = Self.inputInterval
    }
    roots.untilInput -= 1
    if position < roots.end { return }
    if let window = roots.window, window.start == position, window.ids.first == id {
      roots.window = nil
      try readAhead(from: position + window.ids.count, in: &run)
      if try finish(window, in: &run) { return }
      removeAll()
    }
    let count = try readAhead(upcoming.prefix(Self.firstGroupSize), as: 0, level: 0, in: &run)
    roots.end = position + max(1, count)
    roots.count += count
    guard count > 0 else { return }
    try dropAhead()
    try readAhead(from: roots.end, in: &run)
  }

  /// Reads the rest of a group.
  private func finish(_ window: RootsAhead.Window, in run: inout SerializerRun) throws -> Bool {
    pathsOfMapping = window.pathsOfMapping
    guard try gather(window.below, level: 1, asked: window.rows, in: &run) else { return false }
    roots.end = window.start + window.ids.count
    roots.count += window.ids.count
    return true
  }

  /// Forgets the questions that were sent.
  func dropAhead() throws {
    guard roots.hasForgotten || roots.window != nil || roots.question != nil else { return }
    (roots.window, roots.question, roots.hasForgotten) = (nil, nil, false)
    try anticipating { try $0.dropAnticipated() }
  }

  /// Reads the own rows and targets of the group that begins at a position, and asks for the next level and group.
  private func readAhead(from start: Int, in run: inout SerializerRun) throws {
    guard byteCount <= limit / 2, let ids = group(at: start) else { return try dropAhead() }
    let sent = roots.question.flatMap { $0.start == start ? $0 : nil }
    if sent == nil { try dropAhead() }
    roots.question = nil
    pathsOfMapping.removeAll(keepingCapacity: true)
    var here = GatheringLevel()
    here.append((sent?.ids ?? ids)[...], to: GatheringGroup(mapping: 0))
    let below = try gatherLevel(
      here, 0, askedRows: sent.map { [program.layouts[0].entity: $0.rows] } ?? [:],
      askedLists: sent?.lists ?? [], &run)
    guard let below else { return try dropAhead() }
    var window = RootsAhead.Window(
      start: start, ids: sent?.ids ?? ids, below: below, pathsOfMapping: pathsOfMapping)
    window.rows = try ask(
      rowsOf: below.byEntity(of: program).sorted(by: { $0.key < $1.key }), asked: [:])
    roots.window = window
    try askAhead(from: start + window.ids.count)
    try anticipating { try $0.consumeInput() }
  }

  /// Asks for the own rows and targets of the group that begins at a position.
  private func askAhead(from start: Int) throws {
    guard let ids = group(at: start) else { return }
    roots.question = try ask(ids, as: 0, start: start)
  }

  /// Asks for the rows and lists of objects, as far as the lists are needed whatever is in the rows.
  func ask(_ ids: [ObjectID], as mapping: Int, start: Int = 0) throws -> RootsAhead.Question {
    let layout = program.layouts[mapping]
    var question = RootsAhead.Question(start: start, ids: ids)
    question.rows = asking(rowsOf: ids, layout.entity)
    if !question.rows.isEmpty {
      try anticipating { try $0.anticipate(rowsOf: question.rows, of: layout.entity) }
    }
    let fields = needs(of: mapping).lists[0]
    if !fields.isEmpty, layout.sources.count == 1, layout.bare.isEmpty {
      question.lists = objects.unknownLists(among: ids, of: layout.entity, fields: fields)
      if !question.lists.isEmpty {
        try anticipating {
          try $0.anticipate(targetsOf: question.lists, entity: layout.entity, fields: fields)
        }
      }
    }
    return question
  }

  /// Asks for the rows of several entities, so that they come in one round trip.
  ///
  /// - Parameter asked: The objects that were asked for before, by entity.
  /// - Returns: The objects that were asked for by now.
  func ask(
    rowsOf byEntity: [(key: Int, value: [ObjectID])], asked: [Int: [ObjectID]]
  ) throws -> [Int: [ObjectID]] {
    guard isAnticipating else { return asked }
    var asked = asked
    for (entity, ids) in byEntity where asked[entity] == nil {
      let unknown = asking(rowsOf: ids, entity)
      if unknown.isEmpty { continue }
      try anticipating { try $0.anticipate(rowsOf: unknown, of: entity) }
      asked[entity] = unknown
    }
    return asked
  }

  /// The objects whose rows are not known, as many as fit.
  private func asking(rowsOf ids: [ObjectID], _ entity: Int) -> [ObjectID] {
    let unknown = objects.unknownRows(among: ids, of: entity)
    return Array(unknown.prefix(objects.rowCount(of: entity, in: limit / 8)))
  }

  /// The group that begins at a position; nil at the end, and if root objects are so large that few of them fit.
  private func group(at start: Int) -> [ObjectID]? {
    let size = roots.count == 0 ? 0 : byteCount / roots.count
    let most = min(Self.groupSize, limit / 16 / max(1, size))
    let ids = upcoming.dropFirst(start - position).prefix(most)
    return ids.isEmpty ? nil : Array(ids)
  }

  private func anticipating(_ body: (inout any AnticipatingReader) throws -> Void) rethrows {
    guard var reader = base as? any AnticipatingReader else { return }
    try body(&reader)
    base = reader
  }
}

extension GatheringLevel {
  /// All objects, by entity.
  func byEntity(of program: OutputProgram) -> [Int: [ObjectID]] {
    var result: [Int: [ObjectID]] = [:]
    for (group, ids) in zip(groups, ids) {
      result[program.layouts[group.mapping].sources[group.source].entity, default: []] += ids
    }
    return result
  }
}
