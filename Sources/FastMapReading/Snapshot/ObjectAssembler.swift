internal import CFastMap

/// Makes instances from a store: one for each object, with its attributes and relationships.
///
/// Instances are created before they are filled, so cycles work. They are filled level by level, and each level takes
/// two questions for each of its entities: the targets of its relationships, and the rows of the new targets. Nesting
/// uses the heap, not the stack. The depth of an object is its shortest distance.
///
/// A single object is read by itself where questions are cheap, because a set of one takes half as long again.
final class ObjectAssembler {
  let plan: Plan
  /// The assembler for the targets of included relationships.
  var below: ObjectAssembler?
  /// By entity; nil for an entity without objects so far.
  // @exclusivity(unchecked): nothing is called while it changes.
  @exclusivity(unchecked)
  private var entities: [EntityInstances?]
  /// The row of a single object, which keeps its memory.
  private var buffer = RowBuffer()
  /// The rule for objects with a value that a property cannot hold.
  private(set) var rule = UnreadableRule.fail
  /// The objects that the present read has left out; nil if it leaves out none. Assemblers of one read share it.
  private(set) var leftOut: LeftOutObjects?

  /// The most owners of one question about their targets.
  static let questionSize = 16_384

  /// - Throws: ``MainActorError`` for main-actor classes off the main actor.
  init(_ plan: Plan) throws(MainActorError) {
    try MainIsolation.check(plan.mainEntity)
    self.plan = plan
    entities = Array(repeating: nil, count: plan.schema.entities.count)
  }

  func instances(of entity: Int) -> EntityInstances {
    if let known = entities[entity] { return known }
    let new = EntityInstances(entity, of: plan)
    entities[entity] = new
    return new
  }

  // MARK: Reads

  func begin(_ rule: UnreadableRule) {
    self.rule = rule
    leftOut = if case .skip = rule { LeftOutObjects() } else { nil }
  }

  /// Joins the read of another assembler.
  func begin(with other: ObjectAssembler) { (rule, leftOut) = (other.rule, other.leftOut) }

  /// Ends a read. If it has left out targets, a later read has to fill the relationships again.
  func end() {
    if let leftOut, !leftOut.places.isEmpty { for instances in entities { instances?.forgetLevels() } }
    begin(.fail)
  }

