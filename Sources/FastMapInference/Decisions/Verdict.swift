import FastMapCore

/// The rules of keys: which candidate is the key of an entity, by its name, its place and its evidence.
///
/// A wrong key merges different objects without a word, and a missing one is seen at once. So a name that says identifier needs no
/// contradiction, and any other name needs many different values and one place.
struct KeyRules {
  private enum Verdict {
    /// A key among all objects.
    case whole
    /// A key among the objects of one owner.
    case within
    case none(String)
  }

  /// The fewest different values that speak for a member whose name does not.
  private static let fewest = 50

  let entity: Entity
  /// Whether all owners have keys, which keys within an owner begin with.
  let hasOwnersWithKeys: Bool
  /// Whether no object around has a key.
  let isDocument: Bool
  /// Strings of other entities.
  let words: [ValueSketch]
  private(set) var notes: [String] = []
  /// The reason against the best candidate.
  private var reason: String?

  init(_ entity: Entity, hasOwnersWithKeys: Bool, isDocument: Bool, words: [ValueSketch]) {
    self.entity = entity
    self.hasOwnersWithKeys = hasOwnersWithKeys
    self.isDocument = isDocument
    self.words = words
  }

  private var candidates: Candidates { Candidates(entity: entity) }
  private var isRoot: Bool { entity.places.contains { $0.role == .root } }
  private var isInLists: Bool { entity.places.allSatisfy { $0.role == .many } }

  mutating func find() -> Entity.Key? {
    if entity.isKeyed { return keyOfNames() }
    if entity.isValue { return nil }
    let key = entity.isRow ? other() : identifier() ?? partial() ?? other()
    if key == nil { explainLack() }
    return key
  }

  // MARK: Identifiers

  private mutating func identifier() -> Entity.Key? {
    let all = candidates.identifiers()
    for id in all {
      if let pair = candidates.resource(id), let key = composite(pair) { return key }
    }
    let verdicts = all.map { ($0, verdict(of: $0)) }
    for (candidate, (verdict, evidence)) in verdicts {
      if case .whole = verdict { return key(candidate, evidence) }
    }
    for (candidate, (verdict, evidence)) in verdicts {
      if case .within = verdict { return key(candidate, evidence, isScoped: true) }
      for pair in candidates.pairs(with: candidate) where evidence.differing > 0 {
        if let key = composite(pair) { return key }
      }
      if case .none(let text) = verdict { reason = reason ?? "\(candidate.label) \(text)" }
    }
    return nil
  }

  private mutating func verdict(of candidate: Candidate) -> (Verdict, Evidence) {
    let evidence = Evidence(entity.shape, candidate.columns, looksBelow: entity.places.allSatisfy { $0.role == .root })
    if entity.differing.isEmpty { entity.differing = evidence.names }
    let contradictions = max(evidence.differing - (isRoot ? 0 : evidence.repeated / 100), differingAtRoot(candidate, evidence))
    if contradictions == 0, !isLineOfOwner(candidate) {
      return candidate.name == .number ? (within("is a number, which may begin again elsewhere"), evidence) : (.whole, evidence)
    }
    if contradictions == 0 { return (within("is the key of something that the owner has"), evidence) }
    let names = entity.members.filter { evidence.names.contains($0.nameHash) }.map(\.label)
    return (
      within(
        "repeats: \(number(evidence.differing)) of \(number(evidence.repeated)) repeated values belong to different objects"
          + (names.isEmpty ? "" : ", which differ in \(list(names, most: 3))")), evidence
    )

    func within(_ text: String) -> Verdict {
      hasOwnersWithKeys && isInLists && isUniqueInLists(candidate) ? .within : .none(text)
    }
  }

  private func differingAtRoot(_ candidate: Candidate, _ all: Evidence) -> Int {
    if entity.places.count == 1 || !isRoot { return 0 }
    return entity.places.filter { $0.role == .root }.reduce(0) { sum, place in
      let columns = candidate.columns.compactMap { place.member($0.name) }
      return sum + Evidence(place.shape, columns, looksBelow: true).differing
    }
  }

