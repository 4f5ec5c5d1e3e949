import FastMapCore

/// The rules of keys: which candidate is the key of an entity, by its name, its place and its evidence.
///
/// A wrong key merges different objects without a word, and a missing one is seen at once. So a name that says identifier needs no
/// contradiction, and any other name needs many different values and one place.
struct KeyRules {
  /// A key among all objects, or among those of one owner, or none for a reason.
  private enum Verdict { case whole, within, none(String) }

  /// The fewest different values that speak for a member whose name does not.
  private static let fewest = 50

  let entity: Entity
  /// Whether all owners have keys, which keys within an owner begin with.
  let hasOwnersWithKeys: Bool
  /// Whether no object around has a key.
  let isDocument: Bool
  let others: [Entity]
  private(set) var notes: [String] = []
  /// The reason against the best candidate.
  private var reason: String?
  /// Whether this candidate's name says identifier.
  private var hasIdentifier = false

  init(_ entity: Entity, hasOwnersWithKeys: Bool, isDocument: Bool, others: [Entity]) {
    self.entity = entity
    self.hasOwnersWithKeys = hasOwnersWithKeys
    self.isDocument = isDocument
    self.others = others
  }

  private var candidates: Candidates { Candidates(entity: entity) }
  private var isRoot: Bool { entity.places.contains { $0.role == .root } }
  private var isInLists: Bool { entity.places.allSatisfy { $0.role == .many } }

