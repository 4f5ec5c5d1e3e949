/// The names of a context's objects in messages: `Book 1`, and `Book 1.chapters[0]` for one without a key that belongs to it.
///
/// It reads no instance, so a transaction on another thread may use it.
final class ContextTitles {
  private struct Place {
    let owner: ContextMember
    let position: Int
    let index: Int
  }

  private let graph: ContextGraph
  /// Where objects without a key are, as the context has read it. Made for the first of them, as few messages need it.
  private lazy var places = makePlaces()

  init(_ graph: ContextGraph) { self.graph = graph }

  /// - Parameters:
  ///   - key: The key of the object.
  ///   - isNew: Whether it is not stored.
  func title(of member: ContextMember, key: PrimaryKey?, isNew: Bool = false) -> String {
    let entity = name(member)
    if let key { return "\(entity) \(key)" }
    if isNew { return "a new \(entity)" }
    var (inner, suffix) = (member, "")
    var met: Set<ObjectIdentifier> = []
    while let place = places[ObjectIdentifier(inner.instance)], met.insert(ObjectIdentifier(inner)).inserted {
      let link = graph[place.owner.entity].links[place.position]
      suffix = ".\(escaped(graph.name(of: link, place.owner.entity)))[\(place.index)]\(suffix)"
      inner = place.owner
      if let key = graph.key(of: inner) { return "\(name(inner)) \(key)\(suffix)" }
    }
    return "\(name(inner)) without a key\(suffix)"
  }

  private func name(_ member: ContextMember) -> String { escaped(graph.schema.entities[member.entity].name) }

  private func makePlaces() -> [ObjectIdentifier: Place] {
    var places: [ObjectIdentifier: Place] = [:]
    for owner in graph.all where !owner.isGone {
      for (position, link) in graph[owner.entity].links.enumerated() where !link.isInverse {
        let targets =
          owner.isKept
          ? owner.keptTargets[position]
          : owner.targets[position]?.compactMap { graph[link.target].member($0)?.instance } ?? []
        for (index, target) in targets.enumerated() where places[ObjectIdentifier(target)] == nil {
          let isKeyless = graph.member(of: target).map { graph.key(of: $0) == nil } ?? false
          if isKeyless {
            places[ObjectIdentifier(target)] = .init(owner: owner, position: position, index: index)
          }
        }
      }
    }
    return places
  }
}
