/// The members that a mapping reads from a JSON object, each with the members that it reads inside.
///
/// A member has either members of an object or elements of an array inside, as mappings are checked for.
package struct MemberTree {
  package var step: JSONKeyPath.Step
  package var attributes: [Int] = []
  package var relationships: [Int] = []
  package var members: [MemberTree] = []
  /// Where each is among the members.
  private var places = PlaceIndex<JSONKeyPath.Step>()

  private init(step: JSONKeyPath.Step) { self.step = step }

  /// Collects the key paths of a mapping that begin at an origin, members in the order they are first named.
  ///
  /// - Parameter withOwnNames: Whether the own names of fields from outside of the object count too.
  package static func members(
    of mapping: MappingDefinition, from origin: JSONKeyPath.Origin = .object, withOwnNames: Bool = false
  ) -> [MemberTree] {
    tree(of: mapping, from: origin, withOwnNames: withOwnNames).members
  }

  /// The same with the fields that read the object as a whole.
  package static func tree(
    of mapping: MappingDefinition, from origin: JSONKeyPath.Origin = .object, withOwnNames: Bool = false
  ) -> MemberTree {
    var root = MemberTree(step: .member(""))
    func path(_ own: JSONKeyPath, _ outer: JSONKeyPath?) -> JSONKeyPath? {
      if origin != .object { return outer?.origin == origin ? outer : nil }
      return outer == nil || withOwnNames ? own : nil
    }
    for (index, attribute) in mapping.attributes.enumerated() where attribute.hasPlace {
      guard let path = path(attribute.keyPath, attribute.outerPath) else { continue }
      root.add(path.steps[...]) { $0.attributes.append(index) }
    }
    for (index, relationship) in mapping.relationships.enumerated() {
      guard let path = path(relationship.keyPath, relationship.outerPath) else { continue }
      root.add(path.steps[...]) { $0.relationships.append(index) }
    }
    return root
  }

  /// The places where an object may repeat the name of the member that has it.
  static func memberNames(of mapping: MappingDefinition) -> [MemberTree] {
    var root = MemberTree(step: .member(""))
    for (index, attribute) in mapping.attributes.enumerated() where attribute.source == .memberName {
      root.add(attribute.keyPath.steps[...]) { $0.attributes.append(index) }
    }
    return root.members
  }

  /// The way to the parts of a key and to nothing else; none to a part that is the representation itself.
  package static func members(of parts: [KeyPart], _ mapping: MappingDefinition) -> [MemberTree] {
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

  static func way(_ path: JSONKeyPath) -> [MemberTree] {
    var root = MemberTree(step: .member(""))
    root.add(path.steps[...]) { _ in }
    return root.members
  }

  private mutating func add(_ path: ArraySlice<JSONKeyPath.Step>, _ use: (inout MemberTree) -> Void) {
    guard let first = path.first else { return use(&self) }
    let index = places.place(of: first)
    if index == members.count { members.append(MemberTree(step: first)) }
    members[index].add(path.dropFirst(), use)
  }
}
