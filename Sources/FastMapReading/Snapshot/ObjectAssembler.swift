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
    if let leftOut, !leftOut.places.isEmpty { forgetDepths() }
    begin(.fail)
  }

  func forgetDepths() { for instances in entities { instances?.forgetDepths() } }

  /// The instance of an object, the same one each time; nil if it is not stored.
  func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, _ tree: IncludeTree
  ) throws -> AnyObject? {
    if reader.prefersSets { return try objects([id], of: entity, from: &reader, tree, .fail).first }
    let instances = instances(of: entity)
    var known = instances.place(of: id)
    if known == nil { known = try make(id, of: entity, instances, &reader) }
    guard let place = known else { return nil }
    try follow(tree, from: [id], of: entity, &reader)
    return instances[place]
  }

  /// The instances of objects, the same ones each time. Objects that are not stored are left out.
  func objects<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, from reader: inout R, _ tree: IncludeTree, _ rule: UnreadableRule
  ) throws -> [AnyObject] {
    begin(rule)
    defer { end() }
    let found = try objects(ids, of: entity, from: &reader)
    try follow(tree, from: ids, of: entity, &reader)
    return found
  }

  /// The instances of objects, with their attributes only. Objects that are not stored are left out.
  func objects<R: StoreReader>(_ ids: [ObjectID], of entity: Int, from reader: inout R) throws -> [AnyObject]
  {
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
    return found.compactMap(\.self)
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
