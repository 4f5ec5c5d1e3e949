/// The objects of one entity in a context.
final class ContextEntity {
  /// An attribute that is a property.
  struct Property {
    let field: Int
    let access: AttributeAccess
  }

  let number: Int
  let fieldCount: Int
  let properties: [Property]
  /// The relationships, and behind them the inverses.
  let links: [ClassRelationship]
  /// Nil for an entity of records.
  let objects: ObjectAccess?

  /// In the order in which they were met.
  private(set) var members: [ContextMember] = []
  private var places = ObjectTable<Int>()

  init(_ entity: Schema.Entity, number: Int) {
    self.number = number
    fieldCount = entity.fields.count
    links = entity.classLinks
    objects = entity.objects
    properties = entity.fields.enumerated().compactMap { field, layout in
      guard case .attribute(let access)? = layout.access else { return nil }
      return Property(field: field, access: access)
    }
  }

  /// The object with a number; nil if the context does not have it.
  func member(_ id: ObjectID) -> ContextMember? { places[id].map { members[$0] } }

  func add(_ member: ContextMember) {
    places.set(members.count, for: member.id)
    members.append(member)
  }
}
