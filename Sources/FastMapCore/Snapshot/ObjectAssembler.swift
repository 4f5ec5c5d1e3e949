internal import CFastMap

/// Makes instances from a store: one for each object, with its attributes and relationships.
///
/// Instances are created before they are filled, so cycles work. They are filled level by level, and each level takes
/// two questions for each of its entities: the targets of its relationships, and the rows of the new targets. Nesting
/// uses the heap, not the stack. The depth of an object is its shortest distance.
///
/// A single object is read by itself where questions are cheap, because a set of one takes half as long again.
struct ObjectAssembler {
  private let schema: Schema
  private var copies: [Place: Copy] = [:]

  struct Place: Hashable {
    var entity: Int
    var id: ObjectID
  }

  /// The caller's instance of an object.
  struct Held {
    let instance: AnyObject
    /// The fields to show as stored, even if the instance has a value.
    var fieldsMet: Set<Int> = []
  }

  private struct Copy {
    let instance: AnyObject
    /// For an instance of the caller.
    var fieldsMet: Set<Int>?
    /// The number of levels of its relationships that were filled; `Int.max` for all.
    var levels = 0
  }

  /// The most owners of one question about their targets.
  private static let questionSize = 16_384

  /// - Throws: ``MainActorError`` for main-actor classes off the main actor.
  init(_ schema: Schema) throws(MainActorError) {
    try MainIsolation.check(schema.mainEntity)
    self.schema = schema
  }

