import FastMapCore
import FastMapQueries
import TestSupport
import Testing

/// A filter over related objects' properties with a fallback finds the values that they show. FastMapParityTests filters the
/// objects' own.
@Suite struct FallbackFilterTests {
  private enum Role: String, AttributeValueWithFallback, OrderedAttributeValue {
    case admin, guest, other
    static let fallback = Role.other
  }

  private enum Level: Int, AttributeValueWithFallback, OrderedAttributeValue {
    case low = 1
    case mid = 5
    case high = 9
    static let fallback = Level.mid
  }

  private final class User {
    var id = 0
    var role = Role.guest
    var level: Level?
    var roles: [Role] = []
    var friends: [User] = []
    var boss: User?

    static func mapping(isIndexed: Bool) -> Mapping<User> { isIndexed ? indexed : plain }

    static let plain: Mapping<User> = Mapping(User.self, "User", primaryKey: "id", make: { User() }) {
      Attribute("id", \.id)
      Attribute("role", \.role)
      Attribute("level", \.level)
      Attribute("roles", \.roles)
      ToMany("friends", \.friends, User.plain)
      ToOne("boss", \.boss, User.plain)
    }

    static let indexed: Mapping<User> = Mapping(User.self, "User", primaryKey: "id", make: { User() }) {
      Attribute("id", \.id)
      Attribute("role", \.role)
      Attribute("level", \.level)
      Attribute("roles", \.roles)
      ToMany("friends", \.friends, User.indexed)
      ToOne("boss", \.boss, User.indexed)
      Index("role")
      Index("level", "role")
    }
  }

  private static let count = 120

  /// Roles and levels with and without cases of their own.
  private static func payload() -> String {
    let roles = ["admin", "guest", "other", "lost", "aaa", "zzz"]
    let levels = ["1", "5", "9", "7", "0", "null"]
    let users = (1...count).map { id in
      #"{"id":\#(id),"role":"\#(roles[id % 6])","level":\#(levels[id / 6 % 6]),"roles":["guest","\#(roles[id % 5])"],"#
        + #""friends":[\#(id % count + 1)],"boss":\#((id + 1) % count + 1)}"#
    }
    return "[\(users.joined(separator: ","))]"
  }

  private struct Row {
    let id: Int
    let role: Role
    let level: Level?
    let roles: [Role]
    let friend: Role
    let boss: Role
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aFilterComparesShownValues(_ kind: StoreKind, _ isIndexed: Bool) throws {
    let mapping = User.mapping(isIndexed: isIndexed)
    let store = try kind.make(Self.payload(), as: mapping)
    try store.read { snapshot in
      let users = try snapshot.objects(mapping, including: \.friends, \.boss)
      let rows = users.map {
        Row(
          id: $0.id, role: $0.role, level: $0.level, roles: $0.roles, friend: $0.friends[0].role,
          boss: $0.boss?.role ?? .guest)
      }
      #expect(rows.count { $0.role == .other } == 80)
      func expect(
        _ query: Query<Mapping<User>>, _ expected: (Row) -> Bool,
        _ location: SourceLocation = #_sourceLocation
      ) throws {
        let ids = rows.filter(expected).map { PrimaryKey.integer(Int64($0.id)) }
        try #expect(snapshot.keys(query) == ids, sourceLocation: location)
        try #expect(snapshot.count(query) == ids.count, sourceLocation: location)
        let expected = ids.isEmpty ? 0 : 1
        try #expect(snapshot.count(query.limit(1)) == expected, sourceLocation: location)
      }
      for role in [Role.admin, .guest, .other] {
        try expect(mapping.where { $0.role == role }) { $0.role == role }
        try expect(mapping.where { $0.role == role && $0.id > 50 }) { $0.role == role && $0.id > 50 }
        try expect(mapping.where { $0.role == role || $0.id > 90 }) { $0.role == role || $0.id > 90 }
        try expect(mapping.where { $0.boss.role == role }) { $0.boss == role }
        try expect(mapping.where { $0.friends.contains { $0.role == role } }) { $0.friend == role }
        try expect(mapping.where { $0.roles.contains(role) }) { $0.roles.contains(role) }
      }
      for level in [Level.low, .mid, .high] {
        try expect(mapping.where { $0.level == level && $0.role == .other }) {
          $0.level == level && $0.role == .other
        }
      }
      // A text asks for the shown value, too.
      try expect(mapping.where(Filter(#"@.role == "lost""#))) { _ in false }
      try expect(mapping.where(Filter(#"@.role == "other""#))) { $0.role == .other }
      try expect(mapping.where(Filter(#"match(@.role, "[ao].*")"#))) { $0.role != .guest }
      try expect(mapping.where(Filter(#"count(@.friends[?@.role == "other"]) == 1"#))) {
        $0.friend == .other
      }
    }
  }

  /// A case of its own is shown if it is stored, so an index serves it.
  @Test func anIndexServesACaseOfItsOwn() throws {
    let store = try StoreKind.lmdb.make()
    let users = (1...2000).map { #"{"id":\#($0),"role":"\#($0 % 100 == 0 ? "admin" : "lost")"}"# }
    _ = try Mapper(store).importJSON("[\(users.joined(separator: ","))]", as: User.indexed)
    try store.read { snapshot in
      let admins = try snapshot.explain(User.indexed.where { $0.role == .admin })
      #expect(admins.lookedAt == 20)
      let others = try snapshot.explain(User.indexed.where { $0.role == .other })
      #expect(others.access == .scan && others.found == 1980)
    }
  }
}