  private static let amounts: Set = ["quantity", "qty", "value", "amount", "percentage"]

  /// Whether an object in a list is rather a line of its owner, with the key of another thing: a product and its quantity.
  private func isLineOfOwner(_ candidate: Candidate) -> Bool {
    guard isInLists, hasOwnersWithKeys else { return false }
    return candidate.value.keyRank > KeyNames.firstRanks && entity.members.contains {
      Self.amounts.contains($0.label.lowercased())
    } || entity.members.contains { ["quantity", "qty"].contains($0.label.lowercased()) }
  }

  private func isUniqueInLists(_ candidate: Candidate) -> Bool {
    candidate.inner == nil && candidate.columns[0].listRepeats == 0
      && !entity.places.contains { place in
        place.owner?.member(Array(place.name.utf8))?.hasLongList ?? true
      }
  }

  /// Two members that are no key alone.
  private mutating func composite(_ pair: Candidate) -> Entity.Key? {
    let evidence = Evidence(entity.shape, pair.columns, looksBelow: entity.places.allSatisfy { $0.role == .root })
    guard evidence.differing == 0, !entity.places.contains(where: { $0.role == .keyed }) else { return nil }
    let count = number(entity.objectCount)
    notes.append(
      "\(entity.name): \(pair.label) together are the key of \(count) of \(count) objects; "
        + (evidence.isUnique ? "unique" : "repeated keys have the same values"))
    return Entity.Key(parts: pair.columns.map(\.label), isInteger: false)
  }

