import FastMapCore

// The classes of the tests of instances without a store.

enum Role: String, AttributeValue {
  case admin, guest
}

/// Has each kind of property and of relationship.
final class Member: Hashable {
  var id = 0
  var name: String?
  var age = 7
  var role: Role?
  var tags: [String]? = ["new"]
  var city: String?
  var boss: Member?
  var friends: [Member] = []
  var rivals: Set<Member> = []
  var mates: OrderedObjectSet<Member> = []
  var guests: [Member]?
  var idol: Member?
  var fans: [Member] = []
  var home: Place?
  var pets: [Pet] = []
  var toys: [Pet] = []
  var cards: [Card] = []
  weak var chief: Member?
  var staff: [Member] = []

  static let mapping: Mapping<Member> = make(.replace) { mapping }
  /// Deletes nothing in a store.
  static let keeping: Mapping<Member> = make(.assign) { keeping }

  private static func make(
    _ rivals: RelationshipPolicy, _ own: @escaping @Sendable () -> Mapping<Member>
  ) -> Mapping<Member> {
    Mapping(Member.self, "Member", primaryKey: "id", make: Member.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("age", \.age)
      Attribute("role", \.role)
      Attribute("tags", \.tags)
      Attribute("city", \.city, at: "address.city")
      ToOne("boss", \.boss, own())
      ToMany("friends", \.friends, own())
      ToMany("rivals", \.rivals, own(), policy: rivals)
      ToMany("mates", \.mates, own(), policy: .merge)
      ToMany("guests", \.guests, own())
      ToOne("idol", \.idol, own(), isWeak: true)
      ToMany("fans", \.fans, own(), policy: .merge, isWeak: true)
      ToOne("home", \.home, Place.mapping)
      ToMany("pets", \.pets, Pet.mapping)
      ToMany("toys", \.toys, Pet.mapping, policy: .merge)
      ToMany("cards", \.cards, Card.mapping)
      ToOne("chief", \.chief, inverseOf: \.staff, of: own())
      ToMany("staff", \.staff, own())
    }
  }

  /// Loads all members and the objects that they refer to.
  static func load(_ mapping: Mapping<Member>, in context: ObjectContext) throws -> [Int: Member] {
    let all = try context.objects(
      mapping.query, including: \.boss, \.friends, \.rivals, \.mates, \.guests, \.idol, \.fans, \.chief,
      \.staff,
      \.cards, \.home.owner, \.home.key.owner, \.home.key.key.owner, \.pets.friend, \.pets.home.owner,
      \.pets.home.key.owner, \.pets.parts.owner, \.pets.parts.key.owner, \.toys.friend, \.toys.home.owner,
      \.toys.home.key.owner, \.toys.parts.owner, \.toys.parts.key.owner)
    return Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
  }

  static func == (a: Member, b: Member) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads the key and the name of a member.
enum MemberKey {
  static let mapping = Mapping(
    Member.self, "MemberKey", entity: "Member", primaryKey: "id", make: Member.init
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

/// Has no key, and a target without a key.
final class Place {
  var street: String?
  var floor = 1
  var owner: Member?
  var key: Place?

  static let mapping: Mapping<Place> = Mapping(Place.self, "Place", make: Place.init) {
    Attribute("street", \.street)
    Attribute("floor", \.floor)
    ToOne("owner", \.owner, MemberKey.mapping)
    ToOne("key", \.key, Place.mapping)
  }
}

/// An element: it has no key.
final class Pet {
  var name: String?
  var legs = 4
  var friend: Member?
  var home: Place?
  var parts: [Place] = []

  static let mapping = Mapping(Pet.self, "Pet", make: Pet.init) {
    Attribute("name", \.name)
    Attribute("legs", \.legs)
    ToOne("friend", \.friend, MemberKey.mapping)
    ToOne("home", \.home, Place.mapping)
    ToMany("parts", \.parts, Place.mapping)
  }
}

/// May lack its key.
final class Card {
  var number: String?
  var text: String?

  static let mapping = Mapping(
    Card.self, "Card", primaryKey: "number", missingPrimaryKey: .owned, make: Card.init
  ) {
    Attribute("number", \.number)
    Attribute("text", \.text)
  }
}

/// Describes instances and the instances that they refer to, one a line, numbered in the order of their discovery.
struct Graph {
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var lines: [String] = []
  private var left: [(number: Int, instance: AnyObject)] = []

  static func text(_ roots: some Sequence<some AnyObject>) -> String {
    var graph = Graph()
    let names = roots.map { graph.name($0) }.joined(separator: " ")
    var next = 0
    while next < graph.left.count {
      let (number, instance) = graph.left[next]
      next += 1
      graph.lines.append("\(number): " + graph.describe(instance))
    }
    return ([names] + graph.lines).joined(separator: "\n")
  }

  /// The instances that can be reached.
  static func reachable(from roots: some Sequence<some AnyObject>) -> Set<ObjectIdentifier> {
    var graph = Graph()
    for root in roots { _ = graph.name(root) }
    var next = 0
    while next < graph.left.count {
      _ = graph.describe(graph.left[next].instance)
      next += 1
    }
    return Set(graph.numbers.keys)
  }

  private mutating func name(_ instance: AnyObject) -> String {
    if let known = numbers[ObjectIdentifier(instance)] { return "#\(known)" }
    numbers[ObjectIdentifier(instance)] = numbers.count
    left.append((numbers.count - 1, instance))
    return "#\(numbers.count - 1)"
  }

  private mutating func names(_ instances: some Sequence<some AnyObject>) -> String {
    var names: [String] = []
    for instance in instances { names.append(name(instance)) }
    return "[" + names.joined(separator: " ") + "]"
  }

  private mutating func describe(_ instance: AnyObject) -> String {
    switch instance {
    case let member as Member:
      var words = ["Member \(member.id)", "\(member.name ?? "-")", "\(member.age)"]
      words.append(member.role?.rawValue ?? "-")
      words.append(member.tags.map { "\($0)" } ?? "-")
      words.append(member.city ?? "-")
      words.append("boss=" + (member.boss.map { name($0) } ?? "-"))
      words.append("friends=" + names(member.friends))
      words.append("rivals=" + names(member.rivals.sorted { $0.id < $1.id }))
      words.append("mates=" + names(member.mates))
      words.append("guests=" + (member.guests.map { names($0) } ?? "-"))
      words.append("idol=" + (member.idol.map { name($0) } ?? "-"))
      words.append("fans=" + names(member.fans))
      words.append("home=" + (member.home.map { name($0) } ?? "-"))
      words.append("pets=" + names(member.pets))
      words.append("toys=" + names(member.toys))
      words.append("cards=" + names(member.cards))
      words.append("chief=" + (member.chief.map { name($0) } ?? "-"))
      words.append("staff=" + names(member.staff))
      return words.joined(separator: " ")
    case let place as Place:
      return "Place \(place.street ?? "-") \(place.floor) owner=\(place.owner.map { name($0) } ?? "-")"
        + " key=\(place.key.map { name($0) } ?? "-")"
    case let pet as Pet:
      return "Pet \(pet.name ?? "-") \(pet.legs) friend=\(pet.friend.map { name($0) } ?? "-")"
        + " home=\(pet.home.map { name($0) } ?? "-") parts=\(names(pet.parts))"
    case let card as Card: return "Card \(card.number ?? "-") \(card.text ?? "-")"
    default: return "?"
    }
  }
}
