internal import CFastMap

/// Makes instances from a store: one for each object, with its attributes and relationships.
///
/// Instances are created before they are filled, so cycles work. They are filled level by level from a list, so
/// nesting uses the heap, not the stack. The depth of an object is its shortest distance.
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

  /// - Throws: ``MainActorError`` for main-actor classes off the main actor.
  init(_ schema: Schema) throws(MainActorError) {
    try MainIsolation.check(schema.mainEntity)
    self.schema = schema
  }

  /// The instance of an object, the same one each time; nil if it is not stored.
  ///
  /// - Parameter depth: The number of levels of relationships to fill; objects beyond are not created. Nil for all.
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

  /// Updates the caller's instances: fields that the payload had, and fields in which the instance has no value.
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

  /// Creates everything reachable from an instance that does not exist yet.
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
      // Instances that are marked as filled may lack deeper levels.
      copies = copies.mapValues { Copy(instance: $0.instance, fieldsMet: $0.fieldsMet) }
      throw error
    }
  }

  /// Sets the relationships of one instance, unless they were set before.
  ///
  /// - Parameter next: Receives the targets, whose relationships may have to be filled.
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

  /// Creates an instance and sets its attributes.
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
