/// Chooses the key of an entity, by its values.
struct KeyFinder {
  let entity: Entity
  /// Whether all owners have keys, which keys within an owner begin with.
  let hasOwnersWithKeys: Bool
  /// The strings of lists in the payload, which may be keys.
  let lists: [ValueSketch]
  private(set) var notes: [String] = []
  var shape: Shape { entity.shape }

  init(_ entity: Entity, hasOwnersWithKeys: Bool, lists: [ValueSketch] = []) {
    self.entity = entity
    self.hasOwnersWithKeys = hasOwnersWithKeys
    self.lists = lists
  }

  mutating func find() -> Entity.Key? {
    if entity.isKeyed { return keyOfNames() }
    if entity.isValue { return nil }
    let candidates = entity.members.filter { $0.keyRank < KeyNames.noRank || isRoot }
      .sorted { ($0.keyRank, $0.order, $0.label) < ($1.keyRank, $1.order, $1.label) }
    for member in preferred(candidates) {
      if let key = key(member) { return key }
      // Objects that differ for one key differ for each name of it.
      if member.keyRank < KeyNames.suffixRank, isInEveryObject(member) { break }
    }
    return pair() ?? scoped() ?? partial()
  }

  private var isRow: Bool { entity.isRow }
  private var isRoot: Bool { entity.places.contains { $0.role == .root } }
  private var isInList: Bool { entity.places.contains { $0.role == .many || $0.role == .root } }

  // MARK: One member

  private mutating func key(_ member: Shape) -> Entity.Key? {
    guard isInEveryObject(member), let values = member.values, fitsName(member, values) else { return nil }
    let repeats = repeats(of: member)
    let isStrong = member.keyRank < KeyNames.suffixRank
    if repeats.differing > 0 {
      guard isStrong, repeats.differing * 4 <= repeats.count else {
        notes.append(
          "\(entity.name): \(member.label) is no key: \(Self.number(repeats.differing)) of "
            + "\(Self.number(repeats.count)) repeated values belong to different objects")
        return nil
      }
    }
    explainKey(member, values, repeats)
    return Entity.Key(
      parts: [member.label], isInteger: member.counts.integers > 0, values: values)
  }

  private func isInEveryObject(_ member: Shape) -> Bool {
    entity.places.allSatisfy { place in
      place.shape.counts.objects == 0 || place.member(member.name).map { place.isKeyLike($0) } ?? false
    } && (member.counts.strings == 0 || member.counts.integers == 0)
  }

  /// The values that are met again, and how many of these stand in different objects.
  private func repeats(of member: Shape) -> (count: Int, differing: Int) {
    if isRow { return (member.values?.isUnique ?? false) ? (0, 0) : (1, 1) }
    // Records compare objects by the members that they share.
    if entity.places.allSatisfy({ $0.recordKey?.name == member.name }) {
      // Elements of lists that differ are more likely values than one object that changes.
      let mayChange = entity.places.contains { $0.role != .many }
      let repeats = shape.records.repeats(withinDocuments: mayChange && member.looksGlobal)
      return (repeats.count, repeats.differing)
    }
    return member.values?.repeats ?? (0, 0)
  }

  /// Whether the name, the values and the places together make a key likely.
  private func fitsName(_ member: Shape, _ values: ValueSketch) -> Bool {
    if member.keyRank < KeyNames.suffixRank { return true }
    if isBelowItself { return false }
    guard isInList else { return repeatsInEqualObjects(member, values) }
    let isUnique = values.isUnique
    let objects = entity.objectCount
    if member.keyRank == KeyNames.suffixRank {
      return isAkin(member) || (isRoot && isUnique && objects >= 10)
    }
    if member.keyRank < KeyNames.noRank {
      return objects >= 3 && values.distinct >= 2 && (isRoot ? isUnique : true)
    }
    guard isUnique, objects >= 10, let text = member.text else { return false }
    return text.isWordLike && text.longest <= 40 && DateForms.chosen(text.dates) == nil
  }

  /// Whether `areaId` names an area.
  private func isAkin(_ member: Shape) -> Bool {
    let words = Words(member.label).withoutKeyEnding.joined()
    return entity.places.contains { place in
      place.entity.lowercased() == words || place.entity.lowercased().hasSuffix(words)
    } || entity.name.lowercased() == words
  }

  private mutating func explainKey(
    _ member: Shape, _ values: ValueSketch, _ repeats: (count: Int, differing: Int)
  ) {
    let places = entity.places.count { $0.shape.counts.objects > 0 }
    var text =
      "\(entity.name).\(member.label): the key of \(Self.number(entity.objectCount)) of "
      + "\(Self.number(entity.objectCount)) objects in \(places) place\(places == 1 ? "" : "s"); "
    if values.isUnique {
      text += "unique"
    } else {
      let exactness = values.isExact ? "" : "about "
      text += "\(exactness)\(Self.number(values.distinct)) different ones"
      if repeats.count > 0 {
        text +=
          repeats.differing > 0
          ? "; \(Self.number(repeats.differing)) of \(Self.number(repeats.count)) repeated keys have other values, and the last values stay"
          : "; repeated keys have the same values"
      }
    }
    if !values.isExact { text += " (uniqueness of \(Self.number(values.kept)) keys, chosen by hash)" }
    notes.append(text)
  }

