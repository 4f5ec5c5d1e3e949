/// Reads the caller's own instances like objects of a store.
///
/// An instance gets a number on first use, and keeps it as long as it is known. Known instances are retained, because
/// an identity is unique only while the object lives: a property may return a new instance each time.
package struct InstanceReader: StoreReader {
  private let plan: Plan
  /// Instances with numbers after `forgotten`.
  private var instances: [AnyObject] = []
  private var numbers: [ObjectIdentifier: ObjectID] = [:]
  private var forgotten = ObjectID.unset

  /// - Throws: ``MainActorError`` for main-actor classes off the main actor.
  package init(_ plan: Plan) throws(MainActorError) {
    try MainIsolation.check(plan.mainEntity)
    self.plan = plan
  }

  /// - Parameter plan: For a caller that has checked where it runs.
  package init(unchecked plan: Plan) { self.plan = plan }

  /// The number of an instance, the same one each time.
  package mutating func number(of instance: AnyObject) -> ObjectID {
    if let known = numbers[ObjectIdentifier(instance)] { return known }
    instances.append(instance)
    let number = forgotten.advanced(by: instances.count)
    numbers[ObjectIdentifier(instance)] = number
    return number
  }

  /// Releases all instances. Their numbers are not used again.
  mutating func forget() {
    forgotten = forgotten.advanced(by: instances.count)
    instances.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
  }

  /// The instance with a number; nil for a number that none has.
  package func instance(_ id: ObjectID) -> AnyObject? {
    id > forgotten && id <= forgotten.advanced(by: instances.count)
      ? instances[Int(id.rawValue - forgotten.rawValue) - 1] : nil
  }

  package mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    guard let instance = instance(id) else { return false }
    try check(instance, entity)
    let fields = plan.schema.entities[entity].fields
    let own = plan.classes[entity]
    buffer.reset(count: fields.count)
    for (number, property) in own.properties.enumerated() {
      switch property {
      case .attribute(let access):
        buffer.set(access, of: instance, at: number)
      case .relationship(let access):
        guard case .toOne = fields[number].kind, let target = access.get(instance).first else { continue }
        buffer.copy(.target(self.number(of: target)), at: number)
      case nil:
        break
      }
    }
    if let kinds = own.objects?.kinds, kinds.kind(of: instance) == nil {
      try checkKindless(instance, entity, buffer.row)
    }
    return true
  }

  /// Accessors rely on their callers to check the class.
  private func check(_ instance: AnyObject, _ entity: Int) throws(UnwritableValue) {
    guard let objects = plan.classes[entity].objects else {
      throw UnwritableValue(
        reason:
          "expected a mapping of instances of \(type(of: instance)), \(plan.schema.entities[entity].name) is one of records"
      )
    }
    if let kinds = objects.kinds, kinds.place(of: instance) == nil { throw kindless(instance, kinds) }
    if !objects.isInstance(instance) {
      throw UnwritableValue(
        reason: "expected an instance of \(objects.typeName), found one of \(type(of: instance))")
    }
  }

  /// An object without a kind is written as its key: it must have nothing else.
  private func checkKindless(
    _ instance: AnyObject, _ entity: Int, _ row: Row
  ) throws(UnwritableValue) {
    let layout = plan.schema.entities[entity]
    let own = plan.classes[entity]
    guard let kinds = own.objects?.kinds else { return }
    for (number, field) in layout.fields.enumerated() where number != layout.keyField {
      let value = row[number].value ?? .null
      if case .relationship(let access)? = own.properties[number] {
        if access.get(instance).isEmpty { continue }
      } else if value == .null || value == field.defaultValue {
        continue
      }
      throw kindless(instance, kinds)
    }
  }

  private func kindless(_ instance: AnyObject, _ kinds: KindClasses) -> UnwritableValue {
    UnwritableValue(
      reason:
        "expected an instance of \(kinds.names), found one of \(type(of: instance)), which the kinds do not name"
    )
  }

  package mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    var buffer = RowBuffer()
    for (index, id) in ids.enumerated() where try read(id, of: entity, into: &buffer) {
      try buffer.checkWhole()
      try body(index, buffer.row)
    }
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
    fields.map { field in owners.map { targets(of: $0, entity: entity, field: field) } }
  }

  package mutating func targets(of owner: ObjectID, entity: Int, field: Int) -> [ObjectID] {
    guard case .relationship(let access)? = plan.classes[entity].properties[field],
      let instance = instance(owner)
    else { return [] }
    return access.get(instance).map { number(of: $0) }
  }

  // The serializer does not call any of these.
  package mutating func use(_ schema: Schema) {}
  package mutating func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] { keys.map { _ in nil } }
  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout InstanceReader, ObjectPage) throws -> Bool
  ) {}
  package mutating func count(of entity: Int) -> Int { 0 }
}
