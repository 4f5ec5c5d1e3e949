internal import CFastMap

/// Finds the occurrences that are older than their objects: ``MappingDefinition/newerBy``.
///
///     {"id": 7, "at": 2, …}     object 7 at 1 is now at 2
///     {"id": 7, "at": 1, …}     stale: nothing of it is used but the objects with keys inside of it
///
/// - Note: `Identity` stands for an object.
struct StaleOccurrences<Identity: Hashable> {
  private struct Place: Hashable {
    let object: Identity
    let field: Int
  }

  /// The field that decides, by mapping.
  private let newerFields: [Int?]
  /// The fields that decide in any mapping, by entity.
  private let fields: [[Int]]
  private let defaults: [[DefaultSlot]]
  /// The values of objects at this point of the payload. An object without a value has none.
  private var values: [Place: Value] = [:]
  private var known: Set<Identity> = []

  /// Nil if no mapping of the plan has such a field.
  init?(_ plan: Plan) {
    guard plan.hasNewer else { return nil }
    let newer = plan.mappings.map(\.newerField)
    newerFields = newer
    fields = plan.schema.entities.indices.map { entity in
      Set(zip(plan.mappings, newer).compactMap { $0.entity == entity ? $1 : nil }).sorted()
    }
    defaults = plan.compiled.defaults
  }

  /// The fields that decide about an occurrence's object.
  func fields(of entity: Int) -> [Int] { fields[entity] }

  mutating func set(_ value: Value?, at field: Int, of object: Identity) {
    known.insert(object)
    values[Place(object: object, field: field)] = value
  }

  /// Marks the stale occurrences of a batch, and the objects without keys that belong to them.
  ///
  /// - Parameters:
  ///   - object: The object of an occurrence; nil for an object that is always new.
  ///   - onFound: Called for each occurrence of such an object.
  mutating func mark(
    in unit: ImportUnit, object: (_ index: Int) -> Identity?,
    onFound: (fastmap_occurrence, _ isStale: Bool) -> Void
  ) {
    var index = 0
    while index < unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      if occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      defer { index += 1 }
      let isOwned = occurrence.flags & UInt32(FASTMAP_OWNED) != 0
      if isOwned, unit.occurrence(Int(occurrence.owner)).flags & UInt32(FASTMAP_STALE) != 0 {
        unit.occurrences[index].flags |= UInt32(FASTMAP_STALE)
        continue
      }
      let mapping = Int(occurrence.mapping)
      let entity = Int(unit.mappings[mapping].entity)
      if fields[entity].isEmpty { continue }
      guard let object = object(index) else { continue }
      let isStale = isStale(occurrence, newerFields[mapping], object)
      if isStale {
        unit.occurrences[index].flags |= UInt32(FASTMAP_STALE)
      } else {
        recordValues(occurrence, entity, object)
      }
      onFound(occurrence, isStale)
    }
  }

  private func isStale(_ occurrence: fastmap_occurrence, _ field: Int?, _ object: Identity) -> Bool {
    guard let field, let row = occurrence.row, let now = values[Place(object: object, field: field)],
      let new = Field(row[field].value).value
    else { return false }
    return new.isLess(than: now)
  }

  /// Records the values of an occurrence that counts.
  private mutating func recordValues(_ occurrence: fastmap_occurrence, _ entity: Int, _ object: Identity) {
    let isNew = known.insert(object).inserted
    for field in fields[entity] {
      let place = Place(object: object, field: field)
      if let row = occurrence.row, row[field].tag != FASTMAP_MISSING {
        values[place] = Field(row[field].value).value.flatMap { $0 == .null ? nil : $0 }
      } else if isNew, let slot = defaults[entity].first(where: { $0.field == field })?.slot {
        values[place] = Field(slot).value
      }
    }
  }
}

extension Value {
  /// The order of two values of one attribute; strings by their bytes.
  fileprivate func isLess(than other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.integer, .unsigned): true
    case (.unsigned(let a), .unsigned(let b)): a < b
    case (.number(let a), .number(let b)): a < b
    case (.decimal(let a), .decimal(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.date(let a), .date(let b)): a < b
    default: false
    }
  }
}

extension ImportUnit {
  /// Marks the occurrences that are older than their objects. Objects without keys inside of them are not looked for.
  func leaveOutStale<R: StoreReader>(in reader: inout R) throws {
    guard var stale = StaleOccurrences<Int>(plan) else { return }
    for entity in keyed.indices where !stale.fields(of: entity).isEmpty {
      let stored = keyed[entity].filter { objects[$0].isStored && objects[$0].isPresent }
        .sorted { objects[$0].id < objects[$1].id }
      try reader.read(stored.map { objects[$0].id }, of: entity) { index, row in
        for field in stale.fields(of: entity) {
          let value = row[field].value
          stale.set(value == .null ? nil : value, at: field, of: stored[index])
        }
      }
    }
    stale.mark(in: self) { index in
      let occurrence = occurrences[index]
      return occurrence.key.tag == FASTMAP_MISSING || occurrence.object == FASTMAP_NONE
        ? nil : Int(occurrence.object)
    } onFound: { occurrence, isStale in
      if isStale {
        objects[Int(occurrence.object)].isStale = true
      } else {
        objects[Int(occurrence.object)].isFresh = true
      }
    }
    owned.removeAll { isStale($0) }
  }

  /// Whether an occurrence is older than its object, or belongs to such an occurrence.
  func isStale(_ index: Int) -> Bool { occurrences[index].flags & UInt32(FASTMAP_STALE) != 0 }
}
