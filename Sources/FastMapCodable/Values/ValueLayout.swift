internal import CFastMap

/// The members of the stored objects of one mapping, by the names that their type has.
final class ValueLayout {
  enum Kind {
    case attribute
    /// The number of the mapping of the target.
    case toOne(Int)
    case toMany(Int)
  }

  struct Member {
    let field: Int
    let kind: Kind

    /// The mapping of the targets; nil for an attribute.
    var target: Int? {
      switch kind {
      case .attribute: nil
      case .toOne(let mapping), .toMany(let mapping): mapping
      }
    }
  }

  let entity: Int
  let fieldCount: Int
  private let names: [String]
  private let nameBits: UnsafeMutableBufferPointer<NameBits>
  let members: UnsafeMutableBufferPointer<Member>
  let links: [Member]
  /// The fields of relationships to any number of objects.
  let lists: [Int]
  private let entityName: String
  private let keyField: Int?

  init(_ planned: PlannedMapping, _ plan: Plan) {
    let mapping = planned.mapping
    let attributes = mapping.attributes.indices.map {
      Member(field: planned.attributeFields[$0], kind: .attribute)
    }
    links = mapping.relationships.indices.map { index in
      let target = planned.destinations[index]
      return Member(
        field: planned.relationshipFields[index],
        kind: mapping.relationships[index].isToMany ? .toMany(target) : .toOne(target))
    }
    names = mapping.attributes.map(\.name) + mapping.relationships.map(\.name)
    // Pointers, because arrays would be retained for each member.
    members = .allocate(capacity: names.count)
    _ = members.initialize(from: attributes + links)
    nameBits = .allocate(capacity: names.count)
    _ = nameBits.initialize(from: names.map { unsafeBitCast($0, to: NameBits.self) })
    lists = links.filter { if case .toMany = $0.kind { true } else { false } }.map(\.field)
    entity = planned.entity
    fieldCount = plan.schema.entities[planned.entity].fields.count
    entityName = plan.schema.entities[planned.entity].name
    keyField = planned.keyField
  }

  deinit {
    members.deallocate()
    nameBits.deallocate()
  }

  /// The representation of a string. Strings with the same are equal. A type has one string for the name of a member.
  private typealias NameBits = (UInt64, UInt64)

  /// Whether the member at a place has a name. The name must be the type's own string.
  @inline(__always)
  func isMember(_ place: Int, named name: String) -> Bool {
    place < nameBits.count && nameBits[place] == unsafeBitCast(name, to: NameBits.self)
  }

  /// The place of a member, found at once if it is `next`.
  func place(of name: String, from next: Int) -> Int? {
    if isMember(next, named: name) { return next }
    if next < names.count, names[next] == name { return next }
    return names.firstIndex(of: name)
  }

  func names(where isIncluded: (Member) -> Bool) -> [String] {
    names.indices.filter { isIncluded(members[$0]) }.map { names[$0] }
  }

  /// An object in messages: `Person 7`.
  func name(of slots: UnsafePointer<fastmap_slot>) -> String {
    guard let key = keyField.flatMap({ Field(slots[$0]).key }) else { return escaped(entityName) }
    return "\(escaped(entityName)) \(key)"
  }
}

extension StoredObject {
  var name: String { layout.name(of: slots) }
}
