/// Everything that inference remembers about the values of one place: counts, facts and the shapes below it.
///
/// Shapes merge by ``absorb(_:)``. The result is the same whatever the order of the values, and however they came into parts.
final class Shape {
  /// The most names of members below one place. A place with more is a keyed collection.
  static let mostNames = 512
  /// The most elements of a list that are told apart by their places.
  static let mostPositions = 32

  // MARK: As a member

  /// The name of the member; empty for anything else.
  let name: [UInt8]
  let nameHash: UInt64
  /// The rank of the name among names of keys; see ``KeyNames``.
  let keyRank: Int
  var presence = 0
  var lastObject = 0
  /// The sum of its places among the members of its objects.
  var positions = 0
  /// How often the value is the name of its object.
  var namesakes = 0
  /// How many lists have the value twice.
  var listRepeats = 0
  /// The number of the member in its place, which stays when others are removed.
  private(set) var number = 0

  // MARK: Values

  var counts = Counts()
  var text: TextFacts?
  var smallest = Int64.max
  var largest = Int64.min
  /// The different strings and integers of a list or a keyed collection.
  var values = ValueSketch()

  // MARK: Objects

  var members: [Shape] = []
  private var numbers: [UInt64: Int] = [:]
  private var nextNumber = 0
  /// The values of all members, if there are more names than inference tells apart.
  var collected: Shape?
  /// The names of the members of such a place.
  var names = ValueSketch()
  var allNamesAreIntegers = true
  var rows = RowTable()

  // MARK: Lists

  var items: Shape?
  /// The scalars among the elements by their places, or all in one.
  var places: [Shape] = []
  var scalars: Shape?
  var shortestList = Int.max
  var longestList = 0
  /// A bit for each of the first places that has an object or a list.
  var containerPlaces: UInt32 = 0
  /// Whether values below are left out, because they are nested too deep.
  var isCut = false

  init(name: [UInt8] = [], hash: UInt64 = 0) {
    self.name = name
    nameHash = hash
    keyRank = KeyNames.rank(of: name)
  }

  var label: String { String(decoding: name, as: UTF8.self) }

  /// The member's usual place in its objects.
  var order: Double { presence > 0 ? Double(positions) / Double(presence) : 0 }

  // MARK: Finding

  /// The member with a name, made if there is none. In a place with too many names, the shape of all of them.
  func member(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, from cursor: inout Int) -> Shape {
    if let collected { return collected }
    if cursor < members.count {
      let next = members[cursor]
      if next.nameHash == hash, next.name.count == name.count {
        cursor += 1
        return next
      }
    }
    if let number = numbers[hash] {
      cursor = number + 1
      return members[number]
    }
    guard members.count < Self.mostNames else { return collect() }
    numbers[hash] = members.count
    let made = Shape(name: Array(name), hash: hash)
    made.number = nextNumber
    nextNumber += 1
    members.append(made)
    cursor = members.count
    return made
  }

  func member(hash: UInt64) -> Shape? { numbers[hash].map { members[$0] } }

  /// Merges all members into one shape.
  @discardableResult
  func collect() -> Shape {
    if let collected { return collected }
    let all = Shape()
    for member in members {
      countName(member)
      all.absorb(member)
    }
    collected = all
    (members, numbers, rows) = ([], [:], RowTable())
    return all
  }

  func scalar(at place: Int) -> Shape {
    if let scalars { return scalars }
    guard place < Self.mostPositions else { return collectScalars() }
    while places.count <= place { places.append(Shape()) }
    return places[place]
  }

  func collectScalars() -> Shape {
    if let scalars { return scalars }
    let all = Shape()
    for place in places { all.absorb(place) }
    (scalars, places) = (all, [])
    return all
  }

  var allScalars: Shape {
    if let scalars { return scalars }
    let all = Shape()
    for place in places { all.absorb(place) }
    return all
  }

  func removeMember(_ member: Shape) {
    members.removeAll { $0 === member }
    numbers = Dictionary(
      zip(members.map(\.nameHash), members.indices), uniquingKeysWith: { first, _ in first })
  }

  func itemsMade() -> Shape {
    if let items { return items }
    let made = Shape()
    items = made
    return made
  }
}
