public import FastMapStoreKit

/// A snapshot of a memory store.
///
///     let count = try store.read(plan.schema) { try $0.count(of: 0) }
///
/// - Note: You may keep it; it never changes.
public struct MemoryReader: StoreReader, Sendable {
  var state: MemoryState
  var binding: Binding

  init(state: MemoryState, binding: Binding) {
    self.state = state
    self.binding = binding
  }

  public mutating func use(_ schema: Schema) throws {
    binding = try state.bind(schema)
  }

  public func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] {
    guard let table = binding.table(entity) else { return keys.map { _ in nil } }
    return keys.map { state.tables[table].keys[$0] }
  }

  public func find(_ key: PrimaryKey, of entity: Int) -> ObjectID? {
    binding.table(entity).flatMap { state.tables[$0].keys[key] }
  }

  public func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) -> Bool {
    guard let table = binding.table(entity), let object = state.tables[table].objects[id] else {
      return false
    }
    let fields = binding.entities[entity].fields
    buffer.reset(count: fields.count)
    for (number, field) in fields.enumerated() {
      guard let field else {
        if let value = binding.schema.entities[entity].fields[number].defaultValue {
          buffer.set(value, at: number)
        }
        continue
      }
      switch field.kind {
      case .attribute:
        let value = object.value(at: field.place)
        if value != .null { buffer.set(value, at: number) }
      case .link(_, isToMany: false, _):
        if let target = object.targets(at: field.place).first {
          buffer.copy(.target(target), at: number)
        }
      case .link:
        break
      }
    }
    return true
  }

  public func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    var buffer = RowBuffer()
    for (index, id) in ids.enumerated() where read(id, of: entity, into: &buffer) {
      try buffer.checkWhole()
      try body(index, buffer.row)
    }
  }

  public func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
    fields.map { field in owners.map { targets(of: $0, entity: entity, field: field) } }
  }

  public func targets(of owner: ObjectID, entity: Int, field: Int) -> [ObjectID] {
    guard let table = binding.table(entity), let field = binding.entities[entity].fields[field], field.isLink,
      let object = state.tables[table].objects[owner]
    else { return [] }
    return object.targets(at: field.place)
  }

  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout MemoryReader, ObjectPage) throws -> Bool
  ) throws {
    var page = ObjectPage()
    var isEnded = false
    try forEachObject(of: entity, keys: keys, isDescending: isDescending) { reader, id, key in
      page.append(id, key)
      guard page.count >= pageSize else { return true }
      isEnded = try !body(&reader, page)
      page.removeAll()
      return !isEnded
    }
    if !isEnded, page.count > 0 { _ = try body(&self, page) }
  }

  public mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout MemoryReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    let order = try order(of: entity, keys: keys)
    let count = order.count
    for place in 0..<count {
      let (id, key) = order[isDescending ? count - 1 - place : place]
      guard try body(&self, id, key) else { return }
    }
  }

  public func count(of entity: Int) -> Int { binding.table(entity).map { state.tables[$0].count } ?? 0 }

  /// The objects that `forEachPage` visits, ascending.
  private mutating func order(of entity: Int, keys: KeyRange?) throws -> VisitingOrder {
    guard let table = binding.table(entity) else { return VisitingOrder(keyed: [], keyless: []) }
    let order = state.tables[table].order.order(of: state.tables[table].objects)
    guard let keys else { return VisitingOrder(keyed: order.keyed[...], keyless: order.keyless) }
    return VisitingOrder(keyed: order.keyed.entries(in: keys), keyless: [])
  }
}

/// Objects with a key, followed by objects without one.
private struct VisitingOrder {
  let keyed: ArraySlice<ObjectOrder.Entry>
  let keyless: [ObjectID]

  var count: Int { keyed.count + keyless.count }

  subscript(place: Int) -> (ObjectID, PrimaryKey?) {
    if place >= keyed.count { return (keyless[place - keyed.count], nil) }
    let entry = keyed[keyed.startIndex + place]
    return (entry.id, entry.key)
  }
}
