/// Finds members that are keys of other objects.
struct References {
  private let targets: [Entity]

  init(_ schema: Schema) {
    targets = schema.entities.filter { entity in
      guard let key = entity.key else { return false }
      return !key.isScoped && key.single != nil && key.inner == nil
    }
  }

  typealias Reference = (target: Entity, note: String)

  /// The entity whose keys the values of a member are.
  ///
  /// - Parameter values: The values of the member, or of the elements of its list.
  func reference(_ member: Shape, _ values: Shape, in owner: Entity) -> Reference? {
    guard values.counts.all == values.counts.scalars, values.text?.empties ?? 0 == 0 else { return nil }
    let isInteger = values.counts.integers == values.counts.all
    guard isInteger || values.counts.strings == values.counts.all,
      !(owner.key?.parts.contains(member.label) ?? false)
    else { return nil }
    for target in targets
    where target.key?.isInteger == isInteger && Self.leads(member.label, to: target, from: owner) {
      guard let keys = target.key?.values else { continue }
      let found = values === member ? owner.shape.rows.sketch(of: member) : values.values
      let shared = found.shared(with: keys)
      let isOfKey = Words(member.label).endsLikeKey
      guard shared.found > 0, isOfKey || shared.found * 2 >= shared.compared else { continue }
      return (
        target,
        "\(owner.name).\(member.label): refers to \(target.name); \(spaced(shared.found)) of "
          + "\(spaced(shared.compared)) different values are existing keys"
          + (found.isExact ? "" : " (chosen by hash from about \(spaced(found.distinct)))")
      )
    }
    return nil
  }

  private static let ownWords: Set = [
    "parent", "root", "previous", "next", "replyto", "original", "ancestor", "child",
  ]

  /// Whether a name leads to an entity: `author_id`, `userId`, `parent`, `in_reply_to_user_id`. Values alone prove nothing: prices and
  /// keys both go in steps of ten.
  private static func leads(_ name: String, to target: Entity, from owner: Entity) -> Bool {
    let words = Words(name)
    var rest = words.withoutKeyEnding
    guard let last = rest.popLast() else { return false }
    let singular = Words.singular(of: last)
    let whole = (rest + [singular]).joined()
    if target === owner, ownWords.contains(whole) { return true }
    guard words.endsLikeKey || (target.key?.rank ?? 0) <= KeyNames.suffixRank else { return false }
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
