internal import CFastMap

/// The objects of one entity in a context.
final class ContextEntity {
  /// An attribute that is a property.
  struct Property {
    let field: Int
    let access: AttributeAccess
    /// The default of a property that is not optional, or null.
    fileprivate let none: Field

    /// The value that the property gets for a stored one.
    func shown(_ stored: Field) -> Field { stored.isMissing || stored.isNull ? none : stored }
  }

  let number: Int
  let fieldCount: Int
  let properties: [Property]
  /// The relationships, and after them the inverses.
  let links: [ClassRelationship]
  /// Makes an instance of its class, or a record.
  private let makeInstance: () -> AnyObject
  private let objects: ObjectAccess?
  private let plan: Plan
  /// The values of new objects, by field. The plan has their memory.
  let defaults: [Int: Field]
  /// Nil for an entity with a class.
  let records: RecordFields?

  /// In the order in which they were met.
  private(set) var members: [ContextMember] = []
  private var places = ObjectTable<Int>()

  /// - Parameter graph: The context, by its graph.
  init(_ number: Int, of plan: Plan, in graph: ObjectIdentifier) {
    let entity = plan.schema.entities[number]
    var own = plan.classes[number]
    objects = own.objects
    self.number = number
    self.plan = plan
    if let objects = own.objects {
      records = nil
      makeInstance = objects.make
    } else {
      let fields = RecordFields(number, of: plan, in: graph)
      own = EntityClass(ofRecords: entity)
      records = fields
      makeInstance = { EditableRecord(fields, isNew: false) }
    }
    fieldCount = entity.fields.count
    links = own.links
    var defaults: [Int: Field] = [:]
    for value in plan.compiled.defaults[number] { defaults[value.field] = Field(value.slot) }
    self.defaults = defaults
    properties = entity.fields.indices.compactMap { field in
      guard let access = own.attribute(field) else { return nil }
      let none = access.isOptional ? nil : defaults[field]
      return Property(field: field, access: access, none: none ?? .null)
    }
  }

  func make(_ row: Row) -> AnyObject { objects?.make(row) ?? makeInstance() }

  /// Makes a new instance of the class of another one.
  func make(like instance: AnyObject) -> AnyObject { objects?.make(like: instance) ?? makeInstance() }

  /// Whether an object has changed its kind since its instance was made. It needs an instance of another class.
  func isOtherKind(_ row: Row, than instance: AnyObject) -> Bool {
    guard let kinds = objects?.kinds, let stored = row[kinds.field].string else { return false }
    return stored != kinds.kind(of: instance)
  }

  /// Reads the properties of an instance into a row. A copy of an access would retain its closures.
  func read(_ instance: AnyObject, into row: inout RowBuffer) throws(SystemError) {
    row.reset(count: fieldCount)
    properties.withUnsafeBufferPointer { all in
      for place in all.indices { row.set(all[place].access, of: instance, at: all[place].field) }
    }
    try row.checkWhole()
  }

  func access(of field: Int) -> AttributeAccess? { properties.first { $0.field == field }?.access }

  /// The object with a number, also if it has left; nil if the context never had it.
  func member(_ id: ObjectID) -> ContextMember? { places[id].map { members[$0] } }

  /// The object with a number; nil if the context does not have it, or not any more.
  func present(_ id: ObjectID) -> ContextMember? { member(id).flatMap { $0.isGone ? nil : $0 } }

  func add(_ member: ContextMember) {
    places.set(members.count, for: member.id)
    members.append(member)
  }
}