  /// The instance of an object, the same one each time; nil if it is not stored.
  ///
  /// - Parameter depth: As in ``objects(_:of:from:depth:)``.
  mutating func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, depth: Int? = nil
  ) throws -> AnyObject? {
    if reader.prefersSets { return try objects([id], of: entity, from: &reader, depth: depth).first }
    let place = Place(entity: entity, id: id)
    var known = copies[place]
    if known == nil {
      if let kept = reader.instance(id, of: entity) { return kept }
      known = try make(place, &reader)
    }
    guard let known else { return nil }
    let levels = depth ?? .max
    if known.levels < levels, !schema.entities[entity].classRelationships.isEmpty {
      var level = ObjectLevel()
      level.append(id, of: entity)
      try relate(&level, &reader, levels: levels)
    }
    return known.instance
  }

  /// The instances of objects, the same ones each time. Objects that are not stored are left out.
  ///
  /// - Parameter depth: The number of levels of relationships to fill; objects beyond are not created. Nil for all.
  mutating func objects<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, from reader: inout R, depth: Int? = nil
  ) throws -> [AnyObject] {
    var found: [AnyObject?] = []
    var missing: [ObjectID] = []
    var level = ObjectLevel()
    for id in ids {
      if let known = copies[Place(entity: entity, id: id)] {
        found.append(known.instance)
        level.append(id, of: entity)
      } else if let kept = reader.instance(id, of: entity) {
        found.append(kept)
      } else {
        found.append(nil)
        missing.append(id)
      }
    }
    try make(missing, of: entity, &reader)
    for (index, id) in ids.enumerated() where found[index] == nil {
      guard let made = copies[Place(entity: entity, id: id)] else { continue }
      found[index] = made.instance
      level.append(id, of: entity)
    }
    try relate(&level, &reader, levels: depth ?? .max)
    return found.compactMap(\.self)
  }

  /// Updates the caller's instances: fields that the payload had, and fields in which the instance has no value.
  mutating func show<R: StoreReader>(_ held: [Place: Held], from reader: inout R) throws {
    var blanks = BlankInstances(schema)
    var level = ObjectLevel()
    for (place, held) in held {
      copies[place] = Copy(instance: held.instance, fieldsMet: held.fieldsMet)
      level.append(place.id, of: place.entity)
    }
    for entity in level.entities {
      let ids = level[entity].sortedUnique()
      let fields = schema.entities[entity].fields.count
      try reader.read(ids, of: entity) { index, row in
        try row.check(index, of: ids, fields: fields)
        guard let held = held[Place(entity: entity, id: ids[index])] else { return }
        show(row, in: held, entity, &blanks)
      }
    }
    try relate(&level, &reader, levels: .max)
  }

  /// Creates everything reachable from instances that does not exist yet.
  private mutating func relate<R: StoreReader>(
    _ level: inout ObjectLevel, _ reader: inout R, levels: Int
  ) throws {
    var next = ObjectLevel()
    var left = levels
    do {
      while left > 0, !level.isEmpty {
        for entity in level.entities where !schema.entities[entity].classRelationships.isEmpty {
          try relate(level[entity], of: entity, left, &reader, &next)
        }
        level.removeAll()
        swap(&level, &next)
        if left != .max { left -= 1 }
      }
    } catch {
      // Instances that are marked as filled may lack deeper levels.
      copies = copies.mapValues { Copy(instance: $0.instance, fieldsMet: $0.fieldsMet) }
      throw error
    }
  }

  /// Sets the relationships of instances of one entity, unless they were set before.
  ///
  /// - Parameter next: Receives the targets, whose relationships may have to be filled.
  private mutating func relate<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ left: Int, _ reader: inout R, _ next: inout ObjectLevel
  ) throws {
    var owners: [(id: ObjectID, copy: Copy)] = []
    for id in ids {
      let place = Place(entity: entity, id: id)
      guard let owner = copies[place], owner.levels < left else { continue }
      copies[place]?.levels = left
      owners.append((id, owner))
    }
    let relationships = schema.entities[entity].classRelationships
    if owners.count == 1, !reader.prefersSets {
      let lists = try relationships.map { relationship in
        [try reader.targets(of: owners[0].id, entity: entity, field: relationship.field)]
      }
      return try relate(owners, lists, relationships, &reader, &next)
    }
    for start in stride(from: 0, to: owners.count, by: Self.questionSize) {
      let chunk = owners[start..<min(start + Self.questionSize, owners.count)]
      let lists = try reader.checkedTargets(
        of: chunk.map(\.id), entity: entity, fields: relationships.map(\.field))
      try relate(Array(chunk), lists, relationships, &reader, &next)
    }
  }

  /// Sets relationships whose targets are known, and creates those targets that are new.
  ///
  /// - Parameter lists: The targets by relationship and owner.
  private mutating func relate<R: StoreReader>(
    _ owners: [(id: ObjectID, copy: Copy)], _ lists: [[[ObjectID]]],
    _ relationships: [ClassRelationship], _ reader: inout R, _ next: inout ObjectLevel
  ) throws {
    var new = ObjectLevel()
    for (relationship, lists) in zip(relationships, lists) {
      for (owner, ids) in zip(owners, lists) where !keeps(owner.copy, relationship) {
        for id in ids where copies[Place(entity: relationship.target, id: id)] == nil {
          if reader.instance(id, of: relationship.target) == nil { new.append(id, of: relationship.target) }
        }
      }
    }
    for entity in new.entities { try make(new[entity], of: entity, &reader) }

    for (relationship, lists) in zip(relationships, lists) {
      for (owner, ids) in zip(owners, lists) where !keeps(owner.copy, relationship) {
        var targets: [AnyObject] = []
        targets.reserveCapacity(ids.count)
        for id in ids {
          if let known = copies[Place(entity: relationship.target, id: id)] {
            targets.append(known.instance)
            if known.levels != .max { next.append(id, of: relationship.target) }
          } else if let kept = reader.instance(id, of: relationship.target) {
            targets.append(kept)
          }
          // Otherwise it is gone: a reader that has no snapshot may see a deletion between two questions.
        }
        guard owner.copy.levels == 0 else { continue }
        let instance = owner.copy.instance
        if owner.copy.fieldsMet != nil, relationship.access.get(instance).elementsEqual(targets, by: ===) {
          continue
        }
        relationship.access.set(instance, targets.isEmpty ? nil : targets)
      }
    }
  }

  /// Whether an instance of the caller keeps its own targets.
  private func keeps(_ owner: Copy, _ relationship: ClassRelationship) -> Bool {
    guard let met = owner.fieldsMet, !met.contains(relationship.field) else { return false }
    return !relationship.access.get(owner.instance).isEmpty
  }

  /// Creates instances and sets their attributes.
  private mutating func make<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ reader: inout R
  ) throws {
    guard !ids.isEmpty, let objects = schema.entities[entity].objects else { return }
    if ids.count == 1, !reader.prefersSets {
      _ = try make(Place(entity: entity, id: ids[0]), &reader)
      return
    }
    let ids = ids.sortedUnique()
    let fields = schema.entities[entity].fields.count
    try reader.read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields)
      let instance = objects.make()
      setAttributes(of: instance, entity, row)
      copies[Place(entity: entity, id: ids[index])] = Copy(instance: instance)
    }
  }

  /// Creates one instance and sets its attributes; nil if the object is not stored.
  private mutating func make<R: StoreReader>(_ place: Place, _ reader: inout R) throws -> Copy? {
    guard let objects = schema.entities[place.entity].objects else { return nil }
    var row = RowBuffer()
    guard try reader.read(place.id, of: place.entity, into: &row) else { return nil }
    try row.checkWhole()
    try row.row.check(fields: schema.entities[place.entity].fields.count)
    let made = Copy(instance: objects.make())
    setAttributes(of: made.instance, place.entity, row.row)
    copies[place] = made
    return made
  }

  /// Null and missing are the same in a store: an optional property becomes nil, and any other stays as it is.
  private func setAttributes(of instance: AnyObject, _ entity: Int, _ row: Row) {
    for (number, field) in schema.entities[entity].fields.enumerated() {
      guard case .attribute(let access)? = field.access else { continue }
      let stored = row[number]
      access.set(instance, stored.isMissing ? .null : stored)
    }
  }

  /// Sets the properties that differ from the stored values.
  private func show(_ row: Row, in held: Held, _ entity: Int, _ blanks: inout BlankInstances) {
    var values = RowBuffer()
    for (number, field) in schema.entities[entity].fields.enumerated() {
      guard case .attribute(let access)? = field.access else { continue }
      let stored = row[number].isMissing ? .null : row[number]
      if !held.fieldsMet.contains(number),
        stored.isNull || !blanks.isBlank(access, of: held.instance, entity)
      {
        continue
      }
      values.reset(count: 2)
      values.set(access, of: held.instance, at: 0)
      guard values.normalise(stored, access, at: 1),
        !values.slots[0].isIdentical(to: values.slots[1])
      else { continue }
      access.set(held.instance, stored)
    }
  }
}