  mutating func find() -> Entity.Key? {
    if entity.isKeyed { return keyOfNames() }
    if entity.isValue { return nil }
    let key = entity.isRow ? nil : identifier() ?? other()
    if key == nil { explainLack() }
    return key
  }

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
      if case .none(let text) = verdict, !hasIdentifier, candidate.name == .identifier || isRoot {
        (reason, hasIdentifier) = ("\(candidate.label) \(text)", true)
      }
    }
    return nil
  }

  private mutating func verdict(of candidate: Candidate) -> (Verdict, Evidence) {
    let evidence = evidence(for: candidate)
    if entity.differing.isEmpty { entity.differing = evidence.names }
    let mayScope =
      hasOwnersWithKeys && isInLists && candidate.inner == nil && candidate.columns[0].listRepeats == 0
    func within(_ text: String) -> (Verdict, Evidence) { (mayScope ? .within : .none(text), evidence) }
    if contradictions(of: candidate, evidence) > 0 {
      let names = entity.members.filter { evidence.names.contains($0.nameHash) }.map(\.label)
      return within(
        "repeats: \(spaced(evidence.differing)) of \(spaced(evidence.repeated)) repeated values belong to different objects"
          + (names.isEmpty ? "" : ", which differ in \(list(names, most: 3))"))
    }
    if isLineOfOwner(candidate) { return within("is the key of a thing that the owner has") }
    return candidate.name == .number
      ? within("is a number, which may begin again elsewhere") : (.whole, evidence)
  }

  private func evidence(for candidate: Candidate, most: Int = .max) -> Evidence {
    let isAtRoot = entity.places.allSatisfy { $0.role == .root }
    return Evidence(entity.shape, candidate.columns).compared(
      looksBelow: isAtRoot, birth: isAtRoot ? nil : candidates.birth(candidate), comparesInputs: isAtRoot,
      most: most)
  }

  /// The values that are too many to be those of objects that change. In a list at the root one is, and later inputs may change any.
  private func contradictions(of candidate: Candidate, _ evidence: Evidence) -> Int {
    if entity.places.allSatisfy({ $0.role == .root }) { return evidence.differing }
    let atRoot = entity.places.filter { $0.role == .root }.map { place in
      Evidence(place.shape, candidate.columns.compactMap { place.member($0.name) })
        .compared(looksBelow: true, comparesInputs: true).differing
    }
    return max(evidence.differing - evidence.repeated / 100, atRoot.max() ?? 0)
  }

  /// Whether an object in a list is rather a line of its owner: a product and its quantity, a name and its value.
  private func isLineOfOwner(_ candidate: Candidate) -> Bool {
    guard isInLists, hasOwnersWithKeys else { return false }
    let names = Set(entity.members.map { $0.label.lowercased() })
    return !names.isDisjoint(with: ["quantity", "qty"])
      || candidate.value.keyRank >= KeyNames.firstRanks && names.contains("value")
  }

  /// Two members that are no key alone.
  private mutating func composite(_ pair: Candidate) -> Entity.Key? {
    if entity.places.contains(where: { $0.role == .keyed }) { return nil }
    let evidence = evidence(for: pair, most: 1)
    guard evidence.differing == 0 else { return nil }
    let count = spaced(entity.objectCount)
    notes.append(
      "\(entity.name): \(pair.label) together are the key of \(count) of \(count) objects; "
        + (evidence.isUnique ? "unique" : "repeated keys have the same values"))
    return Entity.Key(parts: pair.columns.map(\.label), isInteger: false)
  }

  // MARK: Other members

  private mutating func other() -> Entity.Key? {
    let isOfOneOwner =
      hasOwnersWithKeys && entity.places.allSatisfy { ($0.owner?.shape.counts.objects ?? 0) == 1 }
    let isOnePlace = entity.places.count == 1 && (isRoot || isInLists && isOfOneOwner)
    var best = 0
    for candidate in candidates.others() where isRoot || isInLists {
      let value = candidate.value
      let text: String?
      let evidence = Evidence(entity.shape, candidate.columns)
      if !isOnePlace {
        text = "does not say identifier, and there are several owners"
      } else if !evidence.isUnique {
        text = "repeats"
      } else if evidence.distinct < Self.fewest {
        text =
          "has \(spaced(evidence.distinct)) different values, too few for a name that does not say identifier"
      } else if value.keyRank == KeyNames.noRank, value.order >= 2 {
        text = "does not say identifier"
      } else if candidate.value.keyRank == KeyNames.numberRank, !candidates.pairs(with: candidate).isEmpty {
        text = "is a number, which may begin again elsewhere"
      } else if isMetElsewhere(value) {
        text = "has words that are met elsewhere"
      } else {
        text = nil
      }
      guard let text else { return key(candidate, evidence, isScoped: !isRoot) }
      if evidence.distinct > best, !hasIdentifier {
        (best, reason) = (evidence.distinct, "\(candidate.label) \(text)")
      }
    }
    return nil
  }

  /// Whether other objects have words of a member, too.
  private func isMetElsewhere(_ member: Shape) -> Bool {
    guard member.text?.isOfLetters ?? false else { return false }
    let values = entity.shape.rows.sketch(of: member)
    return others.contains { other in
      other.members.contains { twin in
        twin.text?.isOfLetters ?? false && values.shared(with: other.shape.rows.sketch(of: twin)).found > 0
      }
    }
  }

  // MARK: Names as keys

  private mutating func keyOfNames() -> Entity.Key? {
    let keyed = entity.places.filter { $0.role == .keyed }
    let isInteger = keyed.compactMap(\.collection).allSatisfy(\.allNamesAreIntegers)
    let isOutermost = entity.places.allSatisfy { $0.owner == nil }
    let mayBeScoped = hasOwnersWithKeys && entity.places.allSatisfy { $0.role == .keyed || $0.role == .many }
    let isAlone = isOutermost || isDocument && keyed.allSatisfy { $0.collection?.counts.objects == 1 }
    let count = spaced(entity.objectCount)
    let members =
      entity.isValue ? [] : entity.members.sorted { ($0.keyRank, $0.label) < ($1.keyRank, $1.label) }
    for member in members
    where candidates.isInEveryObject(member) && (member.counts.integers > 0) == isInteger {
      let isName = keyed.allSatisfy { $0.member(member.name)?.namesakes == $0.shape.counts.objects }
      guard isName else { continue }
      let evidence = Evidence(entity.shape, [member]).compared(looksBelow: false)
      let isIdentifier = member.keyRank < KeyNames.suffixRank && evidence.differing * 100 <= evidence.repeated
      guard isIdentifier || mayBeScoped || isAlone && evidence.differing == 0 else { return nil }
      notes.append(
        "\(entity.name).\(member.label): the key of \(count) of \(count) objects, and the name of each member"
      )
      return Entity.Key(
        parts: [member.label], isInteger: isInteger, isScoped: !isIdentifier && !isAlone,
        values: entity.shape.rows.sketch(of: member))
    }
    guard keyed.count == entity.places.count, mayBeScoped || isAlone else { return nil }
    let names = entity.members.map(\.label)
    let name = ["key", "name", "_key", "memberName"].first { !names.contains($0) } ?? "fastmapKey"
    var all = ValueSketch()
    for collection in keyed.compactMap(\.collection) { all.absorb(collection.names) }
    notes.append(
      "\(entity.name).\(name): the names of the members are the keys of \(count) values"
        + (isAlone ? "" : ", each within its owner"))
    return Entity.Key(parts: [name], isInteger: isInteger, isName: true, isScoped: !isAlone, values: all)
  }

  // MARK: Notes

  private mutating func key(_ candidate: Candidate, _ evidence: Evidence, isScoped: Bool = false)
    -> Entity.Key
  {
    let member = candidate.value
    let (label, count) = ("\(entity.name).\(candidate.label)", spaced(entity.objectCount))
    if isScoped {
      notes.append(
        "\(label): unique within each list, and not among all \(count) objects; a key within its owner")
    } else {
      let places = entity.places.count { $0.shape.counts.objects > 0 }
      let changed = evidence.differing + evidence.changed
      let repeats =
        changed == 0
        ? "repeated keys have the same values"
        : "\(spaced(changed)) of \(spaced(evidence.repeated)) repeated keys have other values, and the last values stay"
      let text =
        "\(label): the key of \(count) of \(count) objects in \(places) place\(places == 1 ? "" : "s"); "
        + (evidence.isUnique ? "unique" : "\(spaced(evidence.distinct)) different ones; \(repeats)")
      notes.append(text + (evidence.isComplete ? "" : " (compared are objects chosen by hash)"))
    }
    let name = candidate.inner.map {
      $0.keyRank < KeyNames.suffixRank ? $0.label : candidate.columns[0].label
    }
    return Entity.Key(
      parts: [name ?? member.label], isInteger: member.counts.integers > 0, isScoped: isScoped,
      values: candidate.inner == nil ? entity.shape.rows.sketch(of: member) : ValueSketch(),
      inner: candidate.inner == nil ? nil : candidate)
  }

  private mutating func explainLack() {
    if !isRoot, reason == nil, !isInLists { return }
    let advice =
      isRoot ? "each import adds them again, but for --replace-all" : "the objects belong to their owners"
    notes.append("\(entity.name): no key: \(reason ?? "no member may identify the objects"); \(advice)")
  }
}

/// A number with spaces between thousands.
func spaced(_ value: Int) -> String {
  let text = String(value)
  return text.count > 3 ? spaced(value / 1000) + " " + text.suffix(3) : text
}
