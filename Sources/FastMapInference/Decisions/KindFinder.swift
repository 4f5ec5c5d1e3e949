import FastMapCore

/// Finds the member of an entity whose value chooses the other members of an object.
struct KindFinder {
  private let entity: Entity
  private let inner: [Shape]
  private lazy var counts = KindCounts(entity, inner: inner)
  private(set) var notes: [String] = []

  /// - Parameter inner: Members with single objects that have no key and are met in no other place.
  init(_ entity: Entity, inner: [Shape]) {
    self.entity = entity
    self.inner = inner
  }

  /// A member, or one of a single object below.
  private struct Feature {
    let name: UInt64
    let owner: UInt64?
    /// By value: the objects that have it.
    let counts: [Int]
    /// The objects that have it, with any value or none.
    let total: Int
  }

  private struct Candidate {
    let member: Shape
    let values: [(text: [UInt8], objects: Int)]
    let features: [Feature]
    let evidence: KindEvidence

    var rank: (Int, Double, Int, String) {
      (KindNames.isTypical(member.label) ? 0 : 1, -evidence.gain, evidence.values, member.label)
    }
  }

  mutating func find(_ wish: KindChoice.Wish?) -> KindChoice? {
    switch wish {
    case .none?: return nil
    case .member(let name)?:
      let member = entity.members.first { $0.label == name }
      if let member, let candidate = candidate(member), candidate.evidence.values > 1 {
        return choice(candidate)
      }
      notes.append("\(entity.name).kinds: \(name) cannot choose: \(obstacle(member))")
      return nil
    case nil: break
    }
    var candidates: [Candidate] = []
    for member in entity.members where !KindNames.isChanging(member.label) {
      candidates += [candidate(member)].compactMap(\.self)
    }
    candidates.sort { $0.rank < $1.rank }
    if let best = candidates.first(where: isConvincing) { return choice(best) }
    let near = candidates.first { candidate in
      candidate.evidence.isRepeated && candidate.evidence.hasOwnMembers
        && KindNames.isTypical(candidate.member.label)
    }
    if let near {
      let share = Int((near.evidence.spread * 100).rounded())
      notes.append(
        "\(entity.name): no kinds by \(near.member.label): \(Self.text(near)); \(share) % of a kind's members are not in all kinds"
      )
    }
    return nil
  }

  private func isConvincing(_ candidate: Candidate) -> Bool {
    candidate.evidence.isConvincing(isTypical: KindNames.isTypical(candidate.member.label))
      && !entity.differing.contains(candidate.member.nameHash)
  }

  private func obstacle(_ member: Shape?) -> String {
    guard let member else { return "no object has it" }
    return
      "expected at most \(TextFacts.mostFew) different strings, in all objects or nearly all, found "
      + "\(FieldType.kinds(member.counts)) in \(spaced(entity.objectCount)) objects"
  }

  // MARK: Counting

  private mutating func candidate(_ member: Shape) -> Candidate? {
    guard let texts = member.text?.few, !member.name.isEmpty, FieldType(member).tree == .string("string"),
      texts.values.allSatisfy({ (1...TextFacts.mostFew).contains($0.count) }),
      member.counts.all * 20 >= entity.objectCount * 19, !(entity.key?.parts.contains(member.label) ?? false)
    else { return nil }
    let (all, byValue) = counts.groups(by: member)
    let values = texts.sorted { $0.value.lexicographicallyPrecedes($1.value) }.compactMap { hash, text in
      byValue[RowTable.short(hash)].map { (text: text, group: $0) }
    }
    let features = counts.features.indices.filter {
      all.having[$0] > 0 && (counts.features[$0].owner != nil || counts.features[$0].name != member.nameHash)
    }.map { place in
      Feature(
        name: counts.features[place].name, owner: counts.features[place].owner,
        counts: values.map { $0.group.having[place] }, total: all.having[place])
    }
    // An object without the value keeps the kind that it has, so it must not have a member that this kind lacks.
    for feature in features where feature.counts.contains(0) {
      if feature.total > feature.counts.reduce(0, +) { return nil }
    }
    let objects = values.map { (text: $0.text, objects: $0.group.objects) }
    return Candidate(
      member: member, values: objects, features: features,
      evidence: evidence(objects.map(\.objects), features, all.objects))
  }

  private func evidence(_ values: [Int], _ features: [Feature], _ all: Int) -> KindEvidence {
    var evidence = KindEvidence()
    evidence.objects = all
    evidence.values = values.count
    let kinds = values.indices.filter { values[$0] > 1 }
    evidence.kinds = kinds.count
    for kind in kinds {
      let objects = values[kind]
      var (own, present, special) = (0, 0, 0)
      for feature in features where feature.counts[kind] > 0 {
        present += 1
        if feature.counts.contains(0) { special += 1 }
        guard feature.total < evidence.objects else { continue }
        evidence.varying += 1
        guard feature.counts[kind] == objects else { continue }
        evidence.alwaysThere += 1
        if feature.total == objects { own += 1 }
      }
      if own > 0 { evidence.kindsWithOwn += 1 }
      evidence.spread += Double(special) / Double(max(1, present * kinds.count))
    }
    return evidence
  }

  // MARK: Choosing

  private func choice(_ candidate: Candidate) -> KindChoice {
    let kinds = candidate.values.enumerated().map { index, value in
      var (members, inner): (Set<UInt64>, [UInt64: Set<UInt64>]) = ([], [:])
      for feature in candidate.features where feature.counts[index] > 0 {
        if let owner = feature.owner {
          inner[owner, default: []].insert(feature.name)
        } else {
          members.insert(feature.name)
        }
      }
      return KindChoice.Kind(
        value: String(decoding: value.text, as: UTF8.self), members: members, inner: inner)
    }
    let common = candidate.features.filter { $0.owner == nil && !$0.counts.contains(0) }.map(\.name)
    return KindChoice(
      member: candidate.member, kinds: kinds, common: Set(common),
      note: "\(entity.name).kinds: \(candidate.member.label) chooses the members of "
        + "\(spaced(candidate.values.count)) kinds; \(Self.text(candidate))")
  }

  private static func text(_ candidate: Candidate) -> String {
    let evidence = candidate.evidence
    return
      "\(evidence.alwaysThere) of \(evidence.varying) members that vary are in each object of their kind, and "
      + "\(evidence.kindsWithOwn) of \(evidence.kinds) kinds have members of their own"
  }
}
