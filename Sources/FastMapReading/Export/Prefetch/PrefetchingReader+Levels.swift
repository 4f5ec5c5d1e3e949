/// Objects of one mapping, or of one source of a mapping, that were reached on paths with the same entities.
struct GatheringGroup: Hashable {
  var mapping: Int
  var source = 0
  var path = 0
}

/// An object in a group.
struct GatheringPlace: Hashable {
  var group: GatheringGroup
  var id: ObjectID
}

/// The objects of one level, by group.
struct GatheringLevel {
  private(set) var groups: [GatheringGroup] = []
  private(set) var ids: [[ObjectID]] = []
  private var numbers: [GatheringGroup: Int] = [:]
  /// The number of the group that was appended to last.
  private var last = 0
  package private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: ArraySlice<ObjectID>, to group: GatheringGroup) {
    if new.isEmpty { return }
    // Most come group by group.
    if last < groups.count, groups[last] == group {
      ids[last] += new
      count += new.count
      return
    }
    last = numbers[group] ?? groups.count
    if last == groups.count {
      numbers[group] = last
      groups.append(group)
      ids.append([])
    }
    ids[last] += new
    count += new.count
  }
}

extension PrefetchingReader {
  /// How much of an object is read.
  private enum Extent {
    case row
    /// Its row, and its targets without their rows.
    case lists
    case everything
  }

  /// Reads objects and the objects that their output needs, level by level.
  ///
  /// - Returns: Whether everything is read. False if the limit is reached.
  func gather(
    _ ids: [ObjectID], as mapping: Int, level: Int, in run: inout SerializerRun
  ) throws -> Bool {
    var path = 0
    pathsOfMapping.removeAll(keepingCapacity: true)
    if followsEntities, level > 0 {
      for entity in program.plan.schema.entities.indices where run.path.contains(entity: entity) {
        path = paths.adding(entity, to: path)
      }
    }
    var here = GatheringLevel()
    here.append(ids[...], to: GatheringGroup(mapping: mapping, path: path))
    guard level == 0, isAnticipating else { return try gather(here, level: level, in: &run) }
    // The rows and the lists in one round trip.
    let question = try ask(ids, as: mapping)
    let below = try gatherLevel(
      here, 0, askedRows: [program.layouts[mapping].entity: question.rows], askedLists: question.lists, &run)
    guard let below else {
      roots.hasForgotten = true
      return false
    }
    return try gather(below, level: 1, in: &run)
  }

  /// Reads a level and all levels below it.
  ///
  /// - Parameter asked: The objects of the level whose rows were asked for before, by entity.
  /// - Returns: Whether everything is read. False if the limit is reached.
  func gather(
    _ first: GatheringLevel, level: Int, asked: [Int: [ObjectID]] = [:], in run: inout SerializerRun
  ) throws -> Bool {
    var (here, level, asked) = (first, level, asked)
    while !here.isEmpty {
      guard let below = try gatherLevel(here, level, askedRows: asked, &run) else { return false }
      here = below
      asked = [:]
      level += 1
    }
    return true
  }

  /// Reads the rows and targets of one level's objects.
  ///
  /// - Parameters:
  ///   - askedRows: The objects whose rows were asked for before, by entity.
  ///   - askedLists: The owners whose targets were asked for before.
  /// - Returns: The level below it. Nil if the limit is reached.
  func gatherLevel(
    _ here: GatheringLevel, _ level: Int, askedRows: [Int: [ObjectID]] = [:],
    askedLists: [ObjectID] = [], _ run: inout SerializerRun
  ) throws -> GatheringLevel? {
    var (here, askedRows, askedLists) = (here, askedRows, askedLists)
    var below = GatheringLevel()
    // Sources are objects of the same level that are found one after the other.
    while !here.isEmpty {
      var sources = GatheringLevel()
      guard try gather(here, level, askedRows, askedLists, &sources, &below, &run) else { return nil }
      here = sources
      (askedRows, askedLists) = ([:], [])
    }
    return below
  }

