/// Evidence for and against keys, from all places of the payload.
extension KeyFinder {
  /// The candidates. Among those whose names say nothing, members come first whose values other objects list.
  func preferred(_ candidates: [Shape]) -> [Shape] {
    let nameless = candidates.filter { $0.keyRank == KeyNames.noRank }
    guard !lists.isEmpty, nameless.count > 1 else { return candidates }
    let listed = nameless.filter { member in
      guard let values = member.values, values.isUnique else { return false }
      return lists.contains { list in
        let shared = list.shared(with: values)
        return shared.found == shared.compared && shared.compared >= References.fewestIncluded
      }
    }
    return candidates.filter { $0.keyRank < KeyNames.noRank } + listed
      + nameless.filter { member in !listed.contains { $0 === member } }
  }

  /// Whether objects stand below others of the entity, and none at the root. Exports nest such objects in full if they have no key.
  var isBelowItself: Bool {
    guard !entity.places.contains(where: { $0.owner == nil }) else { return false }
    let places = Set(entity.places.map { ObjectIdentifier($0) })
    return entity.places.contains { place in
      var owner = place.owner
      while let next = owner {
        if places.contains(ObjectIdentifier(next)) { return true }
        owner = next.owner
      }
      return false
    }
  }

  /// Whether single objects with equal names or addresses are equal in all else, often enough. People share names.
  func repeatsInEqualObjects(_ member: Shape, _ values: ValueSketch) -> Bool {
    guard member.keyRank >= KeyNames.firstWeakRank, member.keyRank < KeyNames.noRank,
      member.counts.strings > 0, shape.members.count > 1, entity.objectCount >= 10
    else { return false }
    let repeats = values.repeats
    let isOfPerson = member.label == "name" && shape.members.contains { $0.label == "email" }
    return repeats.count >= 3 && repeats.differing == 0 && !isOfPerson
  }
}
