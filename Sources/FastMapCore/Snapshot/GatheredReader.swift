/// Objects that were read from a store of values, with everything that they refer to. Instances are then made on the
/// main actor, which need not wait for the disk.
struct GatheredReader: StoreReader, Sendable {
  private struct Object {
    var values: [(field: Int, value: Value)] = []
    var targets: [Int: [ObjectID]] = [:]
  }

  private var objects: [ObjectAssembler.Place: Object] = [:]
  private let schema: Schema

  /// Reads objects and everything reachable through properties of their classes.
  ///
  /// - Parameter depth: The number of levels of relationships to follow; nil for all.
  init<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ schema: Schema, from reader: inout R, depth: Int? = nil
  ) throws {
    self.schema = schema
    var level: [ObjectAssembler.Place] = ids.map { .init(entity: entity, id: $0) }
    var left = depth ?? .max
    var row = RowBuffer()
    while !level.isEmpty {
      var next: [ObjectAssembler.Place] = []
      for place in level where objects[place] == nil {
        guard try reader.read(place.id, of: place.entity, into: &row) else { continue }
        var object = Object()
        for (number, field) in schema.entities[place.entity].fields.enumerated() {
          switch field.access {
          case .attribute:
            if let value = row.row[number].value { object.values.append((number, value)) }
          case .relationship where left > 0:
            guard let target = field.kind.target?.entity else { continue }
            let ids = try reader.targets(of: [place.id], entity: place.entity, field: number).first ?? []
            object.targets[number] = ids
            next += ids.map { .init(entity: target, id: $0) }
          case .relationship, nil:
            break
          }
        }
        objects[place] = object
      }
      level = next
      if left != .max { left -= 1 }
    }
  }

  mutating func use(_ schema: Schema) {}

  func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] { keys.map { _ in nil } }

  func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    var buffer = RowBuffer()
    for (index, id) in ids.enumerated() where read(id, of: entity, into: &buffer) {
      try body(index, buffer.row)
    }
  }

  func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) -> Bool {
    guard let object = objects[.init(entity: entity, id: id)] else { return false }
    buffer.reset(count: schema.entities[entity].fields.count)
    for (field, value) in object.values { buffer.set(value, at: field) }
    return true
  }

  func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
    fields.map { field in owners.map { objects[.init(entity: entity, id: $0)]?.targets[field] ?? [] } }
  }

  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) {}

  func count(of entity: Int) -> Int { 0 }
}
