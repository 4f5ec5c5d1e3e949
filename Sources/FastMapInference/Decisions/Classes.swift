/// Places of one entity, found by their keys, members and names. Places that are one have the same places below them, too.
struct Classes {
  let places: [Place]
  private var parents: [Int]

  init(_ roots: [Place]) {
    places = roots.flatMap(\.all)
    for (number, place) in places.enumerated() { place.number = number }
    parents = Array(places.indices)
    uniteKeyed()
    uniteOwned()
  }

  func find(_ place: Place) -> Int { root(of: place.number) }

  private func root(of number: Int) -> Int {
    var number = number
    while parents[number] != number { number = parents[number] }
    return number
  }

  /// The places of each class, by the number of the class.
  var groups: [Int: [Place]] { Dictionary(grouping: places) { find($0) } }

  private mutating func unite(_ first: Place, _ second: Place) {
    var pending = [(first, second)]
    while let (a, b) = pending.popLast() {
      let (x, y) = (find(a), find(b))
      if x == y { continue }
      let mine = places.filter { find($0) == x }
      let theirs = places.filter { find($0) == y }
      parents[max(x, y)] = min(x, y)
      for a in mine {
        for b in theirs {
          for (name, child) in a.children {
            if let twin = b.children[name], find(child) != find(twin), child.isValue == twin.isValue {
              pending.append((child, twin))
            }
          }
        }
      }
    }
  }

  // MARK: Entities with a key

  private mutating func uniteKeyed() {
    let keyed = places.filter { $0.recordKey != nil }
    // Places with the same members first: they tell whether an object stays the same.
    for needsSameMembers in [true, false] {
      for (number, place) in keyed.enumerated().prefix(2000) {
        for other in keyed[..<number] where find(place) != find(other) {
          if Self.similarity(place, other).all >= 0.7 || !needsSameMembers, isSame(place, other),
            needsSameMembers || (isStable(place) && isStable(other))
          {
            unite(other, place)
          }
        }
      }
    }
  }

  /// Whether the objects of a place's class stay the same.
  private func isStable(_ place: Place) -> Bool {
    let number = find(place)
    let all = places.reduce(into: ObjectSample()) { all, place in
      if find(place) == number { all.absorb(place.sample) }
    }
    return all.isStable
  }

  private func isSame(_ a: Place, _ b: Place) -> Bool {
    guard let key = a.recordKey, let twin = b.recordKey, key.name == twin.name,
      (key.counts.strings > 0) == (twin.counts.strings > 0)
    else { return false }
    let similarity = Self.similarity(a, b)
    let isAkin = a.entity == b.entity && !a.entity.isEmpty
    // A short form of an object has few members of its own. More of them describe the place.
    let isShortForm = similarity.all >= 0.7 || similarity.smaller >= 0.85
    let agreement = a.sample.agreement(with: b.sample, key: key.nameHash)
    if agreement.equal + agreement.different > 0 {
      let isEqual = agreement.equal * 10 >= (agreement.equal + agreement.different) * 8
      return isEqual && (isShortForm || isAkin) && !hasConflict(a, b)
    }
    guard !hasConflict(a, b) else { return false }
    let shared = a.sample.keys.shared(with: b.sample.keys)
    if shared.found > 0, key.counts.strings > 0 || key.largest > 100_000 {
      return isShortForm || isAkin
    }
    if isAkin { return similarity.smaller >= 0.5 }
    let isNested = isAncestor(a, of: b) || isAncestor(b, of: a)
    if isNested, hasOtherType(a, b) { return false }
    return similarity.all >= (isNested ? 0.6 : 0.8) && similarity.shared >= (isNested ? 3 : 6)
  }

  /// Whether a member such as `type` says that the objects here are of other kinds than the ones there.
  private func hasOtherType(_ a: Place, _ b: Place) -> Bool {
    a.shape.members.contains { member in
      guard KindNames.isTypical(member.label), let few = member.text?.few,
        let others = b.member(member.name)?.text?.few
      else { return false }
      return few.keys.allSatisfy { others[$0] == nil }
    }
  }

  private func isAncestor(_ a: Place, of b: Place) -> Bool {
    var place = b.owner
    while let next = place {
      if next === a { return true }
      place = next.owner
    }
    return false
  }

  // MARK: Objects without a key

  private mutating func uniteOwned() {
    for place in places.prefix(5000) where !place.isValue && place.recordKey == nil {
      var ancestor = place.owner
      while let next = ancestor {
        if next.recordKey == nil, isRecursive(place, next), find(place) != find(next) {
          unite(next, place)
          break
        }
        ancestor = next.owner
      }
    }
    var byName: [String: [Place]] = [:]
    for place in places where !place.isValue && place.recordKey == nil && place.role != .root {
      let words = Words(place.name)
      let stem = words.lastStem.isEmpty ? place.name : words.lastStem
      let akin = byName[stem, default: []]
      if let twin = akin.first(where: { isSameValue($0, place) }) {
        if find(twin) != find(place) { unite(twin, place) }
      } else if akin.count < 50 {
        byName[stem, default: []].append(place)
      }
    }
  }

  private func isRecursive(_ place: Place, _ ancestor: Place) -> Bool {
    guard (place.role == .keyed) == (ancestor.role == .keyed) else { return false }
    if place.name == ancestor.name, place.role == ancestor.role { return !hasConflict(place, ancestor) }
    let similarity = Self.similarity(place, ancestor)
    return similarity.all >= 0.6 && similarity.shared >= 2 && !hasConflict(place, ancestor)
      && ancestor.children[Array(place.name.utf8)]?.role == place.role
  }

  private func isSameValue(_ a: Place, _ b: Place) -> Bool {
    guard (a.role == .keyed) == (b.role == .keyed) else { return false }
    let similarity = Self.similarity(a, b)
    return similarity.all >= 0.75 && !hasConflict(a, b)
  }

  // MARK: Comparing

  /// How many members two places share: of all, and of the smaller place.
  static func similarity(_ a: Place, _ b: Place) -> (all: Double, smaller: Double, shared: Int) {
    let (mine, theirs) = (Set(a.shape.members.map(\.nameHash)), Set(b.shape.members.map(\.nameHash)))
    let shared = mine.intersection(theirs).count
    let least = max(1, min(mine.count, theirs.count))
    return (
      Double(shared) / Double(max(1, mine.count + theirs.count - shared)), Double(shared) / Double(least),
      shared
    )
  }

  /// Whether a member of both has another type in each.
  private func hasConflict(_ a: Place, _ b: Place) -> Bool {
    for (name, form) in a.forms {
      guard let twin = b.forms[name], form != .nothing, twin != .nothing else { continue }
      if form != twin { return true }
      if form == .scalar, let x = a.member(name)?.counts, let y = b.member(name)?.counts,
        x.strings > 0 && y.strings == 0 && y.all > 0 || y.strings > 0 && x.strings == 0 && x.all > 0
      {
        return true
      }
    }
    return false
  }
}
