/// The members that a mapping wants from a JSON object, with what it wants from inside of them.
///
/// What stands inside of a member is either members of an object or elements of an array, as mappings are checked for.
struct MemberTree {
  var step: JSONKeyPath.Step
  var attributes: [Int] = []
  var relationships: [Int] = []
  var members: [MemberTree] = []

  /// Collects the key paths of a mapping, members in the order they are first named.
  static func members(of mapping: MappingDescription) -> [MemberTree] {
    var root = MemberTree(step: .member(""))
    for (index, attribute) in mapping.attributes.enumerated() {
      guard let path = attribute.keyPath else { continue }
      root.add(path.steps[...]) { $0.attributes.append(index) }
    }
    for (index, relationship) in mapping.relationships.enumerated() {
      guard let path = relationship.keyPath else { continue }
      root.add(path.steps[...]) { $0.relationships.append(index) }
    }
    return root.members
  }

  private mutating func add(_ path: ArraySlice<JSONKeyPath.Step>, _ use: (inout MemberTree) -> Void) {
    guard let first = path.first else { return use(&self) }
    let index = members.firstIndex { $0.step.isIdentical(to: first) } ?? members.count
    if index == members.count { members.append(MemberTree(step: first)) }
    members[index].add(path.dropFirst(), use)
  }
}

extension JSONKeyPath.Step {
  /// Whether two steps are the same; names are compared by their bytes.
  func isIdentical(to other: Self) -> Bool {
    if case .member(let a) = self, case .member(let b) = other { return a.utf8.elementsEqual(b.utf8) }
    return self == other
  }
}
