internal import CFastMap

/// The age of an object at one point of the payload.
struct Age {
  /// In the order of the fields that decide. Empty for none.
  var values: [Value?] = []
  /// Whether nothing but references has made the object.
  var isBare = true
  /// Whether the batches have brought the first occurrence that is more than a reference.
  var hasBegun = false
}

/// The mappings with `newerBy`: all that an import does with ages.
struct AgeRules {
  /// By entity, the fields that decide.
  private let fields: [[Int]]
  /// By mapping, the place of its field among `fields` of its entity; nil where its objects have no age.
  private let places: [Int?]
  /// By entity, the default of each of `fields`.
  private let defaults: [[Value?]]

  init?(_ plan: Plan) {
    guard plan.hasNewer else { return nil }
    let newer = plan.mappings.map(\.newerField)
    let fields = plan.schema.entities.indices.map { entity in
      Set(zip(plan.mappings, newer).compactMap { $0.entity == entity ? $1 : nil }).sorted()
    }
    self.fields = fields
    places = zip(plan.mappings, newer).map { planned, field in
      field.flatMap { fields[planned.entity].firstIndex(of: $0) }
    }
    defaults = plan.schema.entities.indices.map { entity in
      fields[entity].map { field in
        plan.compiled.defaults[entity].first { $0.field == field }.flatMap { Field($0.slot).value }
      }
    }
  }

  func concern(_ entity: Int) -> Bool { !fields[entity].isEmpty }

  /// Reads the age of an object from its row.
  ///
  /// - Parameter plan: Nil for an object that more than references has made.
  func read(_ row: Row, of entity: Int, into age: inout Age, _ plan: Plan?) {
    age.values = fields[entity].map { row[$0].value.flatMap { $0 == .null ? nil : $0 } }
    age.isBare = plan?.isBare(row, of: entity, fields[entity]) ?? false
  }

  /// Whether an occurrence is older than its object.
  ///
  /// - Parameter mapping: The mapping that decides: it reads the object now.
  func isStale(_ occurrence: fastmap_occurrence, mapping: Int, _ entity: Int, _ age: Age) -> Bool {
    guard let row = occurrence.row, let place = places[mapping], place < age.values.count,
      let now = age.values[place]
    else { return false }
    return Field(row[fields[entity][place]].value).value.map { $0.isLess(than: now) } ?? false
  }

  /// Gives an object the age of an occurrence that is used. The first one brings the defaults.
  func use(_ occurrence: fastmap_occurrence, _ entity: Int, _ age: inout Age) {
    set(&age, entity, to: occurrence, isFirst: age.isBare)
    if age.isBare { age.hasBegun = true }
    age.isBare = false
  }

  /// Gives an object the age of an occurrence that deletes it.
  func delete(_ occurrence: fastmap_occurrence, _ entity: Int, _ age: inout Age) {
    (age.isBare, age.hasBegun) = (true, false)
    set(&age, entity, to: occurrence, isFirst: false)
  }

  /// Whether an object gets the default of a field: a reference brings no age.
  func brings(_ field: Int, of entity: Int, _ age: Age, isStored: Bool) -> Bool {
    guard fields[entity].contains(field) else { return !isStored }
    return isStored ? age.hasBegun : !age.isBare
  }

  private func set(_ age: inout Age, _ entity: Int, to occurrence: fastmap_occurrence, isFirst: Bool) {
    if fields[entity].isEmpty { return }
    if age.values.isEmpty { age.values = fields[entity].map { _ in nil } }
    for (place, field) in fields[entity].enumerated() {
      if let row = occurrence.row, row[field].tag != FASTMAP_MISSING {
        age.values[place] = Field(row[field].value).value.flatMap { $0 == .null ? nil : $0 }
      } else if isFirst {
        age.values[place] = defaults[entity][place]
      }
    }
  }
}

extension ImportUnit {
  /// Whether an occurrence is newer than the earlier ones of its object. An older one would be stale.
  func isNewer(
    _ index: Int, _ row: UnsafeMutablePointer<fastmap_batch_slot>,
    than earlier: UnsafeMutablePointer<fastmap_batch_slot>
  ) -> Bool {
    guard let field = plan.mappings[mappingNumber(of: index)].newerField else { return false }
    return row[field].tag != FASTMAP_MISSING
      && (earlier[field].tag == FASTMAP_MISSING || fastmap_contradicts(earlier + field, row + field))
  }
}

extension Plan {
  /// Whether an object may have been made by references alone: it has no age, and of other fields none but defaults.
  fileprivate func isBare(_ row: Row, of entity: Int, _ ages: [Int]) -> Bool {
    guard ages.allSatisfy({ row[$0].isMissing || row[$0].isNull }) else { return false }
    let defaults = compiled.defaults[entity]
    return schema.entities[entity].fields.indices.allSatisfy { field in
      if traits.isOfKey(field, entity) || row[field].isMissing || row[field].isNull { return true }
      return defaults.first { $0.field == field }.map { Field($0.slot).value == row[field].value } ?? false
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