  /// The instance of an object, the same one each time; nil if it is not stored.
  ///
  func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, _ reach: IncludeDepth = .none
  ) throws -> AnyObject? {
    if reader.prefersSets { return try objects([id], of: entity, from: &reader, reach).first }
    let instances = instances(of: entity)
    var known = instances.place(of: id)
    if known == nil { known = try make(id, of: entity, instances, &reader) }
    guard let place = known else { return nil }
    if !instances.relationships.isEmpty, instances.levels(at: place) < reach.depth {
      var level = ObjectLevel()
      level.append(id, of: entity)
      try relate(&level, &reader, levels: reach.depth)
    }
    try include(reach.tree, of: [id], entity: entity, isOneLevel: reach.depth > 0, from: &reader)
    return instances[place]
  }

  /// The instances of objects, the same ones each time. Objects that are not stored are left out.
  func objects<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, from reader: inout R, _ reach: IncludeDepth
  ) throws -> [AnyObject] {
    begin(reach.unreadable)
    defer { end() }
    var level = ObjectLevel()
    let found = try objects(ids, of: entity, from: &reader, &level)
    try relate(&level, &reader, levels: reach.depth)
    try include(reach.tree, of: ids, entity: entity, isOneLevel: reach.depth > 0, from: &reader)
    return found
  }

  /// The instances of objects, with their attributes only. Objects that are not stored are left out.
  ///
  /// - Parameter level: Receives the objects whose relationships may have to be filled, for ``relate(_:_:levels:)``.
  func objects<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, from reader: inout R, _ level: inout ObjectLevel
  ) throws -> [AnyObject] {
    let instances = instances(of: entity)
    var found: [AnyObject?] = []
    found.reserveCapacity(ids.count)
    var missing: [ObjectID] = []
    for id in ids {
      if let place = instances.place(of: id) {
        found.append(instances[place])
      } else {
        found.append(nil)
        if missing.isEmpty { missing.reserveCapacity(ids.count - found.count + 1) }
        missing.append(id)
      }
    }
    if !missing.isEmpty {
      try make(missing, of: entity, instances, &reader)
      for (index, id) in ids.enumerated() where found[index] == nil {
        if let place = instances.place(of: id) { found[index] = instances[place] }
      }
    }
    if !instances.relationships.isEmpty {
      for id in ids where instances.place(of: id) != nil { level.append(id, of: entity) }
    }
    return found.compactMap(\.self)
  }

  // MARK: Relationships

  /// Fills relationships for some levels, and creates the instances that are missing there.
  ///
  /// - Parameter levels: The number of levels of relationships to fill; objects beyond are not created.
  func relate<R: StoreReader>(
    _ level: inout ObjectLevel, _ reader: inout R, levels: Int
  ) throws {
    var next = ObjectLevel()
    var left = levels
    do {
      while left > 0, !level.isEmpty {
        for entity in level.entities where !instances(of: entity).relationships.isEmpty {
          try relate(level[entity], of: entity, left, &reader, &next)
        }
        level.removeAll()
        swap(&level, &next)
        if left != .max { left -= 1 }
      }
    } catch {
      // Instances that are marked as filled may lack deeper levels.
      for instances in entities { instances?.forgetLevels() }
      throw error
    }
  }

  /// An object whose relationships are filled.
  private struct Owner {
    let id: ObjectID
    let place: Int
    /// The levels that were filled before.
    let levels: Int
  }

  /// Sets the relationships of instances of one entity, unless they were set before.
  ///
  /// - Parameter next: Receives the targets, whose relationships may have to be filled.
  private func relate<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ left: Int, _ reader: inout R, _ next: inout ObjectLevel
  ) throws {
    let instances = instances(of: entity)
    var owners: [Owner] = []
    for id in ids {
      guard let place = instances.place(of: id) else { continue }
      let levels = instances.levels(at: place)
      guard levels < left else { continue }
      instances.setLevels(left, at: place)
      owners.append(Owner(id: id, place: place, levels: levels))
    }
    let relationships = instances.relationships
    if owners.count == 1, !reader.prefersSets {
      let lists = try relationships.map { relationship in
        if relationship.isInverse {
          try reader.links(of: [owners[0].id], entity: entity, [relationship.field], in: plan.schema)[0]
        } else {
          [try reader.targets(of: owners[0].id, entity: entity, field: relationship.field)]
        }
      }
      return try relate(owners[...], of: instances, lists, &reader, &next)
    }
    for start in stride(from: 0, to: owners.count, by: Self.questionSize) {
      let chunk = owners[start..<min(start + Self.questionSize, owners.count)]
      let lists = try reader.links(
        of: chunk.map(\.id), entity: entity, relationships.map(\.field), in: plan.schema)
      try relate(chunk, of: instances, lists, &reader, &next)
    }
  }

  /// Sets relationships whose targets are known, and creates those targets that are new.
  ///
  /// - Parameter lists: The targets by relationship and owner.
  private func relate<R: StoreReader>(
    _ owners: ArraySlice<Owner>, of instances: EntityInstances, _ lists: [[[ObjectID]]],
    _ reader: inout R, _ next: inout ObjectLevel
  ) throws {
    var new = ObjectLevel()
    for (relationship, lists) in zip(instances.relationships, lists) {
      let known = self.instances(of: relationship.target)
      for ids in lists {
        for id in ids where known.place(of: id) == nil { new.append(id, of: relationship.target) }
      }
    }
    for entity in new.entities {
      try make(new[entity], of: entity, self.instances(of: entity), &reader) { id in
        place(of: id, entity, in: zip(instances.relationships, lists), owners.map(\.place), instances)
      }
    }

    for (relationship, lists) in zip(instances.relationships, lists) {
      let known = self.instances(of: relationship.target)
      for (owner, ids) in zip(owners, lists) {
        var targets: [AnyObject] = []
        targets.reserveCapacity(ids.count)
        for id in ids {
          if let place = known.place(of: id) {
            targets.append(known[place])
            if known.levels(at: place) != .max { next.append(id, of: relationship.target) }
          }
          // Otherwise it is gone: a reader that has no snapshot may see a deletion between two questions.
        }
        guard owner.levels == 0 else { continue }
        relationship.access.set(instances[owner.place], targets.isEmpty ? nil : targets)
      }
    }
  }

  // MARK: Instances

  /// Creates the instances that the assembler does not have.
  ///
  /// - Parameter place: The place of an object in messages.
  func make<R: StoreReader>(
    missing ids: [ObjectID], of entity: Int, from reader: inout R, _ place: (ObjectID) -> String?
  ) throws {
    let instances = instances(of: entity)
    let new = ids.filter { instances.place(of: $0) == nil }
    try make(new.withoutRepeats, of: entity, instances, &reader, place)
  }

  /// Creates instances and sets their attributes.
  ///
  /// - Parameter place: The place of an object in messages.
  private func make<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ instances: EntityInstances, _ reader: inout R,
    _ place: (ObjectID) -> String? = { _ in nil }
  ) throws {
    guard !ids.isEmpty, instances.hasClass else { return }
    var ids = ids
    if let leftOut { ids.removeAll { leftOut.places.contains(ObjectIdentity(entity: entity, id: $0)) } }
    if ids.isEmpty { return }
    let prefersSets = reader.prefersSets
    if ids.count == 1, !prefersSets {
      _ = try make(ids[0], of: entity, instances, &reader, place)
      return
    }
    // Where questions are cheap, objects are read in their order in the store's answer: the store may remember them.
    if prefersSets { ids = ids.sortedUnique() }
    instances.reserve(ids.count)
    try reader.read(ids, of: entity) { [ids] index, row in
      try row.check(index, of: ids, fields: instances.fieldCount)
      if instances.place(of: ids[index]) == nil { _ = try make(ids[index], row, entity, instances, place) }
    }
  }

  /// Creates one instance and sets its attributes.
  ///
  /// - Returns: Its place; nil if the object is not stored.
  private func make<R: StoreReader>(
    _ id: ObjectID, of entity: Int, _ instances: EntityInstances, _ reader: inout R,
    _ place: (ObjectID) -> String? = { _ in nil }
  ) throws -> Int? {
    guard instances.hasClass, try reader.read(id, of: entity, into: &buffer) else { return nil }
    try buffer.checkWhole()
    try buffer.unsafeRow.check(fields: instances.fieldCount)
    return try make(id, buffer.unsafeRow, entity, instances, place)
  }

  /// Creates an instance from a row, or applies the rule to an object with an unreadable value.
  ///
  /// - Returns: Its place; nil if it was left out.
  @inline(__always)
  private func make(
    _ id: ObjectID, _ row: Row, _ entity: Int, _ instances: EntityInstances, _ place: (ObjectID) -> String?
  ) throws -> Int? {
    do throws(UnreadableAttribute) { return try instances.make(id, row) } catch {
      try refuse(error.field, of: row, id, entity, place)
      return nil
    }
  }

  private func refuse(
    _ field: Int, of row: Row, _ id: ObjectID, _ entity: Int, _ place: (ObjectID) -> String?
  ) throws(UnreadableValueError) {
    func error() -> UnreadableValueError {
      UnreadableValueError(field, of: row, id, plan, entity, place)
    }
    guard case .skip(let unreadable) = rule else { throw error() }
    if leftOut?.places.insert(ObjectIdentity(entity: entity, id: id)).inserted ?? true {
      unreadable.record(error)
    }
  }
}

/// The objects that one read has left out, each once.
final class LeftOutObjects {
  var places: Set<ObjectIdentity> = []
}
