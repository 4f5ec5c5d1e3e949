/// The result of a deletion.
///
///     let report = try store.delete(Person.mapping.keys(100...199))
///     print(report["Person"], "people,", report.total, "objects in all")
public struct DeletionReport: Equatable, Sendable {
  /// The entities with deleted objects, in the order of the mappings.
  public let entities: [ImportReport.Row]

  /// Makes a report.
  package init(entities: [ImportReport.Row]) { self.entities = entities }

  /// The number of deleted objects of an entity.
  public subscript(entity: String) -> Int {
    entities.first { $0.entity.utf8.elementsEqual(entity.utf8) }?.counts.deleted ?? 0
  }

  /// The number of deleted objects.
  public var total: Int { entities.reduce(0) { $0 + $1.counts.deleted } }
}

/// Deletes objects. Each call on a store is a transaction of its own.
///
/// An object is deleted even if others refer to it, and is removed from every relationship that has it. As when a
/// `replace` removes an object, the objects that it owned are deleted too, and objects that only its `replace`
/// relationships had. Relationships that the plan does not name stay.
///
/// If a call throws, nothing is changed. If there is nothing to delete, nothing is written.
extension StoreAccess where Self: ~Copyable {
  /// Deletes the objects of a mapping or a query, in the transaction that finds them.
  ///
  ///     try store.delete(Person.mapping.keys(100...199))
  ///     let report = try store.delete(Person.mapping.where { $0.lastSeen < limit })
  ///
  /// With an order and a limit it deletes the first ones: `sorted(by: \.lastSeen).limit(100)`.
  ///
  /// - Parameters:
  ///   - query: A query. A mapping or a plan stands for all of its objects, with a key or without.
  ///   - isDryRun: Whether to count the deletions only. Nothing is changed then.
  /// - Returns: The numbers of deleted objects.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, ``MappingDefinitionError``, or the store's own error.
  /// - Complexity: As finding the objects, and then O(log *n*) for each, and O(*m*) once for each list of *m* objects that contains
  ///   some of them.
  @discardableResult
  public func delete<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, isDryRun: Bool = false
  ) throws -> DeletionReport {
    let query = query.query
    let plan = try query.source.plan()
    let bound = try query.bound(to: plan)
    return try store.delete(bound, plan, isDryRun: isDryRun)
  }

  /// Deletes the object with a key, if it exists.
  ///
  ///     try store.delete(Person.mapping, key: 7)
  ///
  /// - Parameters:
  ///   - mapping: A mapping, or a plan for its first mapping.
  ///   - key: The primary key.
  /// - Returns: The numbers of deleted objects.
  /// - Throws: ``MappingDefinitionError``, or the store's own error.
  /// - Complexity: O(log *n*), and O(*m*) for each list of *m* objects that contains it.
  @discardableResult
  public func delete(_ mapping: any PlanSource, key: some PrimaryKeyConvertible) throws -> DeletionReport {
    let plan = try mapping.plan()
    return try delete(plan.keys([key]))
  }
}

extension Store {
  fileprivate func delete(_ query: BoundQuery, _ plan: Plan, isDryRun: Bool) throws -> DeletionReport {
    try delete(query.entity, plan, isDryRun: isDryRun) { reader, _ in try reader.ids(of: query) }
  }

  /// - Parameter onlyOrphans: Whether chosen objects stay that any relationship has.
  package func delete(
    _ entity: Int, _ plan: Plan, isDryRun: Bool = false, onlyOrphans: Bool = false,
    _ choose: (inout Reader, Int) throws -> [ObjectID]
  ) throws -> DeletionReport {
    if isDryRun, openTransaction != nil { throw TransactionError.dryRun }
    let moves = try isDryRun ? restMoves(to: plan, isDryRun: true) : nil
    if !isDryRun { try moveRests(to: plan) }
    return try transact(plan.schema) { writer in
      _ = try moves?.run(on: &writer)
      var ids = Set(try choose(&writer.reader, entity)).sorted()
      if onlyOrphans { ids = try DeletionSweep.unreferenced(ids, of: entity, in: &writer) }
      if ids.isEmpty {
        let report = DeletionReport(entities: [])
        return writer.hasStoredDefaults && !isDryRun ? .commit(report) : .rollBack(report)
      }
      var sweep = DeletionSweep(plan: plan)
      try sweep.addCompanions(of: ids, entity, writer: &writer)
      try sweep.add(writer.claimLeftovers(of: nil))
      var tally = ChangeCounts(entityCount: plan.schema.entities.count, keepsRewritten: false)
      let count = try writer.delete(ids, of: entity).count
      try sweep.run(on: &writer, tally: &tally)
      let report = DeletionReport(
        entities: plan.schema.entities.enumerated().compactMap { index, schema in
          let deleted = (index == entity ? count : 0) + tally.deletedCount(of: index)
          return deleted == 0 ? nil : .init(entity: schema.name, counts: .init(deleted: deleted))
        })
      return isDryRun ? .rollBack(report) : .commit(report)
    }
  }
}
