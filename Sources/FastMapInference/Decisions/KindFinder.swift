/// Finds the member of an entity whose value chooses the other members of an object.
struct KindFinder {
  private let entity: Entity
  private let inner: [Shape]
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
    let values: [KindCounts.Value]
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
    let candidates = entity.members.filter { !KindNames.isChanging($0.label) }.compactMap(candidate)
      .sorted { $0.rank < $1.rank }
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
      "expected at most \(KindCounts.mostValues) different strings, in all objects or nearly all, found "
      + "\(FieldType.kinds(member.counts)) in \(spaced(entity.objectCount)) objects"
  }

  // MARK: Counting

  private func candidate(_ member: Shape) -> Candidate? {
    let objects = entity.objectCount
    guard let counts = member.kinds, !member.name.isEmpty, FieldType(member).tree == .string("string"),
      member.counts.all * 20 >= objects * 19, !(entity.key?.parts.contains(member.label) ?? false)
    else { return nil }
    let values = counts.values.filter { $0.objects > 0 }.sorted { $0.text.lexicographicallyPrecedes($1.text) }
    var features = entity.members.filter { $0 !== member && $0.counts.all > 0 }.map { other in
      Feature(
        name: other.nameHash, owner: nil, counts: values.map { Self.count($0.members, other.number) },
        total: other.counts.all)
    }
    for owner in inner {
      features += owner.members.filter { $0.counts.all > 0 }.map { other in
        Feature(
          name: other.nameHash, owner: owner.nameHash,
          counts: values.map {
            owner.number < $0.inner.count ? Self.count($0.inner[owner.number], other.number) : 0
          }, total: other.counts.all)
      }
    }
    // An object without the value keeps the kind that it has, so it must not have a member that this kind lacks.
    for feature in features where feature.counts.contains(0) {
      if feature.total > feature.counts.reduce(0, +) { return nil }
    }
    return Candidate(
      member: member, values: values, features: features, evidence: evidence(values, features))
  }

  private static func count(_ counts: [UInt32], _ number: Int) -> Int {
    number < counts.count ? Int(counts[number]) : 0
  }

  private func evidence(_ values: [KindCounts.Value], _ features: [Feature]) -> KindEvidence {
    var evidence = KindEvidence()
    evidence.objects = entity.objectCount
    evidence.values = values.count
    let kinds = values.indices.filter { values[$0].objects > 1 }
    evidence.kinds = kinds.count
    for kind in kinds {
      let objects = Int(values[kind].objects)
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
