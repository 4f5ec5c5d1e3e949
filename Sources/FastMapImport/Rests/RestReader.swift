internal import CFastMap

/// A reader that shows the new fields of a plan before a write has declared them: their values come from rests.
///
/// Questions about values go through the objects, as the store's indexes and tests know nothing of these values.
package struct RestReader<Base: StoreReader>: StoreReader {
  private var base: Base
  private let moves: RestMoves
  private let unit: ImportUnit
  /// Whether the base has the numbers of the plan.
  private var isOfPlan = true

  /// Nil if the store has all fields of the plan, or no rest has values for them.
  ///
  /// - Parameter base: Uses the schema of the plan.
  package init?(_ base: Base, _ plan: Plan) throws {
    var base = base
    guard let moves = try RestMoves(plan, in: &base), !moves.isEmpty else { return nil }
    (self.base, self.moves, unit) = (base, moves, try ImportUnit(reading: plan))
  }

  package var prefersSets: Bool { base.prefersSets }

  package mutating func use(_ schema: Schema) throws {
    try base.use(schema)
    isOfPlan = schema.isIdentical(to: moves.plan.schema)
  }

  package mutating func storedSchema() throws -> Schema? { try base.storedSchema() }

  package mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try base.find(keys, of: entity)
  }

  package mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    let (moves, unit) = (isOfPlan ? moves : nil, unit)
    var buffer = RowBuffer()
    try base.read(ids, of: entity) { index, row in
      guard let values = try moves?.values(of: row, entity, unit) else { return try body(index, row) }
      buffer.copy(row)
      try buffer.checkWhole()
      for (field, slot) in values.slots {
        buffer.setBorrowed(slot.tag == FASTMAP_NULL ? fastmap_slot() : slot, at: field)
      }
      try withExtendedLifetime(values) { try body(index, buffer.row) }
      unit.reset()
    }
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try base.targets(of: owners, entity: entity, fields: fields)
  }

  package mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try base.owners(of: targets, entity: entity, field: field)
  }

  package mutating func firstOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [ObjectID?] {
    try base.firstOwners(of: targets, entity: entity, field: field)
  }

  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) {
      try body(&copy, $1)
    }
    isOfPlan = copy.isOfPlan
  }

  package mutating func count(of entity: Int) throws -> Int { try base.count(of: entity) }
  package mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    try base.count(of: entity, keys: keys)
  }
}

extension Store {
  /// As ``read(_:_:)-(PlanSource,_)``. New fields of the plan have their values from rests.
  package func readWithRests<R>(_ plan: Plan, _ body: (inout Snapshot) throws -> R) throws -> R {
    try read(plan.schema) { reader in
      var snapshot =
        try RestReader(reader, plan).map { Snapshot($0, plan.schema) } ?? Snapshot(reader, plan.schema)
      return try body(&snapshot)
    }
  }
}
