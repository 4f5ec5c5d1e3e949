/// New objects that the caller has inserted, in that order.
struct NewObjects: Sequence {
  private var members: [ContextMember?] = []
  private var places: [ObjectIdentifier: Int] = [:]

  func contains(_ instance: AnyObject) -> Bool { places[ObjectIdentifier(instance)] != nil }

  /// The object of an instance; nil if it was not inserted.
  func member(of instance: AnyObject) -> ContextMember? {
    places[ObjectIdentifier(instance)].flatMap { members[$0] }
  }

  mutating func append(_ member: ContextMember) {
    places[ObjectIdentifier(member.instance)] = members.count
    members.append(member)
  }

  /// - Returns: The object; nil if it was not there.
  @discardableResult
  mutating func remove(_ instance: AnyObject) -> ContextMember? {
    guard let place = places.removeValue(forKey: ObjectIdentifier(instance)) else { return nil }
    defer { members[place] = nil }
    return members[place]
  }

  func makeIterator() -> some IteratorProtocol<ContextMember> {
    members.lazy.compactMap(\.self).makeIterator()
  }
}
