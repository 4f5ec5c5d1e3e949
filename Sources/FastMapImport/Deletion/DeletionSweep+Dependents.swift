/// Objects whose key has a deleted object as a part.
extension DeletionSweep {
  /// Adds the objects that cannot be without some objects which are deleted.
  ///
  /// - Parameter ids: Stored objects of one entity, without repeats.
  /// - Complexity: O(*n* log *n*) in the references to them; nothing if no key has them as a part.
  mutating func addDependents<W: StoreWriter>(
    of ids: [ObjectID], _ entity: Int, writer: inout W
  ) throws {
    for (owner, fields) in Dictionary(grouping: plan.traits.dependentFields[entity], by: \.entity) {
      var found: Set<ObjectID> = []
      try writer.forEachReferences(to: ids, of: entity) { _, references in
        for reference in references where reference.entity == owner { found.insert(reference.owner) }
      }
      if found.isEmpty { continue }
      let owners = found.sorted()
      let deleted = Set(ids)
      let lists = try writer.reader.checkedTargets(of: owners, entity: owner, fields: fields.map(\.field))
      for list in lists {
        addDeleted(
          zip(owners, list).filter { $1.contains(where: deleted.contains) }.map(\.0), of: owner,
          evenIfMet: deletesMetDependents)
      }
    }
  }
}

extension StoreWriter {
  /// ``references(to:of:after:limit:)``, with as many lists as targets.
  mutating func checkedReferences(
    to ids: [ObjectID], of entity: Int, after last: Reference? = nil, limit: Int
  ) throws -> [[Reference]] {
    let found = try references(to: ids, of: entity, after: last, limit: limit)
    try StoreContractError.check(
      found.count, isCount: ids.count, of: "lists", in: "references(to:of:after:limit:)")
    return found
  }

  /// Calls back with all references to objects, some at a time.
  mutating func forEachReferences(
    to ids: [ObjectID], of entity: Int, _ body: (inout Self, [Reference]) throws -> Void
  ) throws {
    let (first, more) = (64, 1024)
    for start in stride(from: 0, to: ids.count, by: 64) {
      let some = Array(ids[start..<min(start + 64, ids.count)])
      let lists = try checkedReferences(to: some, of: entity, limit: first)
      try body(&self, Array(lists.joined()))
      for (id, list) in zip(some, lists) {
        var last = list.count < first ? nil : list.last
        while last != nil {
          let next = try checkedReferences(to: [id], of: entity, after: last, limit: more)[0]
          try body(&self, next)
          last = next.count < more ? nil : next.last
        }
      }
    }
  }
}
