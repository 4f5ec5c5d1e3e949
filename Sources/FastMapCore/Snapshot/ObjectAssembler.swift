internal import CFastMap

/// Makes instances of what a store holds: one for each object, with its attributes and its relationships.
///
/// Instances are made before they are filled, so that circles close, and are filled level by level from a list,
/// so that depth costs heap and not stack, and an object counts for what the shortest way to it leaves.
struct ObjectAssembler {
  private let schema: Schema
  private var copies: [Place: Copy] = [:]

  struct Place: Hashable {
    var entity: Int
    var id: ObjectID
  }

  /// An instance of the caller's that is an object.
  struct Held {
    let instance: AnyObject
    /// What is to be shown as it is stored, whatever the instance has.
    var fieldsMet: Set<Int> = []
  }

  private struct Copy {
    let instance: AnyObject
    /// Of an instance of the caller's.
    var fieldsMet: Set<Int>?
    /// How many levels of its relationships have been filled; `Int.max` for all.
    var levels = 0
  }

  /// - Throws: ``MainActorError`` for main-actor classes elsewhere.
  init(_ schema: Schema) throws(MainActorError) {
    try MainIsolation.check(schema.mainEntity)
    self.schema = schema
  }

  /// The instance for an object, the same one each time; nil where it is not stored.
  ///
  /// - Parameter depth: How many levels of relationships are filled; related objects beyond are not made. Nil
  ///   for all.
  mutating func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, depth: Int? = nil
  ) throws -> AnyObject? {
    let root = Place(entity: entity, id: id)
    var row = RowBuffer()
    var known = copies[root]?.instance
    if known == nil {
      if let kept = reader.instance(id, of: entity) { return kept }
      known = try make(root, &row, &reader)
    }
    guard let instance = known else { return nil }
    try relate(root, &row, &reader, levels: depth ?? .max)
    return instance
  }

  /// Shows objects in instances of the caller's: what was met, and what they have no value for.
  mutating func show<R: StoreReader>(_ held: [Place: Held], from reader: inout R) throws {
    var row = RowBuffer()
    var blanks = BlankInstances(schema)
    for (place, held) in held {
      copies[place] = Copy(instance: held.instance, fieldsMet: held.fieldsMet)
      guard try reader.read(place.id, of: place.entity, into: &row) else { continue }
      show(row.row, in: held, place.entity, &blanks)
    }
    for place in held.keys { try relate(place, &row, &reader, levels: .max) }
  }

  /// Makes what can be reached from an instance, so far as it has not been made.
  private mutating func relate<R: StoreReader>(
    _ root: Place, _ row: inout RowBuffer, _ reader: inout R, levels: Int
  ) throws {
    var level = [root]
    var left = levels
    do {
      while left > 0, !level.isEmpty {
        var next: [Place] = []
        for place in level {
          guard let owner = copies[place], owner.levels < left else { continue }
          copies[place]?.levels = left
          try relate(place, owner, &row, &reader, &next)
        }
        level = next
        if left != .max { left -= 1 }
      }
    } catch {
      // What is marked as filled may lack what follows.
      copies = copies.mapValues { Copy(instance: $0.instance, fieldsMet: $0.fieldsMet) }
      throw error
    }
  }

  /// Sets the relationships of one instance, unless they were set before.
  ///
  /// - Parameter next: Takes the targets, whose own may have to be filled.
  private mutating func relate<R: StoreReader>(
    _ place: Place, _ owner: Copy, _ row: inout RowBuffer, _ reader: inout R, _ next: inout [Place]
  ) throws {
    for (number, field) in schema.entities[place.entity].fields.enumerated() {
      guard case .relationship(let access)? = field.access, let entity = field.kind.target?.entity
      else { continue }
      let keeps = owner.fieldsMet.map { !$0.contains(number) } ?? false
      if keeps, !access.get(owner.instance).isEmpty { continue }
      let ids = try reader.targets(of: [place.id], entity: place.entity, field: number).first ?? []
      var targets: [AnyObject] = []
      for id in ids {
        let target = Place(entity: entity, id: id)
        if let known = copies[target] {
          targets.append(known.instance)
          if known.levels != .max { next.append(target) }
        } else if let kept = reader.instance(id, of: entity) {
          targets.append(kept)
        } else if let made = try make(target, &row, &reader) {
          targets.append(made)
          next.append(target)
        }
      }
      guard owner.levels == 0 else { continue }
      if owner.fieldsMet != nil, access.get(owner.instance).elementsEqual(targets, by: ===) { continue }
      access.set(owner.instance, ids.isEmpty ? nil : targets)
    }
  }

  /// Makes an instance and sets its attributes.
  private mutating func make<R: StoreReader>(
    _ place: Place, _ row: inout RowBuffer, _ reader: inout R
  ) throws -> AnyObject? {
    guard let objects = schema.entities[place.entity].objects,
      try reader.read(place.id, of: place.entity, into: &row)
    else { return nil }
    let instance = objects.make()
    setAttributes(of: instance, place.entity, row.row)
    copies[place] = Copy(instance: instance)
    return instance
  }

  /// Null and missing are the same in a store: an optional property becomes nil, any other stays as it is.
  private func setAttributes(of instance: AnyObject, _ entity: Int, _ row: Row) {
    for (number, field) in schema.entities[entity].fields.enumerated() {
      guard case .attribute(let access)? = field.access else { continue }
      let stored = row[number]
      access.set(instance, stored.isMissing ? .null : stored)
    }
  }

  /// Sets what differs from what is stored.
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