  /// An identifier that some objects lack.
  private mutating func partial() -> Entity.Key? {
    for member in entity.members.sorted(by: { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) })
    where member.keyRank < KeyNames.firstRanks && !isRoot {
      let count = member.counts.strings + member.counts.integers
      guard count == member.counts.all, member.counts.strings == 0 || member.counts.integers == 0,
        count < entity.objectCount, count * 2 >= entity.objectCount, let values = member.values,
        member.text.map({ $0.empties == 0 && $0.longest <= 256 }) ?? true,
        Evidence(entity.shape, [member], looksBelow: false).differing == 0
      else { continue }
      notes.append(
        "\(entity.name).\(member.label): the key of \(number(count)) of \(number(entity.objectCount)) objects; the others belong to their owners"
      )
      return Entity.Key(
        parts: [member.label], isInteger: member.counts.integers > 0, mayBeMissing: true, values: values)
    }
    return nil
  }

  // MARK: Other members

  private mutating func other() -> Entity.Key? {
    let isOfOneOwner = hasOwnersWithKeys && entity.places.allSatisfy { ($0.owner?.shape.counts.objects ?? 0) == 1 }
    for candidate in candidates.others() {
      let value = candidate.value
      let text: String?
      let evidence = Evidence(entity.shape, candidate.columns, looksBelow: false)
      if entity.places.count > 1 || !isRoot && !(isInLists && isOfOneOwner) {
        text = "is no name of an identifier"
      } else if !evidence.isUnique || value.values?.isUnique == false {
        text = "repeats"
      } else if evidence.distinct < Self.fewest || !evidence.isComplete && evidence.distinct < value.values?.kept ?? 0 {
        text = "has \(number(evidence.distinct)) different values, too few for a name that is no identifier"
      } else if value.keyRank == KeyNames.noRank, value.order >= 2 {
        text = "is no name of an identifier"
      } else if candidate.value.keyRank == KeyNames.numberRank, !candidates.pairs(with: candidate).isEmpty {
        text = "is a number, which may begin again elsewhere"
      } else if value.text?.isOfLetters ?? false, words.contains(where: { isShared(value, $0) }) {
        text = "has words that are met elsewhere"
      } else {
        text = nil
      }
      guard let text else { return key(candidate, evidence, isScoped: !isRoot) }
      reason = reason ?? "\(candidate.label) \(text)"
    }
    return nil
  }

  private func isShared(_ member: Shape, _ other: ValueSketch) -> Bool {
    guard let values = member.values, values !== other else { return false }
    return values.shared(with: other).found > 0
  }

  // MARK: Names as keys

  private mutating func keyOfNames() -> Entity.Key? {
    let keyed = entity.places.filter { $0.role == .keyed }
    let isInteger = keyed.compactMap(\.collection).allSatisfy(\.allNamesAreIntegers)
    let isOutermost = entity.places.allSatisfy { $0.owner == nil }
    let mayBeScoped = hasOwnersWithKeys && entity.places.allSatisfy { $0.role == .keyed || $0.role == .many }
    let isAlone = isOutermost || isDocument && keyed.allSatisfy { $0.collection?.counts.objects == 1 }
    let count = number(entity.objectCount)
    let members = entity.isValue ? [] : entity.members.sorted { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) }
    for member in members where candidates.isInEveryObject(member) && (member.counts.integers > 0) == isInteger {
      let isName = keyed.allSatisfy { $0.member(member.name)?.namesakes == $0.shape.counts.objects }
      guard isName else { continue }
      let evidence = Evidence(entity.shape, [member], looksBelow: false)
      let isIdentifier = member.keyRank < KeyNames.suffixRank && evidence.differing * 100 <= evidence.repeated
      guard isIdentifier || mayBeScoped || isAlone && evidence.differing == 0 else { return nil }
      notes.append("\(entity.name).\(member.label): the key of \(count) of \(count) objects, and the name of each member")
      return Entity.Key(
        parts: [member.label], isInteger: isInteger, isScoped: !isIdentifier && !isAlone, values: member.values)
    }
    guard keyed.count == entity.places.count, mayBeScoped || isAlone else { return nil }
    let names = entity.members.map(\.label)
    let name = ["key", "name", "_key", "memberName"].first { !names.contains($0) } ?? "fastmapKey"
    let all = ValueSketch(most: KeyNames.mostKeys)
    for collection in keyed.compactMap(\.collection) { if let names = collection.names { all.absorb(names) } }
    notes.append(
      "\(entity.name).\(name): the names of the members are the keys of \(count) values"
        + (isAlone ? "" : ", each within its owner"))
    return Entity.Key(parts: [name], isInteger: isInteger, isName: true, isScoped: !isAlone, values: all)
  }

  // MARK: Notes

  private mutating func key(_ candidate: Candidate, _ evidence: Evidence, isScoped: Bool = false) -> Entity.Key {
    let member = candidate.value
    let (label, count) = ("\(entity.name).\(candidate.label)", number(entity.objectCount))
    if isScoped {
      notes.append("\(label): unique within each list, and not among all \(count) objects; a key within its owner")
    } else {
      let places = entity.places.count { $0.shape.counts.objects > 0 }
      var text = "\(label): the key of \(count) of \(count) objects in \(places) place\(places == 1 ? "" : "s"); "
      if evidence.isUnique {
        text += "unique"
      } else if evidence.differing == 0 {
        text += "\(number(evidence.distinct)) different ones; repeated keys have the same values"
      } else {
        text += "\(number(evidence.distinct)) different ones; \(number(evidence.differing)) of "
          + "\(number(evidence.repeated)) repeated keys have other values, and the last values stay"
      }
      notes.append(text + (evidence.isComplete ? "" : " (compared are objects chosen by hash)"))
    }
    let name = candidate.inner.map { $0.keyRank < KeyNames.suffixRank ? $0.label : candidate.columns[0].label }
    return Entity.Key(
      parts: [name ?? member.label], isInteger: member.counts.integers > 0, isScoped: isScoped,
      values: member.values, inner: candidate.inner == nil ? nil : candidate)
  }

  private mutating func explainLack() {
    if !isRoot, reason == nil, !isInLists { return }
    let advice = isRoot ? "each import adds them again, but for --replace-all" : "the objects belong to their owners"
    notes.append("\(entity.name): no key: \(reason ?? "no member may identify the objects"); \(advice)")
  }

  private func number(_ value: Int) -> String { spaced(value) }
}

/// A number with spaces between thousands.
func spaced(_ value: Int) -> String {
  var digits = String(value)
  var parts: [String] = []
  while digits.count > 3 {
    parts.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return ([digits] + parts).joined(separator: " ")
}
