import FastMapCore
import TestSupport

/// An object with relationships of each shape.
final class Owner {
  var id = 0
  var name: String?
  var boss: Owner?
  var friends: [Owner] = []
  /// Keeps targets that an import does not name.
  var pals: [Owner] = []
  var home: Part?
  var parts: [Part] = []

  static let mapping: Mapping<Owner> = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("boss", \.boss, Owner.mapping)
    ToMany("friends", \.friends, Owner.mapping)
    ToMany("pals", \.pals, Owner.mapping, policy: .merge)
    ToOne("home", \.home, Part.mapping)
    ToMany("parts", \.parts, Part.mapping)
  }

  /// `1 a boss=2 friends=[2 3] pals=[] home=x/1 parts=[y/1 z/2]`
  var text: String {
    let parts = parts.map(\.text).joined(separator: " ")
    return "\(id) \(name ?? "-") boss=\(boss.map { "\($0.id)" } ?? "-") friends=\(friends.map(\.id)) "
      + "pals=\(pals.map(\.id)) home=\(home?.text ?? "-") parts=[\(parts)]"
  }
}

/// An element without a key.
final class Part {
  var kind: String?
  var size = 0

  static let mapping: Mapping<Part> = Mapping(Part.self, "Part", make: Part.init) {
    Attribute("kind", \.kind)
    Attribute("size", \.size)
  }

  var text: String { "\(kind ?? "-")/\(size)" }
}

extension Store {
  /// The stored owners as texts, from copies.
  func owners() throws -> [String] {
    try read(Owner.mapping) { snapshot in
      try snapshot.objects(Owner.mapping, including: \.boss, \.friends, \.pals, \.home, \.parts).map(\.text)
    }
  }
}

extension ObjectContext {
  /// The owners with all that they refer to.
  func owners() throws -> [Owner] {
    try objects(Owner.mapping, including: \.boss, \.friends, \.pals, \.home, \.parts)
  }
}