  /// Reads the rows and targets of objects.
  ///
  /// - Parameters:
  ///   - sources: Receives the targets that are written into these objects.
  ///   - below: Receives the other targets.
  private func gather(
    _ here: GatheringLevel, _ level: Int, _ askedRows: [Int: [ObjectID]], _ askedLists: [ObjectID],
    _ sources: inout GatheringLevel, _ below: inout GatheringLevel, _ run: inout SerializerRun
  ) throws -> Bool {
    let waiting = (here.count * 2 + sources.count + below.count) * MemoryLayout<ObjectID>.stride
    func room() -> Int { limit - waiting - (byteCount - objects.byteCount) }
    let byEntity = here.byEntity(of: program).sorted(by: { $0.key < $1.key })
    let askedRows = byEntity.count > 1 ? try ask(rowsOf: byEntity, asked: askedRows) : askedRows
    for (entity, ids) in byEntity {
      let isComplete = try base.gatherRows(
        of: ids, entity: entity, into: objects, asked: askedRows[entity] ?? [], limit: room())
      guard isComplete else {
        roots.hasForgotten = roots.hasForgotten || isAnticipating
        return false
      }
    }

    var owners: [(group: GatheringGroup, ids: [ObjectID], links: [OutputNeeds.Link])] = []
    var lists: [ListQuestion: [ObjectID]] = [:]
    for (group, ids) in zip(here.groups, here.ids) {
      let needs = needs(of: group.mapping)
      if needs.links[group.source].isEmpty { continue }
      guard let all = extents(of: ids, in: group, level, &run) else { return false }
      let fields = needs.lists[group.source]
      if !fields.isEmpty, !all.lists.isEmpty {
        lists[ListQuestion(entity: entity(of: group), fields: fields), default: []] += all.lists
      }
      owners.append((group, all.followed, needs.links[group.source]))
    }
    for (question, ids) in lists.sorted(by: { $0.key < $1.key }) {
      let isComplete = try base.gatherTargets(
        of: ids, entity: question.entity, fields: question.fields, into: objects, asked: askedLists,
        limit: room())
      guard isComplete else { return false }
    }

    for (group, ids, links) in owners {
      let entity = entity(of: group)
      let path = followsEntities ? paths.adding(entity, to: group.path) : 0
      for link in links {
        let target = GatheringGroup(
          mapping: link.source == 0 ? link.mapping : group.mapping, source: link.source, path: path)
        guard follows(target) else { continue }
        for id in ids {
          let owner = ObjectIdentity(entity: entity, id: id)
          guard let targets = objects.targets(of: owner, field: link.field), !targets.isEmpty else {
            continue
          }
          if link.source == 0 {
            below.append(targets[...], to: target)
          } else {
            sources.append(targets.prefix(1), to: target)
          }
          guard fits(sources, below) else { return false }
        }
      }
    }
    return fits(sources, below)
  }

  /// Whether the objects read so far and the objects to read next are within the limit.
  private func fits(_ sources: GatheringLevel, _ below: GatheringLevel) -> Bool {
    let size = byteCount + (sources.count + below.count) * MemoryLayout<ObjectID>.stride
    mostBytes = max(mostBytes, size)
    return size <= limit
  }

  private struct ListQuestion: Hashable, Comparable {
    var entity: Int
    var fields: [Int]

    static func < (a: ListQuestion, b: ListQuestion) -> Bool {
      a.entity == b.entity ? a.fields.lexicographicallyPrecedes(b.fields) : a.entity < b.entity
    }
  }

  private func entity(of group: GatheringGroup) -> Int {
    program.layouts[group.mapping].sources[group.source].entity
  }

  /// Whether the objects of a group are read ahead. A mapping is followed on its first paths only, which are the
  /// shortest.
  private func follows(_ group: GatheringGroup) -> Bool {
    if group.path == 0 || pathsOfMapping[group.mapping]?.contains(group.path) == true { return true }
    if let known = pathsOfMapping[group.mapping], known.count >= Self.pathsOfEach { return false }
    pathsOfMapping[group.mapping, default: []].insert(group.path)
    return true
  }

  /// The objects of a group whose targets are needed, and the objects whose targets are followed. An object that was
  /// followed before is left out. Nil if the limit is reached.
  private func extents(
    of ids: [ObjectID], in group: GatheringGroup, _ level: Int, _ run: inout SerializerRun
  ) -> (lists: [ObjectID], followed: [ObjectID])? {
    let layout = program.layouts[group.mapping]
    let source = layout.sources[group.source]
    let isBelowRoot = level > 0 || group.source > 0
    let isCut =
      isBelowRoot
      && (options.depth.map { level > $0 } ?? false
        || followsEntities && paths.contains(source.entity, in: group.path))
    let known = options.depth == nil ? 0 : level
    var lists: [ObjectID] = []
    var followed: [ObjectID] = []
    for id in ids {
      let object = ObjectIdentity(entity: source.entity, id: id)
      guard let row = objects.row(of: object) else { continue }
      let place = GatheringPlace(group: group, id: id)
      if let before = self.followed[place], before <= known { continue }
      let isAbbreviated = isCut || isBelowRoot && run.isAbbreviated(id, as: source.mapping, level: 0)
      let extent = extent(row, as: program.layouts[source.mapping], group.source, isAbbreviated)
      if extent == .row, isAbbreviated { continue }
      self.followed[place] = known
      if group.source == 0 {
        let owner = ObjectIdentity(entity: group.mapping, id: id)
        prepared[owner] = min(prepared[owner] ?? .max, known)
      }
      if extent != .row { lists.append(id) }
      if extent == .everything { followed.append(id) }
      if byteCount > limit { return nil }
    }
    return (lists, followed)
  }

  /// How much is read of an object, by the rules of ``SerializerRun/shape(of:as:level:_:)``.
  private func extent(_ row: Row, as layout: OutputLayout, _ source: Int, _ isAbbreviated: Bool) -> Extent {
    if isAbbreviated {
      if layout.keyReadsObjects { return .lists }
      if let joined = layout.joined { return row[joined.field].isMissing ? .everything : .row }
      if layout.name != nil, !layout.isScoped { return .row }
      if let key = layout.key, row.hasValue(for: program.steps[key]) { return .row }
    }
    if source == 0, !layout.bare.isEmpty, !layout.isReworked || layout.isBareKey && !layout.keyReadsObjects {
      if layout.steps.isEmpty { return .row }
      if layout.bare.contains(where: { row.hasValue(for: program.steps[$0]) }) { return .row }
    }
    return .everything
  }
}
