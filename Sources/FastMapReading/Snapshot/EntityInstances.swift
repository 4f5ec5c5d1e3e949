/// The instances of one entity's objects in a snapshot, and how they are made.
final class EntityInstances {
  /// The instance of an object.
  struct Member {
    let id: ObjectID
    let instance: AnyObject
    /// The number of levels of all relationships that were followed from it; `Int.max` for all.
    var depth = 0
  }

  let entity: Schema.Entity
  let fieldCount: Int
  let relationships: [ClassRelationship]
  /// The property of the primary key.
  let keyAccess: AttributeAccess?
  private let attributes: [ClassAttribute]
  /// Nil for an entity of records.
  private let makeInstance: (@Sendable () -> AnyObject)?
  private let kinds: KindClasses?

  // @exclusivity(unchecked): nothing is called while one of them changes, and the checks took a twentieth of an instance.

  /// In the order in which they were met.
  @exclusivity(unchecked)
  private var members: [Member] = []
  /// The places of objects in `members`, once there are more than a few.
  @exclusivity(unchecked)
  private var places = ObjectTable<Int>()

  /// The number of members that are searched one by one. A snapshot that reads one object makes no table.
  private static let few = 8

  init(_ number: Int, of plan: Plan) {
    let own = plan.classes[number]
    entity = plan.schema.entities[number]
    fieldCount = entity.fields.count
    relationships = own.links
    attributes = own.attributes
    keyAccess = entity.keyField.flatMap { own.attribute($0) }
    makeInstance = own.objects?.make
    kinds = own.objects?.kinds
  }

  var hasClass: Bool { makeInstance != nil }

  // MARK: Members

  /// The place of an object's instance; nil if it has none.
  @inline(__always)
  func place(of id: ObjectID) -> Int? {
    if members.count > Self.few { return places[id] }
    for place in members.indices where members[place].id == id { return place }
    return nil
  }

  subscript(place: Int) -> AnyObject { members[place].instance }

  func depth(at place: Int) -> Int { members[place].depth }
  func setDepth(_ depth: Int, at place: Int) { members[place].depth = depth }

  /// Adds the instance of an object that has none.
  ///
  /// - Returns: Its place.
  @discardableResult
  func add(_ instance: AnyObject, _ id: ObjectID) -> Int {
    members.append(Member(id: id, instance: instance))
    if members.count == Self.few + 1 {
      for (place, member) in members.enumerated() { places.set(place, for: member.id) }
    } else if members.count > Self.few {
      places.set(members.count - 1, for: id)
    }
    return members.count - 1
  }

  /// Makes room for the first members. Later, an exact size for each page would copy all members for each.
  func reserve(_ count: Int) {
    if members.isEmpty { members.reserveCapacity(count) }
  }

  /// Forgets which relationships were followed.
  func forgetDepths() {
    for place in members.indices { members[place].depth = 0 }
  }

  // MARK: Making

  /// Makes the instance of an object that has none, and sets its attributes.
  ///
  /// - Returns: Its place; nil if the entity has no class.
  /// - Throws: The first attribute that its property cannot hold. The object has no instance then.
  func make(_ id: ObjectID, _ row: Row) throws(UnreadableAttribute) -> Int? {
    guard let makeInstance else { return nil }
    let instance = if let kinds { kinds.make(row[kinds.field]) } else { makeInstance() }
    // Null and missing are the same in a store: an optional property becomes nil, and any other shows its default.
    let unreadable: Int? = attributes.withUnsafeBufferPointer { attributes in
      for index in attributes.indices {
        let stored = row[attributes[index].number]
        if attributes[index].access(
          instance, stored.isMissing || stored.isNull ? attributes[index].none : stored, nil) != nil
        {
          return attributes[index].number
        }
      }
      return nil
    }
    if let unreadable { throw UnreadableAttribute(field: unreadable) }
    return add(instance, id)
  }
}

/// A field whose property cannot hold the stored value.
struct UnreadableAttribute: Error {
  let field: Int
}
