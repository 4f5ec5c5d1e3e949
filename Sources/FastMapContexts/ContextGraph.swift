internal import CFastMap

/// The objects of a context: one instance for each.
final class ContextGraph {
  let plan: Plan
  private var entities: [ContextEntity?]
  /// The values of a member's properties. It keeps its memory.
  private var now = RowBuffer()
  private var members: [ObjectIdentifier: ContextMember] = [:]
  var inserted = NewObjects()
  /// New objects that the caller has inserted and deleted since. The next save removes them from all relationships.
  var forgotten: [ObjectIdentifier: ContextMember] = [:]
  /// Its objects that are not stored any more.
  private(set) var gone: [ObjectIdentifier: ContextMember] = [:]
  /// New records, forgotten ones included. They may refer to each other.
  var made: [EditableRecord] = []
  private lazy var classes: [ObjectIdentifier: [Int]] = {
    var classes: [ObjectIdentifier: [Int]] = [:]
    for (number, layout) in plan.classes.enumerated() {
      for type in layout.objects?.types ?? [] { classes[type, default: []].append(number) }
    }
    return classes
  }()

  init(_ plan: Plan) {
    self.plan = plan
    entities = Array(repeating: nil, count: plan.schema.entities.count)
  }

  var schema: Schema { plan.schema }

  subscript(entity: Int) -> ContextEntity {
    if let known = entities[entity] { return known }
    let new = ContextEntity(entity, of: plan, in: ObjectIdentifier(self))
    entities[entity] = new
    return new
  }

  func add(_ instance: AnyObject, _ id: ObjectID, to entity: ContextEntity) -> ContextMember {
    let member = ContextMember(
      instance, id, of: entity.number, linkCount: entity.links.count, isCallers: false)
    add(member, to: entity)
    return member
  }

  func newMember(_ instance: AnyObject, of entity: Int) -> ContextMember {
    let entity = self[entity]
    return ContextMember(
      instance, .unset, of: entity.number, linkCount: entity.links.count,
      isCallers: instance as? EditableRecord == nil)
  }

  /// Checks the class of a new instance: fields of another entity or of a subclass would be lost.
  ///
  /// - Parameter place: Where a relationship has it.
  /// - Throws: ``ContextError`` for an instance of another entity or class.
  func check(
    _ instance: AnyObject, of entity: Int, at place: @autoclosure () -> String? = nil
  ) throws(ContextError) {
    if let own = classes[ObjectIdentifier(type(of: instance))] {
      if own.contains(entity) { return }
      throw otherEntity(entity, found: newMember(instance, of: own[0]), at: place())
    }
    let layout = schema.entities[entity]
    guard let objects = plan.classes[entity].objects, !objects.stores(instance) else { return }
    if let kinds = objects.kinds {
      throw .kindlessClass(
        place: place(), entity: layout.name, expected: kinds.names, found: "\(type(of: instance))")
    }
    throw .unmappedClass(
      place: place(), entity: layout.name, expected: objects.typeName, found: "\(type(of: instance))")
  }

  /// Checks the values that the caller has set in a record. An instance has nothing to check.
  ///
  /// - Throws: ``UnknownNameError``, or ``ContextError``, for values that cannot be saved.
  func checkValues(of member: ContextMember) throws {
    guard let record = member.record else { return }
    try record.check {
      let key = member.isNew ? record.newKey : key(of: member)
      return (key, ObjectNames(self).title(of: member, key: key, isNew: member.isNew))
    }
  }

  /// Empties the inverses of an instance whose object was deleted: nothing refers to the new one that it becomes.
  func clearInverses(of instance: AnyObject, _ entity: Int) {
    for link in self[entity].links where link.isInverse && !link.access.get(instance).isEmpty {
      link.access.set(instance, nil)
    }
  }

  func add(_ member: ContextMember, to entity: ContextEntity) {
    // An instance that the store has lost may become another object.
    self.member(of: member.instance)?.standing = .gone(nil)
    entity.add(member)
    members[ObjectIdentifier(member.instance)] = member
    gone[ObjectIdentifier(member.instance)] = nil
    forgotten[ObjectIdentifier(member.instance)] = nil
  }

  /// Removes objects that are not stored any more, also from the relationships of the others.
  ///
  /// - Parameter keepsEdited: Whether a relationship that the caller has set keeps them.
  func remove(_ gone: [ContextMember], keepsEdited: Bool = false) throws(SystemError) {
    if gone.isEmpty { return }
    for member in gone {
      if !member.isDeleted { member.standing = .gone(try InstanceState(member, in: self)) }
      if case .deleted(let state) = member.standing { member.standing = .gone(state) }
      if self.member(of: member.instance) === member { members[ObjectIdentifier(member.instance)] = nil }
      if !member.isNew { self.gone[ObjectIdentifier(member.instance)] = member }
    }
    let instances = Set(gone.map { ObjectIdentifier($0.instance) })
    for case let entity? in entities {
      for member in entity.members where !member.isGone {
        for (position, link) in entity.links.enumerated() {
          let now = link.access.get(member.instance)
          let left = now.filter { !instances.contains(ObjectIdentifier($0)) }
          if left.count < now.count, !keepsEdited || !isEdited(position, of: member) {
            link.access.set(member.instance, left.isEmpty ? nil : left)
          }
          guard let read = member.targets[position] else { continue }
          member.set(read.filter { !(self[link.target].member($0)?.isGone ?? false) }, at: position)
        }
      }
    }
  }

