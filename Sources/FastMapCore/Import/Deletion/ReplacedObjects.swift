internal import CFastMap

/// The stored objects that an import replaces: see ``ImportOptions/replaces``.
struct ReplacedObjects {
  /// The query for all of them.
  private let query: BoundQuery
  /// The objects that fulfilled the condition before the import; nil for all objects of the entity.
  private var ids: [ObjectID]?
  private let hasCondition: Bool
  /// The number of root objects whose keys could not be read.
  private(set) var unreadable = 0

  /// - Throws: ``FilterError``; ``MappingDefinitionError`` for a mapping without a primary key.
  init?(_ options: ImportOptions, _ plan: Plan) throws {
    guard let replaces = options.replaces else { return nil }
    guard plan.root.primaryKey != nil else {
      let reason =
        "expected a mapping with a primary key, as the import replaces objects, found \(quoted(plan.root.name))"
      throw MappingDefinitionError([.init(place: JSONPath([.member("replaces")]), reason: reason)])
    }
    switch replaces {
    case .all:
      query = try plan.query.bound(to: plan)
      hasCondition = false
    case .matching(let filter):
      query = try plan.query.where(filter).bound(to: plan)
      hasCondition = true
    }
  }

  /// Finds the objects, before the import changes anything.
  mutating func find<W: StoreWriter>(in writer: inout W) throws {
    if hasCondition { ids = try writer.ids(of: query) }
  }

  /// Notes the root objects of a batch whose keys could not be read.
  mutating func note(_ unit: ImportUnit) {
    for index in 0..<unit.occurrenceCount where unit.occurrences[index].owner == FASTMAP_NONE {
      if unit.isUnidentifiedRoot(index) { unreadable += 1 }
    }
  }

  /// Notes a page of the payload that has no objects: any object may be missing there.
  mutating func notePage() { unreadable = max(1, unreadable) }

  /// The objects that the payload does not have.
  func unmet<W: StoreWriter>(_ tally: ChangeCounts, in writer: inout W) throws -> [ObjectID] {
    if unreadable > 0 { return [] }
    return try (ids ?? writer.ids(of: query)).filter { !tally.hasMet($0, of: query.entity) }
  }

  var note: String? {
    unreadable == 0
      ? nil
      : "nothing was deleted in place of what the payload does not have: the key of "
        + "\(counted(unreadable, "root object")) could not be read"
  }
}

extension ImportUnit {
  /// Whether nobody knows which object a root object is: an object without a key that is left out, unless the mapping leaves
  /// out objects without a key.
  fileprivate func isUnidentifiedRoot(_ index: Int) -> Bool {
    let occurrence = occurrences[index]
    let flags = Int(occurrence.flags)
    guard flags & FASTMAP_SKIPPED != 0, flags & FASTMAP_KEYLESS == 0, PrimaryKey(slot: occurrence.key) == nil
    else { return false }
    let isMerelySkipped = mappings[Int(occurrence.mapping)].keyless == FASTMAP_KEYLESS_SKIP
    return flags & FASTMAP_UNIDENTIFIED != 0 || !isMerelySkipped
      || JSONNode(unsafe: occurrence.node)?.isNull ?? true
  }
}
