/// The members of a place whose values may choose the kinds of its objects: those with the best names among all that have strings.
extension Shape {
  func countString(of member: Shape, _ text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) {
    if !member.mayChoose { admit(member) }
    if let kinds = member.kinds, !kinds.makeRoom(hash, text) { member.kinds = nil }
  }

  private func admit(_ member: Shape) {
    member.mayChoose = true
    member.kinds = KindCounts()
    choosers.append(member)
    guard choosers.count > KindCounts.mostMembers else { return }
    let last = choosers.indices.max { choosers[$0].choosingRank < choosers[$1].choosingRank }
    if let last { choosers.remove(at: last).kinds = nil }
  }

  /// Adds the counts of another place, after its members.
  func absorbKinds(of other: Shape) {
    guard collected == nil, other.members.contains(where: \.mayChoose) else { return }
    let numbers = Renumbering(from: other, to: self)
    for member in other.members where member.mayChoose {
      guard let twin = self.member(hash: member.nameHash) else { continue }
      if !twin.mayChoose { admit(twin) }
      guard let added = member.kinds else {
        twin.kinds = nil
        continue
      }
      if let kinds = twin.kinds, !kinds.absorb(added, numbers) { twin.kinds = nil }
    }
  }
}

/// Names of members that people give to the kind of an object.
enum KindNames {
  private static let typical: Set = [
    "type", "kind", "class", "event", "category", "variant", "object", "action", "tag", "op", "model",
    "method",
    "command", "element", "node", "shape", "schema",
  ]
  /// Names of members whose values change while an object stays the same.
  private static let changing: Set = ["status", "state", "phase", "stage", "step"]

  static func isTypical(_ name: String) -> Bool {
    guard name.utf8.count <= 64, let last = Words(name).all.last else { return false }
    return typical.contains(last) || ["type", "kind", "class"].contains { last.hasSuffix($0) }
  }

  static func isChanging(_ name: String) -> Bool { Words(name).all.last.map(changing.contains) ?? false }

  /// The name of a mapping for a value: `wikibase-item` is `WikibaseItem`.
  static func mapping(of value: String, entity: String) -> String {
    let words = value.split { !($0.isLetter || $0.isNumber) }
    let name = String(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined().prefix(60))
    return name.first.map(\.isLetter) ?? false ? name : entity + name
  }
}
