internal import CFastMap

/// The objects of a batch that live again: objects that the payload makes after it has deleted them, and with them their owned objects.
struct Revivals {
  /// By object, the occurrences that make it again, ascending.
  private var places: [Int: [Int]] = [:]
  /// The occurrence of its owner that last took the values of an owned object.
  private var clearedBy: [ImportUnit.Holder: Int] = [:]
  /// Owned objects that their owners have lost in this payload.
  private var lost: Set<Int> = []

  var isEmpty: Bool { places.isEmpty }

  /// The last occurrence of each object that makes it again.
  var last: [Int: Int] { places.compactMapValues(\.last) }

  func contains(_ index: Int, of object: Int) -> Bool { last(of: object, upTo: index) == index }

  /// The last occurrence up to a place that makes an object again; nil if none does.
  private func last(of object: Int, upTo place: Int) -> Int? {
    let all = places[object] ?? []
    return all[..<all.partitioningIndex { $0 > place }].last
  }

  mutating func add(_ index: Int, of object: Int) {
    let place = places[object]?.partitioningIndex { $0 > index } ?? 0
    places[object, default: []].insert(index, at: place)
  }

  mutating func addLost(_ objects: Range<Int>) { lost.formUnion(objects) }

  /// Records that an occurrence of its owner makes an owned object.
  mutating func recordNew(of holder: ImportUnit.Holder, at owner: Int) {
    clearedBy[holder] = last(of: holder.owner, upTo: owner)
  }

  /// Adds an occurrence of an owned object, if its owner was made again since the object had its values.
  ///
  /// - Parameters:
  ///   - owner: The occurrence of its owner.
  ///   - isRevived: Whether the payload has made the owner again in this batch or before.
  mutating func addOwned(
    _ index: Int, of object: Int, _ holder: ImportUnit.Holder, at owner: Int, isRevived: Bool
  ) {
    let isLost = lost.remove(object) != nil
    let revival = last(of: holder.owner, upTo: owner)
    let isCleared = revival.map { clearedBy.updateValue($0, forKey: holder) != $0 } ?? false
    // Made again in an earlier batch, which had no such object.
    if isCleared || isLost && isRevived { add(index, of: object) }
  }
}

extension ImportUnit {
  /// The row of an object that lives again, before anything is read of it: nothing but its key and defaults.
  func makeRevivedRow(_ entity: Int) throws(SystemError) -> UnsafeMutablePointer<fastmap_batch_slot> {
    let fields = plan.schema.entities[entity].fields
    let row = try allocate(fastmap_batch_slot.self, fields.count)
    row.initialize(repeating: fastmap_batch_slot(), count: fields.count)
    for (field, layout) in fields.enumerated() where !plan.traits.isOfKey(field, entity) {
      row[field].value.tag = UInt8(FASTMAP_NULL)
      guard let target = layout.kind.target else { continue }
      let ownsAll = target.isOwned || plan.traits.isScoped[target.entity]
      let isReplaced = plan.mappings.contains { planned in
        planned.entity == entity
          && zip(planned.relationshipFields, planned.mapping.relationships).contains {
            $0 == field && $1.policy.isReplace
          }
      }
      if ownsAll || isReplaced || plan.traits.ownsKeyless(field, of: entity) {
        row[field].link.policy = UInt8(FASTMAP_REPLACE)
        row[field].link.spares_keyed = !ownsAll && !isReplaced
      }
    }
    for value in plan.compiled.defaults[entity] { row[value.field].value = value.slot }
    return row
  }
}
