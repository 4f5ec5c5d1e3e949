/// The members of a plan's root objects. They tell an import whether a payload is of another mapping.
struct ExpectedMembers {
  /// By the members that fields read, the number of these fields.
  private var fields: [String: Int] = [:]
  private var ignored: Set<String> = []

  /// Nil if each payload may be meant: a field reads a whole root object, or the mapping ignores all members.
  init?(_ plan: Plan) {
    let root = plan.mappings[0]
    for number in root.kinds?.all ?? [0] {
      let mapping = plan.mappings[number].mapping
      let tree = MemberTree.tree(of: mapping)
      let isWhole = !tree.relationships.isEmpty || tree.attributes.contains { !mapping.attributes[$0].isRest }
      if mapping.isRow || isWhole || mapping.ignores.contains(.wholeValue) { return nil }
      for case .member(let name)? in mapping.ignores.map(\.steps.first) { ignored.insert(name) }
      for member in tree.members {
        if case .member(let name) = member.step { fields[name] = max(fields[name] ?? 0, member.fieldCount) }
      }
    }
  }

  /// Checks the members of the first root objects.
  ///
  /// - Parameter found: Their names.
  /// - Throws: ``OtherPayloadError`` if the mapping knows fewer than half of them, and they are of fewer than half of its fields.
  func check(_ found: Set<String>, of mapping: String, in file: String?) throws(OtherPayloadError) {
    let unread = found.filter { fields[$0] == nil && !ignored.contains($0) }
    let met = found.reduce(0) { $0 + (fields[$1] ?? 0) }
    let all = fields.values.reduce(0, +)
    guard 2 * (found.count - unread.count) < found.count, 2 * met < all else { return }
    throw OtherPayloadError(
      file: file, mapping: mapping, unread: unread.sorted(), memberCount: found.count, missing: all - met,
      fieldCount: all)
  }
}

/// The error of an import that chose its mapping itself, and whose root objects are others.
package struct OtherPayloadError: Error, CustomStringConvertible {
  /// The input, if it has a name.
  package let file: String?
  package let mapping: String
  let unread: [String]
  let memberCount: Int
  let missing: Int
  let fieldCount: Int

  package var description: String {
    (file.map { "\(escaped($0)): " } ?? "")
      + "expected objects of \(quoted(mapping)), found objects with \(unread.count) of \(memberCount) members that it does not read"
      + " (\(list(unread.map(quoted), most: 5))) and without \(missing) of its \(fieldCount) fields; nothing is stored"
  }
}

extension MemberTree {
  fileprivate var fieldCount: Int {
    attributes.count + relationships.count + members.reduce(0) { $0 + $1.fieldCount }
  }
}
