/// Objects of one kind, from all their places.
final class Entity {
  let places: [Place]
  /// All objects of all places.
  let shape: Shape
  var name = ""
  var key: Key?
  /// Whether its objects are arrays.
  var isRow = false
  /// The mappings that read its key alone.
  var reference: String?
  var kinds: KindChoice?
  /// The hashes of the names of members in which objects with one identifier differ.
  var differing: Set<UInt64> = []

  struct Key {
    /// The names of members; for objects that have their keys as names only, the name of the attribute.
    var parts: [String]
    var isInteger: Bool
    /// Whether no member has the key.
    var isName = false
    var isScoped = false
    var values = ValueSketch()
    /// The single object below that has the key.
    var inner: Candidate?

    /// The rank of the only part's name; see ``KeyNames``.
    var rank: Int { single.map { KeyNames.rank(of: Array($0.utf8)) } ?? 0 }
    /// The only part.
    var single: String? { parts.count == 1 ? parts[0] : nil }
  }

  init(_ places: [Place]) {
    self.places = places.sorted { ($0.path, $0.name) < ($1.path, $1.name) }
    if places.count == 1 {
      shape = places[0].shape
      return
    }
    shape = Shape()
    for place in self.places { shape.absorb(place.shape) }
  }

  /// The name of the field for members that no other field reads; nil if the objects have no members of their own.
  lazy var rest: String? = {
    if isRow || isValue { return nil }
    let names = Set(members.map(\.label))
    return ["rest", "others", "_rest"].first { !names.contains($0) } ?? "fastmapRest"
  }()

  var isValue: Bool { places.contains { $0.isValue } }
  var isKeyed: Bool { places.contains { $0.role == .keyed } }
  var objectCount: Int { isValue ? shape.counts.all : shape.counts.objects }

  /// The members, in the order in which objects usually have them.
  lazy var members: [Shape] = shape.members.sorted {
    ($0.order, $0.label) < ($1.order, $1.label)
  }

  /// The form of a member's values in all places; `.mixed` if it differs.
  func form(of name: [UInt8]) -> Form {
    var found = Form.nothing
    for place in places {
      let form = place.forms[name] ?? .nothing
      if form == .nothing || form == found { continue }
      if found != .nothing { return .mixed }
      found = form
    }
    return found
  }
}
