/// The members that a mapping wants from a JSON object, with what it wants from inside of them.
struct MemberTree {
  var name: String
  var attributes: [Int] = []
  var relationships: [Int] = []
  var members: [MemberTree] = []

  /// Collects the key paths of a mapping, members in the order they are first named.
  static func members(of mapping: MappingDescription) -> [MemberTree] {
    var root = MemberTree(name: "")
    for (index, attribute) in mapping.attributes.enumerated() {
      guard let path = attribute.keyPath else { continue }
      root.add(path.components[...]) { $0.attributes.append(index) }
    }
    for (index, relationship) in mapping.relationships.enumerated() {
      guard let path = relationship.keyPath else { continue }
      root.add(path.components[...]) { $0.relationships.append(index) }
    }
    return root.members
  }

  private mutating func add(_ path: ArraySlice<String>, _ use: (inout MemberTree) -> Void) {
    guard let first = path.first else { return use(&self) }
    let index = members.firstIndex { $0.name.utf8.elementsEqual(first.utf8) } ?? members.count
    if index == members.count { members.append(MemberTree(name: first)) }
    members[index].add(path.dropFirst(), use)
  }
}