  /// The object of an instance; nil for one that the context does not have.
  func member(of instance: AnyObject) -> ContextMember? { members[ObjectIdentifier(instance)] }

  /// The object of an instance that has left this context; nil for any other.
  func goneMember(of instance: AnyObject) -> ContextMember? {
    member(of: instance) == nil ? gone[ObjectIdentifier(instance)] : nil
  }

  /// Whether the next save removes an instance from all relationships.
  func isLeaving(_ instance: AnyObject) -> Bool {
    member(of: instance)?.isDeleted ?? (forgotten[ObjectIdentifier(instance)] != nil)
  }

  /// All objects.
  var all: [ContextMember] { entities.flatMap { $0?.members ?? [] } }

  /// Empties the relationships of the instances, so that instances which refer to each other are released.
  ///
  /// An instance that the caller has made stays as it is, unless its object is stored: it may be in another context.
  func clearRelationships() {
    for case let entity? in entities {
      for member in entity.members where !(member.isCallers && member.isGone) {
        for link in entity.links where !link.access.get(member.instance).isEmpty {
          link.access.set(member.instance, nil)
        }
        member.record?.end()
      }
    }
    for record in made { record.end() }
  }

  /// Inserted instances, and new ones that relationships refer to, with their entities.
  var newInstances: [(instance: AnyObject, entity: Int)] {
    var found = inserted.map { (instance: $0.instance, entity: $0.entity) }
    var known = Set(found.map { ObjectIdentifier($0.instance) })
    func add(_ instance: AnyObject, _ entity: Int) {
      for link in self[entity].links where !link.isInverse {
        for target in link.access.get(instance)
        where member(of: target) == nil && goneMember(of: target) == nil {
          if known.insert(ObjectIdentifier(target)).inserted { found.append((target, link.target)) }
        }
      }
    }
    for member in all where !member.isGone { add(member.instance, member.entity) }
    var next = 0
    while next < found.count {
      add(found[next].instance, found[next].entity)
      next += 1
    }
    return found
  }

  // MARK: Names

  /// The primary key of an object; nil for one without.
  func key(of member: ContextMember) -> PrimaryKey? {
    for field in plan.traits.keyFields[member.entity] {
      if let stored = member.stored {
        if let key = PrimaryKey(slot: stored.slots[field]) { return key }
      } else if let access = self[member.entity].access(of: field) {
        var buffer = RowBuffer()
        buffer.reset(count: 1)
        buffer.set(access, of: member.instance, at: 0)
        if let key = buffer.row[0].key { return key }
      }
    }
    return nil
  }

  /// The error for an instance that is an object of another entity.
  func otherEntity(_ entity: Int, found member: ContextMember, at place: String? = nil) -> ContextError {
    .otherEntity(
      place: place, expected: schema.entities[entity].name, found: schema.entities[member.entity].name,
      key: key(of: member))
  }

  func name(of link: ClassRelationship, _ entity: Int) -> String {
    let layout = schema.entities[entity]
    return layout.inverse(link.field)?.name ?? layout.fields[link.field].name
  }

  // MARK: Relationships

  /// Whether the caller has changed the targets of a property since they were read.
  ///
  /// An inverse is never edited: it shows the stored relationships.
  func isEdited(_ position: Int, of member: ContextMember) -> Bool {
    let link = self[member.entity].links[position]
    return !link.isInverse && !shows(member.targets[position] ?? [], link, in: member)
  }

  /// Whether a property has these targets.
  func shows(_ ids: [ObjectID], _ link: ClassRelationship, in member: ContextMember) -> Bool {
    let targets = self[link.target]
    return link.access.shape.isSame(
      link.access.get(member.instance).map { ObjectIdentifier($0) },
      as: ids.compactMap { targets.member($0).map { ObjectIdentifier($0.instance) } })
  }

  // MARK: Attributes

  /// The values of an instance's properties.
  func values(of member: ContextMember) throws(SystemError) -> OwnedRow {
    let entity = self[member.entity]
    try entity.read(member.instance, into: &now)
    return OwnedRow(now.slots, count: entity.fieldCount)
  }

  /// The attributes, as positions among the entity's properties, that differ from a row.
  func edits(of member: ContextMember, since row: (Int) -> fastmap_slot) throws(SystemError) -> [Int] {
    let entity = self[member.entity]
    try entity.read(member.instance, into: &now)
    return entity.properties.indices.filter { place in
      let field = entity.properties[place].field
      return !now.slots[field].isSame(as: row(field))
    }
  }

  /// The attributes and relationships that differ from the values read.
  func editedFields(of member: ContextMember) throws(SystemError) -> [Int] {
    guard let shown = member.shown else { return [] }
    let entity = self[member.entity]
    return try edits(of: member) { shown.slots[$0] }.map { entity.properties[$0].field }
      + entity.links.indices.filter { isEdited($0, of: member) }.map { entity.links[$0].field }
  }

  /// Whether the next save would write or delete an object.
  func isEdited(_ member: ContextMember) throws(SystemError) -> Bool {
    if member.isDeleted || member.shown == nil { return true }
    return try !editedFields(of: member).isEmpty
  }
}
