/// A member, or two members, that may tell the objects of an entity apart.
struct Candidate {
  enum Name {
    /// The name of an identifier, such as `id`.
    case identifier
    /// A number, which identifies among the objects of one owner.
    case number
    /// It is a name of a column that may identify, or any other.
    case other
  }

  var columns: [Shape]
  /// The member of the single object at the column, where the object stands for it.
  var inner: Shape?
  let name: Name

  /// The member with the values.
  var value: Shape { inner ?? columns[0] }
  var label: String {
    let labels = columns.map(\.label)
    return labels.joined(separator: " and ") + (inner.map { "." + $0.label } ?? "")
  }
}

/// The candidates of an entity, the best name first.
struct Candidates {
  /// Of more candidates, the first ones are looked at. So the time is linear in the payload, whatever its members.
  private static let most = 32

  let entity: Entity
  var isRoot: Bool { entity.places.contains { $0.role == .root } }

  /// Members that identify by their names.
  func identifiers() -> [Candidate] {
    let plain = entity.members.compactMap { member -> Candidate? in
      guard isInEveryObject(member), let name = name(of: member) else { return nil }
      return Candidate(columns: [member], name: name)
    }
    return plain.sorted(by: Self.isBefore).prefix(Self.most) + nested()
  }

  private func name(of member: Shape) -> Candidate.Name? {
    if member.keyRank < KeyNames.suffixRank { return .identifier }
    if member.keyRank == KeyNames.suffixRank { return namesEntity(member) ? .identifier : nil }
    return member.keyRank == KeyNames.numberRank ? .number : nil
  }

  private static func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    (a.value.keyRank, a.value.order, a.label) < (b.value.keyRank, b.value.order, b.label)
  }

  /// Other members, whose values must speak for them.
  func others() -> [Candidate] {
    let members = entity.members.filter {
      $0.keyRank >= KeyNames.suffixRank && isInEveryObject($0) && mayIdentify($0)
    }
    return Array(
      members.map { Candidate(columns: [$0], name: .other) }.sorted(by: Self.isBefore).prefix(Self.most))
  }

  /// A candidate that repeats, with another member.
  func pairs(with first: Candidate) -> [Candidate] {
    guard first.inner == nil, first.columns.count == 1 else { return [] }
    let partners = entity.members.filter { member in
      member !== first.columns[0] && KeyNames.mayBePart(member.name) && isInEveryObject(member)
        && member.text.map { $0.isWordLike && DateForms.chosen($0.dates) == nil } ?? true
    }
    return partners.sorted { ($0.order, $0.label) < ($1.order, $1.label) }.prefix(Self.most).map { partner in
      let columns = [partner, first.columns[0]].sorted { ($0.order, $0.label) < ($1.order, $1.label) }
      return Candidate(columns: columns, name: first.name)
    }
  }

  /// `type` and `id` of JSON:API, whose specification makes them the key.
  func resource(_ id: Candidate) -> Candidate? {
    guard id.label == "id", let type = entity.members.first(where: { $0.label == "type" }),
      isInEveryObject(type), type.counts.strings > 0, id.value.counts.strings > 0
    else { return nil }
    let names = Set(entity.members.map(\.label))
    let isAlone =
      names.isSubset(of: ["type", "id", "meta"]) && entity.places.allSatisfy { $0.name == "data" }
    let isWhole = !names.isDisjoint(with: ["attributes", "relationships"])
    guard isAlone || isWhole,
      names.isSubset(of: ["type", "id", "meta", "attributes", "relationships", "links"])
    else { return nil }
    return Candidate(columns: [type, id.columns[0]], name: .identifier)
  }

  // MARK: Single objects below

  private static let containers = words(
    """
    meta metadata sys system header head info properties attributes fields data identity identifiers record
    base core common general
    """)

  /// `_id.$oid`, and the only identifier in a single object at the root, as `meta.ID`.
  private func nested() -> [Candidate] {
    guard entity.places.count == 1, let place = entity.places.first else { return [] }
    let found = entity.members.compactMap { member -> Candidate? in
      guard let child = place.children[member.name], child.role == .one,
        member.counts.objects == entity.objectCount, member.counts.all == member.counts.objects
      else { return nil }
      let keys = member.members.filter(child.isKeyLike)
      let isAlone = member.members.count == 1 && member.keyRank < KeyNames.suffixRank
      let inner = isAlone ? keys.first : keys.first { $0.keyRank < KeyNames.suffixRank }
      let isContainer = isRoot && Self.containers.contains(Words(member.label).all.joined())
      guard let inner, isAlone || isContainer else { return nil }
      return Candidate(columns: [member], inner: inner, name: .identifier)
    }
    return found.count == 1 ? found : found.filter { $0.columns[0].keyRank < KeyNames.suffixRank }
  }

  /// The time at which an object was made, which stays while the object changes. Small identifiers may begin again in each owner.
  func birth(_ candidate: Candidate) -> Shape? {
    let value = candidate.value
    guard value.counts.integers > 0 ? value.smallest > 10_000 : value.text?.longest ?? 0 >= 12 else {
      return nil
    }
    return entity.members.first { member in
      ["createdat", "created", "datecreated"].contains(Words(member.label).all.joined())
        && isInEveryObject(member)
        && (member.text.map { $0.dates != 0 && $0.longest >= 16 } ?? (member.smallest > 1_000_000_000))
    }
  }

  // MARK: Members

  func isInEveryObject(_ member: Shape) -> Bool {
    entity.places.allSatisfy { place in
      place.shape.counts.objects == 0 || place.member(member.name).map { place.isKeyLike($0) } ?? false
    } && (member.counts.strings == 0 || member.counts.integers == 0)
  }

  /// Whether `areaId` names the area that has it.
  private func namesEntity(_ member: Shape) -> Bool {
    let words = Words(member.label).withoutKeyEnding.joined()
    return entity.name.lowercased() == words
      || entity.places.contains { $0.entity.lowercased().hasSuffix(words) }
  }

  /// Whether the values may be names of objects: no dates, times, prices, or texts.
  private func mayIdentify(_ member: Shape) -> Bool {
    if member.counts.integers > 0 { return KeyNames.mayBeNumber(member.name) }
    guard let text = member.text else { return false }
    return text.isWordLike && text.longest <= 100 && text.dates == 0 && !text.isMeasure
  }
}
