/// New objects that the caller has inserted, in that order.
struct InsertedMembers: Sequence {
  private var members: [ContextMember?] = []
  private var places: [ObjectIdentifier: Int] = [:]

  func contains(_ instance: AnyObject) -> Bool { places[ObjectIdentifier(instance)] != nil }

  mutating func append(_ member: ContextMember) {
    places[ObjectIdentifier(member.instance)] = members.count
    members.append(member)
  }

  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ instance: AnyObject) -> Bool {
    guard let place = places.removeValue(forKey: ObjectIdentifier(instance)) else { return false }
    members[place] = nil
    return true
  }

  func makeIterator() -> some IteratorProtocol<ContextMember> {
    members.lazy.compactMap(\.self).makeIterator()
  }
}
