import FastMapCore
import Observation

// Everything here is of the main actor: the target's default isolation says so.

enum Role: String, AttributeValue {
  case engineer, analyst
}

/// A base class, whose properties its subclass's mapping maps as its own.
@Observable class Being {
  var id = 0
  var name: String?
}

@Observable final class Person: Being {
  var age = 0
  var height: Double?
  var isActive = false
  var role: Role?
  var tags: [String] = []
  var picture: [UInt8]?
  var city: String?
  var shoutedName: String?
  var manager: Person?
  var friends: Set<Person> = []
  var rival: Person?
  var phones: [Phone] = []
  var address: Address?

  static let mapping: MainActorMapping<Person> = MainActorMapping(
    Person.self, "Person", primaryKey: "id", make: Person.init
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name, at: "full_name")
    Attribute("age", \.age).lenient
    Attribute("height", \.height)
    Attribute("isActive", \.isActive, at: "is_active")
    Attribute("role", \.role)
    Attribute("tags", \.tags)
    Attribute("picture", \.picture)
    Attribute("city", \.city, at: "place.city")
    Attribute("shoutedName", \.shoutedName, at: "nick", transform: shout)
    ToOne("manager", \.manager, Person.mapping)
    ToOne("rival", \.rival, Person.mapping, at: "rival_id", isWeak: true)
    ToMany("friends", \.friends, Person.mapping)
    ToMany("phones", \.phones, Phone.mapping, policy: .merge)
    ToOne("address", \.address, Address.mapping)
  }
}

extension Person: Hashable {
  static func == (a: Person, b: Person) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

nonisolated let shout = Transform<String>(
  reading: { value in value.string.map { .value($0.uppercased()) } ?? .null },
  writing: { .string($0.lowercased()) })

/// No `Observable` one, and it refers back.
final class Phone {
  var number = ""
  var owner: Person?

  static let mapping: MainActorMapping<Phone> = MainActorMapping(
    Phone.self, "Phone", primaryKey: "number", make: Phone.init
  ) {
    Attribute("number", \.number)
    ToOne("owner", \.owner, Person.mapping)
  }
}

/// Owned: it has no key. It needs no type written out, as it names no other mapping.
final class Address {
  var street: String?

  static let mapping = MainActorMapping(Address.self, "Address", make: Address.init) {
    Attribute("street", \.street)
  }
}
