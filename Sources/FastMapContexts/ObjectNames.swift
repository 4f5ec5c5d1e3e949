/// The names of a context's objects in messages: `Book 1`, and `Book 1.chapters[0]` for one without a key that belongs to it.
///
/// A place below more than six relationships has its first three and last three:
/// `Part 4.own.sub.sub.(1994 more).sub.sub.sub`. So the title of a deep object is short, and many titles are made
/// in one walk.
///
/// No instance is read, so a transaction on another thread may use it.
final class ObjectNames {
  /// Where an object without a key is.
  struct Place {
    let owner: ObjectIdentity
    let position: Int
    let index: Int
  }

  /// The way to an object from an object with a key, or from an object without an owner.
  private struct Way {
    /// The object where it begins, with the first relationships.
    var start: String
    var depth = 0
  }

  /// The relationships at each end of a way that a title has.
  private static let shown = 3

  private let graph: ContextGraph
  /// Where objects without a key are, as the context has read it. Made for the first of them, as few messages need it.
  private lazy var places = makePlaces()
  private var ways: [ObjectIdentity: Way] = [:]

  init(_ graph: ContextGraph) { self.graph = graph }

  /// - Parameters:
  ///   - key: The key of the object.
  ///   - isNew: Whether it is not stored.
  /// - Complexity: O(1) for each object once the context is walked.
  func title(of member: ContextMember, key: PrimaryKey?, isNew: Bool = false) -> String {
    if let key { return "\(name(member)) \(key)" }
    if isNew { return "a new \(name(member))" }
    let way = way(to: member)
    if way.depth <= Self.shown { return way.start }
    var (steps, inner): ([String], ContextMember?) = ([], member)
    while steps.count < min(Self.shown, way.depth - Self.shown), let place = inner.flatMap(place) {
      steps.append(step(place))
      inner = graph[place.owner.entity].member(place.owner.id)
    }
    let hidden = way.depth - Self.shown - steps.count
    return way.start + (hidden > 0 ? ".(\(hidden) more)" : "") + steps.reversed().joined()
  }

  /// A conflict about a field of an object.
  ///
  /// - Parameters:
  ///   - key: The key of the object, not read here, as a transaction reads no instance.
  func conflict(
    _ field: Int, of member: ContextMember, key: PrimaryKey?,
    read: ObjectConflict.State, mine: ObjectConflict.State, theirs: ObjectConflict.State,
    numbers: ObjectConflict.Numbers = .init()
  ) -> ObjectConflict {
    let layout = graph.schema.entities[member.entity]
    return ObjectConflict(
      entity: layout.name, key: key, id: member.id, field: layout.fields[field].name,
      title: title(of: member, key: key, isNew: member.stored == nil), read: read, mine: mine, theirs: theirs,
      numbers: numbers)
  }

  /// Walks up to an object whose way is known, and remembers the ways of all that it meets.
  private func way(to member: ContextMember) -> Way {
    var open: [(object: ObjectIdentity, place: Place)] = []
    var met: Set<ObjectIdentity> = []
    var inner = member
    var way: Way
    while true {
      if let known = ways[inner.object] {
        way = known
        break
      }
      let key = graph.key(of: inner)
      guard key == nil, met.insert(inner.object).inserted, let place = place(inner),
        let owner = graph[place.owner.entity].member(place.owner.id)
      else {
        way = Way(start: "\(name(inner)) \(key.map { "\($0)" } ?? "without a key")")
        break
      }
      open.append((inner.object, place))
      inner = owner
    }
    for (object, place) in open.reversed() {
      if way.depth < Self.shown { way.start += step(place) }
      way.depth += 1
      ways[object] = way
    }
    return way
  }

  private func place(_ member: ContextMember) -> Place? { places[member.object] ?? member.lastPlace }

  private func step(_ place: Place) -> String {
    graph.step(graph[place.owner.entity].links[place.position], of: place.owner.entity, place.index)
  }

  private func name(_ member: ContextMember) -> String { escaped(graph.schema.entities[member.entity].name) }

  private func makePlaces() -> [ObjectIdentity: Place] {
    var places: [ObjectIdentity: Place] = [:]
    for owner in graph.all where !owner.isGone {
      for (position, link) in graph[owner.entity].links.enumerated() where !link.isInverse {
        let targets = owner.targets[position]?.map { graph[link.target].member($0) } ?? []
        for case (let index, let target?) in targets.enumerated()
        where places[target.object] == nil && graph.key(of: target) == nil {
          places[target.object] = Place(owner: owner.object, position: position, index: index)
        }
      }
    }
    return places
  }
}

extension ContextGraph {
  /// Where an instance is that a property has: `Book 1.editors[0]`.
  func place(of instance: AnyObject, in link: ClassRelationship, of owner: ContextMember) -> String {
    let title = ObjectNames(self).title(of: owner, key: key(of: owner), isNew: owner.isNew)
    let index = link.access.get(owner.instance).firstIndex { $0 === instance } ?? 0
    return title + step(link, of: owner.entity, index)
  }

  /// A relationship and the place there: `.editors[0]`, and `.author` for a to-one.
  func step(_ link: ClassRelationship, of entity: Int, _ index: Int) -> String {
    ".\(escaped(name(of: link, entity)))\(link.isToMany ? "[\(index)]" : "")"
  }
}

extension ContextSave {
  /// Where a new object is that a relationship has: `Book 1.editors[0]`; nil if none has it.
  func place(of target: ContextMember) -> String? {
    for edit in changes.edits + changes.new {
      let owner = edit.member
      for (position, targets) in edit.links {
        guard let index = targets.firstIndex(where: { $0 === target }) else { continue }
        return place(owner, position, index)
      }
    }
    return nil
  }

  /// A place in a relationship: `Book 1.editors[0]`.
  func place(_ owner: ContextMember, _ position: Int, _ index: Int) -> String {
    titles.title(of: owner, key: key(of: owner), isNew: owner.stored == nil)
      + graph.step(graph[owner.entity].links[position], of: owner.entity, index)
  }
}
