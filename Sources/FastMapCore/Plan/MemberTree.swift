/// The members that a mapping reads from a JSON object, each with the members that it reads inside.
///
/// A member has either members of an object or elements of an array inside, as mappings are checked for.
struct MemberTree {
  var step: JSONKeyPath.Step
  var attributes: [Int] = []
  var relationships: [Int] = []
  var members: [MemberTree] = []
  /// Where each is among the members.
  private var places = PlaceIndex<JSONKeyPath.Step>()

  private init(step: JSONKeyPath.Step) { self.step = step }

  /// Collects the key paths of a mapping, members in the order they are first named.
  static func members(of mapping: MappingDefinition) -> [MemberTree] {
    var root = MemberTree(step: .member(""))
    for (index, attribute) in mapping.attributes.enumerated() where attribute.hasPlace {
      root.add(attribute.keyPath.steps[...]) { $0.attributes.append(index) }
    }
    for (index, relationship) in mapping.relationships.enumerated() {
      root.add(relationship.keyPath.steps[...]) { $0.relationships.append(index) }
    }
    return root.members
  }

  /// The way to the parts of a key and to nothing else; none to a part that is the representation itself.
  static func members(of parts: [KeyPart], _ mapping: MappingDefinition) -> [MemberTree] {
    var root = MemberTree(step: .member(""))
    for part in parts {
      switch part {
      case .attribute(let index) where mapping.attributes[index].source == .keyPath:
        root.add(mapping.attributes[index].keyPath.steps[...]) { $0.attributes.append(index) }
      case .attribute: break
      case .relationship(let index):
        root.add(mapping.relationships[index].keyPath.steps[...]) { $0.relationships.append(index) }
      }
    }
    return root.members
  }

  private mutating func add(_ path: ArraySlice<JSONKeyPath.Step>, _ use: (inout MemberTree) -> Void) {
    guard let first = path.first else { return use(&self) }
    let index = places.place(of: first)
    if index == members.count { members.append(MemberTree(step: first)) }
    members[index].add(path.dropFirst(), use)
  }
}
