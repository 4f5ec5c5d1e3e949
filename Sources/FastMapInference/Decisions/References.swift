/// Finds members that are keys of other objects.
struct References {
  private let targets: [Entity]
  private let hasSeveralRoots: Bool

  init(_ schema: Schema) {
    targets = schema.entities.filter { entity in
      guard let key = entity.key else { return false }
      return !key.isScoped && key.single != nil && (key.values?.distinct ?? 0) > 0
    }
    hasSeveralRoots = schema.roots.collections.count > 1
  }

  struct Reference {
    let target: Entity
    /// Whether the payload of one import has all the objects.
    let isCertain: Bool
    let note: String
  }

  /// The entity whose keys the values of a member are.
  ///
  /// - Parameter values: The values of the member, or of the elements of its list.
  func reference(_ member: Shape, _ values: Shape, in owner: Entity) -> Reference? {
    guard let found = values.values, values.counts.all == values.counts.scalars else { return nil }
    let isInteger = values.counts.integers == values.counts.all
    guard isInteger || values.counts.strings == values.counts.all, values.text?.empties ?? 0 == 0 else {
      return nil
    }
    if owner.key?.parts.contains(member.label) ?? false { return nil }
    var best: (target: Entity, isAkin: Bool, shared: (found: Int, compared: Int))?
    var sparse = 0
    for target in targets {
      guard let key = target.key, key.isInteger == isInteger, let keys = key.values else { continue }
      let isAkin = Self.isAkin(member.label, target, owner)
      let shared = found.shared(with: keys)
      let isSparse = isSparse(values, shared, in: target)
      if isSparse { sparse += 1 }
      guard shared.found > 0,
        isLikely(member, shared, isAkin, values) || isIncluded(member, values, shared, in: target, of: owner)
          || isSparse
      else { continue }
      if best.map({ isAkin && !$0.isAkin }) ?? true { best = (target, isAkin, shared) }
    }
    guard let best,
      isLikely(member, best.shared, best.isAkin, values)
        || isIncluded(member, values, best.shared, in: best.target, of: owner) || sparse == 1
    else { return nil }
    let isComplete = best.shared.found == best.shared.compared && found.isExact
    let (count, all) = (KeyFinder.number(best.shared.found), KeyFinder.number(best.shared.compared))
    return Reference(
      target: best.target, isCertain: isComplete && !hasSeveralRoots,
      note:
        "\(owner.name).\(member.label): refers to \(best.target.name); \(count) of \(all) different values are existing keys"
        + (found.isExact
          ? ""
          : " (chosen by hash from about \(KeyFinder.number(found.distinct)), so a target may be missing)")
    )
  }

  private func isLikely(
    _ member: Shape, _ shared: (found: Int, compared: Int), _ isAkin: Bool, _ values: Shape
  ) -> Bool {
    let endsLikeKey = Words(member.label).endsLikeKey
    let isLarge = values.counts.strings == 0 && values.smallest > 100_000
    if isAkin { return shared.found * 2 >= shared.compared && (shared.compared >= 2 || isLarge) }
    let isRare = values.counts.strings > 0 || isLarge
    return endsLikeKey && isRare && shared.found == shared.compared && shared.compared >= 5
  }

  /// The fewest different strings that are references by their values alone.
  static let fewestIncluded = 10

  /// Whether all of many strings are keys that are met, whatever the name of the member.
  ///
  /// A single string may repeat the key of its own object, and a unique string may be a key itself.
  private func isIncluded(
    _ member: Shape, _ values: Shape, _ shared: (found: Int, compared: Int), in target: Entity,
    of owner: Entity
  ) -> Bool {
    guard values.counts.strings > 0, let strings = values.values, shared.found == shared.compared,
      shared.compared >= Self.fewestIncluded
    else { return false }
    return member.counts.lists > 0 || (target !== owner && !strings.isUnique)
  }

  /// The fewest different values that are references whatever their name, to objects of the same entity, too.
  private static let fewestSparse = 20

  /// Whether all of many values that are met again are keys, and hardly by chance. At most a quarter of the integers between the
  /// keys is a key. At most a quarter of those between the values is a value.
  private func isSparse(_ values: Shape, _ shared: (found: Int, compared: Int), in target: Entity) -> Bool {
    guard let found = values.values, !found.isUnique, shared.found == shared.compared,
      shared.compared >= Self.fewestSparse, let keys = target.key?.values
    else { return false }
    guard values.counts.integers > 0 else { return true }
    guard let key = target.members.first(where: { $0.label == target.key?.single }),
      key.smallest < key.largest
    else { return false }
    return Double(key.largest) - Double(key.smallest) >= Double(keys.distinct) * 4
      && Double(values.largest) - Double(values.smallest) >= Double(found.distinct) * 4
  }

  private static let ownWords: Set = [
    "parent", "root", "previous", "next", "replyto", "original", "ancestor",
  ]

  /// Whether a name names an entity: `author_id`, `userId`, `in_reply_to_user_id`.
  private static func isAkin(_ name: String, _ target: Entity, _ owner: Entity) -> Bool {
    let words = Words(name)
    var rest = words.withoutKeyEnding
    guard let last = rest.popLast() else { return false }
    let singular = Words.singular(of: last)
    let whole = (rest + [singular]).joined()
    if target === owner, ownWords.contains(whole), words.endsLikeKey || whole == "parent" { return true }
    guard words.endsLikeKey || (target.key?.rank ?? 0) < KeyNames.firstWeakRank else { return false }
    var labels = Set(target.places.map { $0.entity.lowercased() } + [target.name.lowercased()])
    // `topicNames` has the names of topics by their keys.
    if target.isValue {
      for place in target.places {
        let words = Words(place.name).all
        if words.last == "names" { labels.insert(words.dropLast().joined()) }
      }
    }
    if labels.contains(whole) { return true }
    return words.endsLikeKey && singular.count >= 3 && labels.contains(singular)
  }
}
