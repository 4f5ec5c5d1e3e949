import FastMapCore
import TestSupport

/// A class with a property of each kind that is not optional.
final class ShownItem {
  enum Role: String, AttributeValueWithFallback {
    case admin, guest, other
    static let fallback = Role.other
  }

  var id = 0
  var flag = true
  var count = 3
  var size: Int8 = -1
  var rank = Int.random(in: 0 ... .max)
  var level = 1
  var ratio = 1.5
  var name = "b"
  var empty = ""
  var at = Timestamp(seconds: 100)
  var bytes: [UInt8] = [1, 2]
  var role = Role.guest
  var tags = ["new", "b"]
  var roles = [Role.other]
  var note: String?
  var boss: ShownItem?
  var friends: [ShownItem] = []
  var admirers: [ShownItem] = []

  static func mapping(isIndexed: Bool) -> Mapping<ShownItem> { isIndexed ? indexed : plain }

  private static let plain: Mapping<ShownItem> = mapping([]) { plain }
  private static let indexed: Mapping<ShownItem> = mapping(indexes) { indexed }

  private static func mapping(
    _ indexes: [Index], _ own: @escaping @Sendable () -> Mapping<ShownItem>
  ) -> Mapping<ShownItem> {
    Mapping(ShownItem.self, "Item", primaryKey: "id", make: ShownItem.init) {
      Attribute("id", \.id)
      Attribute("flag", \.flag)
      Attribute("count", \.count)
      Attribute("size", \.size)
      Attribute("rank", \.rank).default(7)
      Attribute("level", \.level).default(2)
      Attribute("ratio", \.ratio)
      Attribute("name", \.name)
      Attribute("empty", \.empty)
      Attribute("at", \.at)
      Attribute("bytes", \.bytes)
      Attribute("role", \.role)
      Attribute("tags", \.tags)
      Attribute("roles", \.roles)
      Attribute("note", \.note)
      ToOne("boss", \.boss, own())
      ToMany("friends", \.friends, own())
      ToMany("admirers", \.admirers, inverseOf: \.friends, of: own())
      for index in indexes { index }
    }
  }

  private static let indexes = [
    Index("flag", "-count"), Index("count"), Index("-ratio", "name"), Index("name", "-level"), Index("at"),
    Index("role"), Index("note", "count"), Index("size", "rank", "level"),
  ]

  /// Records of the same entity, whose objects get no defaults.
  static func records(isIndexed: Bool) -> Mapping<Record> { isIndexed ? indexedRecords : plainRecords }

  private static let plainRecords: Mapping<Record> = records([]) { plainRecords }
  private static let indexedRecords: Mapping<Record> = records(indexes) { indexedRecords }

  private static func records(
    _ indexes: [Index], _ own: @escaping @Sendable () -> Mapping<Record>
  ) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      for name in ["count", "size", "rank", "level"] { Attribute(name, .integer) }
      for name in ["name", "empty", "role", "note"] { Attribute(name, .string) }
      Attribute("flag", .boolean)
      Attribute("ratio", .number)
      Attribute("at", .date(.iso8601))
      Attribute("bytes", .data)
      Attribute("tags", .json)
      Attribute("roles", .json)
      ToOne("boss", own())
      ToMany("friends", own())
      for index in indexes { index }
    }
  }

  /// By attribute, some values: the default first.
  static let values: [(name: String, json: [String])] = [
    ("flag", ["true", "false"]), ("count", ["3", "0", "9"]), ("size", ["-1", "5"]), ("rank", ["7", "8"]),
    ("level", ["2", "1", "3"]), ("ratio", ["1.5", "0.25", "2"]), ("name", [#""b""#, #""a""#, #""Ba""#]),
    ("empty", [#""""#, #""x""#]), ("at", [#""1970-01-01T00:01:40Z""#, #""2020-01-01T00:00:00Z""#]),
    ("bytes", [#""AQI=""#, #""AA==""#]), ("role", [#""guest""#, #""admin""#, #""lost""#]),
    ("tags", [#"["new","b"]"#, #"["old"]"#, "[]"]), ("roles", [#"["other"]"#, #"["guest","lost"]"#]),
  ]

  static let count = 40

  /// The same objects twice: with values that are missing, and with the defaults in their place.
  static func payloads(_ random: inout Random) -> (missing: String, full: String) {
    var (missing, full) = ([String](), [String]())
    for id in 1...count {
      var links = #""id":\#(id)"#
      if id % 4 != 0 { links += #","boss":\#(random.next(count) + 1)"# }
      if id % 3 != 0 { links += #","friends":[\#(random.next(count) + 1),\#(random.next(count) + 1)]"# }
      if id % 2 == 0 { links += #","note":"\#(id % 5)""# }
      var (without, with) = (links, links)
      for (name, json) in values {
        let number = random.next(json.count + 2)
        let member = #","\#(name)":\#(json[number < json.count ? number : 0])"#
        with += member
        if number < json.count { without += member }
      }
      missing.append("{\(without)}")
      full.append("{\(with)}")
    }
    return ("[\(missing.joined(separator: ","))]", "[\(full.joined(separator: ","))]")
  }
}
