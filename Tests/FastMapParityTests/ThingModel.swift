import FastMapCore
import TestSupport

/// The things of a store, in plain values.
struct ThingModel {
  struct State: Equatable {
    /// The values of `Thing.members`, as numbers of samples.
    var values: [Int?] = Array(repeating: nil, count: Thing.members.count)
    var boss: Int?
    var friends: [Int] = []
    var parts: [Int] = []
  }

  var things: [Int: State] = [:]

  var keys: [Int] { things.keys.sorted() }

  /// The attributes of all things, as an export writes them.
  var exported: String {
    let objects = keys.map { key in
      let members = zip(Thing.members, things[key]!.values).compactMap { member, value in
        value.flatMap { member.exported[$0] }.map { "\"\(member.name)\":\($0)" }
      }
      return "{\((["\"id\":\(key)"] + members).joined(separator: ","))}"
    }
    return "[\(objects.joined(separator: ","))]"
  }

  static func relationships(of thing: Thing) -> String {
    text(thing.id, boss: thing.boss?.id, friends: thing.friends.map(\.id), parts: thing.parts.map(\.size))
  }

  private static func text(_ key: Int, boss: Int?, friends: [Int], parts: [Int]) -> String {
    "\(key) boss=\(boss.map { "\($0)" } ?? "-") friends=\(friends) parts=\(parts)"
  }

  /// The keys of the things that show a value.
  func keys(showing value: Int?, of member: Int) -> [Int] {
    keys.filter { Thing.members[member].areAlike(things[$0]!.values[member], value) }
  }

  mutating func delete(_ gone: [Int]) {
    for key in gone { things[key] = nil }
    for key in things.keys {
      if let boss = things[key]!.boss, gone.contains(boss) { things[key]!.boss = nil }
      things[key]!.friends.removeAll { gone.contains($0) }
    }
  }

  /// The first property of an instance that does not show the model's value.
  func difference(of thing: Thing) -> String? {
    guard let state = things[thing.id] else { return "\(thing.id) is not stored" }
    for (member, value) in zip(Thing.members, state.values) where !member.shows(thing, value) {
      return "\(thing.id).\(member.name), expected \(value.map { member.json[$0] } ?? "nil")"
    }
    let (found, expected) = (
      Self.relationships(of: thing),
      Self.text(thing.id, boss: state.boss, friends: state.friends, parts: state.parts)
    )
    return found == expected ? nil : "\(found), expected \(expected)"
  }
}