  // MARK: Two members, scopes, gaps

  private mutating func pair() -> Entity.Key? {
    guard isInList, entity.objectCount >= 3 else { return nil }
    let pairs = shape.pairs.values.compactMap { names, values -> (Shape, Shape, ValueSketch)? in
      guard let a = self.part(names.first), let b = self.part(names.second) else { return nil }
      return a.order <= b.order ? (a, b, values) : (b, a, values)
    }
    func isBefore(_ a: (Shape, Shape, ValueSketch), _ b: (Shape, Shape, ValueSketch)) -> Bool {
      (a.0.order + a.1.order, a.0.label, a.1.label) < (b.0.order + b.1.order, b.0.label, b.1.label)
    }
    for (a, b, values) in pairs.sorted(by: isBefore)
    where values.total == entity.objectCount && values.isUnique && entity.places.count == 1 && isRoot {
      notes.append(
        "\(entity.name): \(a.label) and \(b.label) together are the key of \(Self.number(values.total)) of "
          + "\(Self.number(entity.objectCount)) objects; unique")
      return Entity.Key(parts: [a.label, b.label], isInteger: false)
    }
    return nil
  }

  private func part(_ hash: UInt64) -> Shape? {
    entity.members.first { $0.nameHash == hash && $0.mayBePart && isInEveryObject($0) }
  }

  private mutating func scoped() -> Entity.Key? {
    guard hasOwnersWithKeys, entity.places.allSatisfy({ $0.role == .many }) else { return nil }
    for member in entity.members.sorted(by: { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) })
    where (member.keyRank < KeyNames.suffixRank || (member.keyRank == KeyNames.suffixRank && isAkin(member)))
      && isInEveryObject(member)
    {
      guard member.listRepeats == 0, !hasLongLists else { continue }
      notes.append(
        "\(entity.name).\(member.label): unique within each list, and not among all \(Self.number(entity.objectCount)) objects; a key within its owner"
      )
      return Entity.Key(parts: [member.label], isInteger: member.counts.integers > 0, isScoped: true)
    }
    return nil
  }

  private var hasLongLists: Bool {
    entity.places.contains { place in
      place.owner?.member(Array(place.name.utf8))?.hasLongList ?? true
    }
  }

  /// A key that some objects lack.
  private mutating func partial() -> Entity.Key? {
    for member in entity.members.sorted(by: { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) })
    where member.keyRank < 3 {
      let count = member.counts.strings + member.counts.integers
      guard count == member.counts.all, member.counts.strings == 0 || member.counts.integers == 0,
        count < entity.objectCount, count * 2 >= entity.objectCount, let values = member.values,
        member.text.map({ $0.empties == 0 && $0.longest <= 256 }) ?? true, repeats(of: member).differing == 0
      else { continue }
      notes.append(
        "\(entity.name).\(member.label): the key of \(Self.number(count)) of \(Self.number(entity.objectCount)) objects; the others belong to their owners"
      )
      return Entity.Key(
        parts: [member.label], isInteger: member.counts.integers > 0, mayBeMissing: true, values: values)
    }
    return nil
  }

  // MARK: Names as keys

  private mutating func keyOfNames() -> Entity.Key? {
    let keyed = entity.places.filter { $0.role == .keyed }
    let collections = keyed.compactMap(\.collection)
    let isInteger = collections.allSatisfy(\.allNamesAreIntegers)
    let count = Self.number(entity.objectCount)
    if !entity.isValue {
      for member in entity.members.sorted(by: { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) })
      where isInEveryObject(member) && (member.counts.integers > 0) == isInteger {
        let inKeyed = keyed.allSatisfy { $0.member(member.name)?.namesakes == $0.shape.counts.objects }
        guard inKeyed else { continue }
        notes.append(
          "\(entity.name).\(member.label): the key of \(count) of \(count) objects, and the name of each member"
        )
        return Entity.Key(parts: [member.label], isInteger: isInteger, values: member.values)
      }
    }
    guard keyed.count == entity.places.count else { return nil }
    let names = entity.members.map(\.label)
    let name = ["key", "name", "_key", "memberName"].first { !names.contains($0) } ?? "fastmapKey"
    let all = ValueSketch(most: KeyNames.mostKeys)
    for collection in collections { if let names = collection.names { all.absorb(names) } }
    let isScoped = all.repeats.differing > 0 && !entity.places.contains { $0.owner == nil }
    if isScoped, !hasOwnersWithKeys { return nil }
    notes.append(
      "\(entity.name).\(name): the names of the members are the keys of \(count) values"
        + (isScoped ? ", which differ by owner" : ""))
    return Entity.Key(parts: [name], isInteger: isInteger, isName: true, isScoped: isScoped, values: all)
  }

  /// A number with spaces between thousands.
  static func number(_ value: Int) -> String {
    var digits = String(value)
    var parts: [String] = []
    while digits.count > 3 {
      parts.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + parts).joined(separator: " ")
  }
}
