/// The result of a deletion.
///
///     let report = try store.delete("Person", keys: 100...199, in: plan)
///     print(report["Person"], "people,", report.total, "objects in all")
public struct DeletionReport: Equatable, Sendable {
  /// The entities with deleted objects, in the order of the mappings.
  public let entities: [ImportReport.Row]

  /// Makes a report.
  public init(entities: [ImportReport.Row]) { self.entities = entities }

  /// The number of deleted objects of an entity.
  public subscript(entity: String) -> Int {
    entities.first { $0.entity.utf8.elementsEqual(entity.utf8) }?.counts.deleted ?? 0
  }

  /// The number of deleted objects.
  public var total: Int { entities.reduce(0) { $0 + $1.counts.deleted } }
}

/// Deletes objects, each call in one transaction.
///
/// An object is deleted even if others refer to it, and is removed from every relationship that has it. As when a
/// `replace` removes an object, the objects that it owned are deleted too, and objects that only its `replace`
/// relationships had. Relationships that the plan does not name stay.
///
/// If a call throws, nothing is changed, for example for an entity that the plan does not know
/// (``UnknownNameError``). If there is nothing to delete, nothing is written.
extension Store {
  /// Deletes the object with a key, if it exists.
  ///
  /// - Complexity: O(log *n*), and O(*m*) for each list of *m* objects that contains it.
  @discardableResult
  public func delete(
    _ entity: String, key: some PrimaryKeyConvertible, in mapping: any PlanSource
  ) throws -> DeletionReport {
    try delete(entity, keys: [key.primaryKey], in: mapping)
  }

  /// Deletes the objects with the given keys. Keys without an object are ignored.
  ///
  /// - Complexity: O(*k* log *n*), and O(*m*) once for each list of *m* objects that contains some of them.
  @discardableResult
  public func delete(_ entity: String, keys: [PrimaryKey], in mapping: any PlanSource) throws
    -> DeletionReport
  {
    try delete(entity, mapping.plan()) { writer, entity in
      try writer.checkedFind(keys, of: entity).compactMap(\.self)
    }
  }

  /// Deletes the objects whose keys are in a range.
  ///
  /// - Complexity: O(*k* log *n*), and O(*m*) once for each list of *m* objects that contains some of them.
  @discardableResult
  public func delete(
    _ entity: String, keys: any KeyRangeExpression, in mapping: any PlanSource
  ) throws -> DeletionReport {
    try delete(entity, mapping.plan()) { writer, entity in try writer.ids(of: entity, keys: keys.keyRange) }
  }

  /// Deletes all objects of an entity, with a key or without.
  @discardableResult
  public func deleteAll(_ entity: String, in mapping: any PlanSource) throws -> DeletionReport {
    try delete(entity, mapping.plan()) { writer, entity in try writer.ids(of: entity, keys: nil) }
  }

  /// Deletes the objects that a query asks for, in the transaction that finds them.
  ///
  ///     let report = try store.delete(Person.mapping.where { $0.lastSeen < limit })
  ///
  /// With an order and a limit it deletes the first ones: `sorted(by: \.lastSeen).limit(100)`.
  ///
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, or as the other deletions.
  /// - Complexity: As finding the objects, and then deleting them by their keys.
  @discardableResult
  public func delete<Source: PlanSource>(_ query: Query<Source>) throws -> DeletionReport {
    let plan = try query.source.plan()
    let bound = try query.bound(to: plan)
    return try delete(plan.root.entity, plan) { writer, _ in try writer.ids(of: bound) }
  }

  /// Counts the objects that ``delete(_:)`` of a query would delete. Nothing is changed.
  ///
  /// - Throws: As ``delete(_:)``.
  public func deletionReport<Source: PlanSource>(for query: Query<Source>) throws -> DeletionReport {
    let plan = try query.source.plan()
    let bound = try query.bound(to: plan)
    return try delete(plan.root.entity, plan, keeps: true) { writer, _ in try writer.ids(of: bound) }
  }

  package func delete(
    _ name: String, _ plan: Plan, keeps: Bool = false,
    _ choose: (inout Writer, Int) throws -> [ObjectID]
  ) throws -> DeletionReport {
    let entity = try plan.schema.number(of: name)
    return try transact(plan.schema) { writer in
      let ids = Set(try choose(&writer, entity)).sorted()
      if ids.isEmpty {
        let report = DeletionReport(entities: [])
        return writer.hasStoredDefaults && !keeps ? .commit(report) : .rollBack(report)
      }
      var sweep = DeletionSweep(plan: plan)
      try sweep.addTargets(of: ids, entity, writer: &writer)
      try sweep.add(writer.takeLeftovers(of: nil))
      var tally = ChangeCounts(entityCount: plan.schema.entities.count, keepsRewritten: false)
      let count = try writer.delete(ids, of: entity).count
      try sweep.run(on: &writer, tally: &tally)
      let report = DeletionReport(
        entities: plan.schema.entities.enumerated().compactMap { index, schema in
          let deleted = (index == entity ? count : 0) + tally.deletedCount(of: index)
          return deleted == 0 ? nil : .init(entity: schema.name, counts: .init(deleted: deleted))
        })
      return keeps ? .rollBack(report) : .commit(report)
    }
  }
}

/// Deletes objects of a mapping, or of a plan's first mapping.
extension Store {
  /// Deletes the object with a key, if it exists.
  @discardableResult
  public func delete(
    _ mapping: any PlanSource, key: some PrimaryKeyConvertible
  ) throws -> DeletionReport {
    try delete(mapping, keys: [key.primaryKey])
  }

  /// Deletes the objects with the given keys. Keys without an object are ignored.
  @discardableResult
  public func delete(_ mapping: any PlanSource, keys: [PrimaryKey]) throws -> DeletionReport {
    let plan = try mapping.plan()
    return try delete(plan.root.entity, keys: keys, in: plan)
  }

  /// Deletes the objects whose keys are in a range.
  @discardableResult
  public func delete(_ mapping: any PlanSource, keys: any KeyRangeExpression) throws
    -> DeletionReport
  {
    let plan = try mapping.plan()
    return try delete(plan.root.entity, keys: keys, in: plan)
  }

  /// Deletes all objects of the mapping's entity, with a key or without.
  @discardableResult
  public func deleteAll(_ mapping: any PlanSource) throws -> DeletionReport {
    let plan = try mapping.plan()
    return try deleteAll(plan.root.entity, in: plan)
  }
}

extension StoreWriter {
  fileprivate mutating func ids(of entity: Int, keys: KeyRange?) throws -> [ObjectID] {
    var ids: [ObjectID] = []
    try forEachPage(of: entity, keys: keys, isDescending: false, pageSize: PageSize.ofNumbers) { _, page in
      ids += page.ids
      return true
    }
    return ids
  }
}
