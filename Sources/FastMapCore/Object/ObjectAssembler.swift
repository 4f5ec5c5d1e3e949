internal import CFastMap

/// Makes instances of what a store holds: one for each object, with its attributes and its relationships.
///
/// Instances are made before they are filled, so that circles close, and are filled from a list, so that
/// depth costs heap and not stack.
struct ObjectAssembler {
  private let schema: Schema
  private var instances: [Place: AnyObject] = [:]

  private struct Place: Hashable {
    var entity: Int
    var id: ObjectID
  }

  init(_ schema: Schema) { self.schema = schema }

  /// The instance for an object, the same one each time; nil where it is not stored.
  ///
  /// - Parameter depth: How many levels of relationships are filled; related objects beyond are not made. Nil
  ///   for all.
  mutating func object<R: StoreReader>(
    _ id: ObjectID, of entity: Int, from reader: inout R, depth: Int? = nil
  ) throws -> AnyObject? {
    let root = Place(entity: entity, id: id)
    if let known = instances[root] ?? reader.instance(id, of: entity) { return known }
    var row = RowBuffer()
    guard let instance = try make(root, &row, &reader) else { return nil }
    try relate(root, &row, &reader, depth: depth)
    return instance
  }

  /// Shows an object in an instance of the caller's, unless the store keeps the object's own.
  mutating func fill<R: StoreReader>(
    _ instance: AnyObject, from id: ObjectID, of entity: Int, _ reader: inout R
  ) throws {
    if reader.instance(id, of: entity) != nil { return }
    let root = Place(entity: entity, id: id)
    var row = RowBuffer()
    guard try reader.read(id, of: entity, into: &row) else { return }
    setAttributes(of: instance, entity, row.row)
    instances[root] = instance
    try relate(root, &row, &reader, depth: nil)
  }

  /// Makes what can be reached from an instance.
  private mutating func relate<R: StoreReader>(
    _ root: Place, _ row: inout RowBuffer, _ reader: inout R, depth: Int?
  ) throws {
    var pending = [(place: root, level: 0)]
    while let (place, level) = pending.popLast() {
      guard depth.map({ level < $0 }) ?? true, let owner = instances[place] else { continue }
      for (number, field) in schema.entities[place.entity].fields.enumerated() {
        guard case .relationship(let access)? = field.access, let entity = field.kind.target?.entity
        else { continue }
        let ids = try reader.targets(of: [place.id], entity: place.entity, field: number).first ?? []
        var targets: [AnyObject] = []
        for id in ids {
          let target = Place(entity: entity, id: id)
          if let known = instances[target] ?? reader.instance(id, of: entity) {
            targets.append(known)
          } else if let made = try make(target, &row, &reader) {
            targets.append(made)
            pending.append((target, level + 1))
          }
        }
        access.set(owner, ids.isEmpty ? nil : targets)
      }
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
    instances[place] = instance
    return instance
  }

  /// Null and missing are the same in a store: an optional property becomes nil, any other stays as it is.
  private func setAttributes(of instance: AnyObject, _ entity: Int, _ row: Row) {
    var null = fastmap_slot()
    null.tag = UInt8(FASTMAP_NULL)
    for (number, field) in schema.entities[entity].fields.enumerated() {
      guard case .attribute(let access)? = field.access else { continue }
      let slot = row.slots + number
      if slot.pointee.tag == FASTMAP_MISSING {
        access.set(instance, FieldValue(&null))
      } else {
        access.set(instance, FieldValue(slot))
      }
    }
  }
}
