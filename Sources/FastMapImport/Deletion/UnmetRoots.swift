internal import CFastMap

/// The stored objects that an import replaces: see ``ImportOptions/replaces``.
struct UnmetRoots {
  private let query: BoundQuery
  /// The objects that fulfilled the condition before the import; nil for all objects of the entity.
  private var ids: [ObjectID]?
  private let hasCondition: Bool
  /// The number of objects before the import.
  private var total = 0
  /// Whether the entity has objects without a key.
  private let hasKeyless: Bool
  /// The objects without a key; nil before the import begins, and where all have one.
  private(set) var roots: StoredRoots?
  private var mark = 0
  /// The numbers of unidentified root objects, with a key and without.
  private var unreadable = (keyed: 0, keyless: 0)

  /// - Throws: ``FilterError``.
  init?(_ options: ImportOptions, _ plan: Plan) throws {
    guard let replaces = options.replaces else { return nil }
    switch replaces {
    case .all:
      query = try plan.query.bound(to: plan)
      hasCondition = false
    case .matching(let filter):
      query = try plan.query.where(filter).bound(to: plan)
      hasCondition = true
    }
    let entity = query.entity
    hasKeyless = plan.mappings.contains {
      $0.entity == entity && ($0.mapping.primaryKey == nil || $0.mapping.keepsKeyless)
    }
  }

  /// Finds the objects, before the import changes anything.
  mutating func find<W: StoreWriter>(_ hasher: ElementHasher, in writer: inout W) throws {
    if hasCondition { ids = try writer.reader.ids(of: query) }
    var run = QueryRun(query)
    total = try ids?.count ?? run.count(&writer.reader)
    guard hasKeyless else { return }
    roots = try StoredRoots(
      among: ids ?? writer.reader.ids(of: query), of: query.entity, query.plan, hasher, in: &writer)
  }

  /// Counts the unidentified root objects of a batch.
  mutating func countUnidentified(in unit: ImportUnit) {
    for index in 0..<unit.occurrenceCount where unit.occurrences[index].owner == FASTMAP_NONE {
      guard unit.isUnidentifiedRoot(index) else { continue }
      if unit.isElement(index) || unit.mappings[Int(unit.occurrences[index].mapping)].key_attribute < 0 {
        unreadable.keyless += 1
      } else {
        unreadable.keyed += 1
      }
    }
    mark = roots?.mark ?? 0
  }

  /// Gives back the roots that a transaction has taken that runs again.
  func goBack() { roots?.goBack(to: mark) }

  /// Marks a page of the payload that has no objects: any object may be missing there.
  mutating func markEmptyPage() { if note == nil { unreadable.keyed = 1 } }

  /// The objects that the payload does not have.
  func unmet<R: StoreReader>(_ tally: ChangeCounts, in reader: inout R) throws -> [ObjectID] {
    if note != nil { return [] }
    return try (ids ?? reader.ids(of: query)).filter { !tally.hasMet($0, of: query.entity) }
  }

  /// How many of the objects before the import are deleted; nil if there were none, or if nothing may be deleted.
  ///
  /// - Parameter left: The objects that stay although only deleted ones referred to them.
  func note(deleted: Int, left: Int) -> String? {
    if total == 0 || note != nil { return nil }
    let entity = escaped(query.plan.schema.entities[query.entity].name)
    let ending =
      left == 0
      ? ""
      : "; \(counted(left, "object")) that only deleted ones referred to \(left == 1 ? "is" : "are") left"
    return "\(deleted) of \(counted(total, "object")) of \(entity)\(hasCondition ? " that matched" : "") "
      + "\(deleted == 1 ? "is" : "are") deleted\(deleted == 0 ? "" : ", which the payload does not have")\(ending)"
  }

  /// The reason why nothing is deleted.
  var note: String? {
    let count = unreadable.keyed + unreadable.keyless
    if count == 0 { return nil }
    return "no missing objects were deleted, because "
      + (unreadable.keyless == 0 ? "the key of " : "") + "\(counted(count, "root object")) could not be read"
  }
}

extension ImportUnit {
  /// Whether a root object is unidentified: an object without a key that is left out, unless the mapping leaves
  /// out objects without a key.
  fileprivate func isUnidentifiedRoot(_ index: Int) -> Bool {
    let occurrence = occurrences[index]
    let flags = Int(occurrence.flags)
    guard flags & FASTMAP_SKIPPED != 0, PrimaryKey(slot: occurrence.key) == nil else { return false }
    let mapping = mappings + Int(occurrence.mapping)
    if flags & FASTMAP_KEYLESS != 0 || mapping.pointee.key_attribute < 0 {
      return flags & FASTMAP_ABSENT == 0
    }
    let isMerelySkipped = mapping.pointee.keyless == FASTMAP_KEYLESS_SKIP
    return flags & FASTMAP_UNIDENTIFIED != 0 || !isMerelySkipped
      || JSONNode(unsafe: occurrence.node)?.isNull ?? true
  }
}
