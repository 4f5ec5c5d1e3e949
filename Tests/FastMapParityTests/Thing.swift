import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport

/// A class with a property of each shape, for random sequences.
final class Thing {
  var id = 0
  var int = 0
  var int8: Int8 = 0
  var unsigned: UInt64 = 0
  var bool = false
  var string = ""
  var double = 0.0
  var color = Color.red
  var role = Role.guest
  var bytes: [UInt8] = []
  var timestamp = Timestamp(seconds: 0)
  var decimal = Decimal(0)
  var colors: [Color] = []
  var tags: Set<String> = []
  var coded = Coded<[String: Int]>([:])
  var maybeInt: Int?
  var maybeBool: Bool?
  var maybeString: String?
  var maybeLevel: Level?
  var maybeGrade: Grade?
  var maybeURL: URL?
  var maybeUUID: UUID?
  var maybeDate: Date?
  // These come with a later version of the program.
  var laterDouble: Double?
  var laterRole: Role?
  var laterDecimal: Decimal?
  var laterColors: [Color]?
  var laterData: Data?
  var boss: Thing?
  var friends: [Thing] = []
  var parts: [Part] = []

  static let members: [Member] = [
    .of(Rows.int, "int", \.int), .of(Rows.int8, "int8", \.int8), .of(Rows.unsigned, "unsigned", \.unsigned),
    .of(Rows.bool, "bool", \.bool), .of(Rows.string, "string", \.string),
    .of(Rows.double, "double", \.double),
    .of(Rows.color, "color", \.color), .of(Rows.role, "role", \.role), .of(Rows.bytes, "bytes", \.bytes),
    .of(Rows.timestamp, "timestamp", \.timestamp), .of(Rows.decimal, "decimal", \.decimal),
    .of(Rows.colors, "colors", \.colors), .of(Rows.tags, "tags", \.tags), .of(Rows.coded, "coded", \.coded),
    .of(Rows.int, "maybeInt", maybe: \.maybeInt), .of(Rows.bool, "maybeBool", maybe: \.maybeBool),
    .of(Rows.string, "maybeString", maybe: \.maybeString), .of(Rows.level, "maybeLevel", maybe: \.maybeLevel),
    .of(Rows.grade, "maybeGrade", maybe: \.maybeGrade), .of(Rows.url, "maybeURL", maybe: \.maybeURL),
    .of(Rows.uuid, "maybeUUID", maybe: \.maybeUUID), .of(Rows.date, "maybeDate", maybe: \.maybeDate),
    .of(Rows.double, "laterDouble", maybe: \.laterDouble, isLater: true),
    .of(Rows.role, "laterRole", maybe: \.laterRole, isLater: true),
    .of(Rows.decimal, "laterDecimal", maybe: \.laterDecimal, isLater: true),
    .of(Rows.colors, "laterColors", maybe: \.laterColors, isLater: true),
    .of(Rows.data, "laterData", maybe: \.laterData, isLater: true),
  ]

  /// The mapping of a version of the program.
  private static func mapping(isLater: Bool, _ own: @escaping @Sendable () -> Mapping<Thing>) -> Mapping<
    Thing
  > {
    Mapping(Thing.self, "Thing", primaryKey: "id", make: Thing.init) {
      Attribute("id", \.id)
      for member in members where isLater || !member.isLater { member.attribute }
      ToOne("boss", \.boss, own())
      ToMany("friends", \.friends, own())
      ToMany("parts", \.parts, Part.mapping)
      Index("int", "string")
      Index("role")
      if isLater { Index("laterDouble") }
    }
  }

  static let early: Mapping<Thing> = mapping(isLater: false) { early }
  static let later: Mapping<Thing> = mapping(isLater: true) { later }
}

/// A property of a thing, with the values of a row. A value is the number of its sample; nil is no value.
struct Member: Sendable {
  let name: String
  let isOptional: Bool
  let isLater: Bool
  let attribute: Attribute<Thing>
  let json: [String]
  let exported: [String?]
  /// The samples that a property with their value stores.
  let written: [Int]
  /// Whether two values are shown alike.
  let areAlike: @Sendable (Int?, Int?) -> Bool
  let set: @Sendable (Thing, Int?) -> Void
  let shows: @Sendable (Thing, Int?) -> Bool
  /// The filter for a value; nil if there is none.
  let filter: @Sendable (Int?) -> Filter?

  static func of<V>(
    _ row: Row<V>, _ name: String, _ property: any ReferenceWritableKeyPath<Thing, V> & Sendable
  ) -> Member {
    Member(
      row, name, row.attribute(name, property),
      set: { thing, number in if let number { thing[keyPath: property] = row.samples[number].value } },
      value: { $0[keyPath: property] },
      filter: { value in value.map { value in row.filter(property, value) } })
  }

  static func of<V>(
    _ row: Row<V>, _ name: String, maybe property: any ReferenceWritableKeyPath<Thing, V?> & Sendable,
    isLater: Bool = false
  ) -> Member {
    Member(
      row, name, row.attribute(name, property), isOptional: true, isLater: isLater,
      set: { thing, number in thing[keyPath: property] = number.map { row.samples[$0].value } },
      value: { $0[keyPath: property] },
      filter: { value in row.filter(property, value) })
  }

  private init<V>(
    _ row: Row<V>, _ name: String, _ attribute: Attribute<Thing>, isOptional: Bool = false,
    isLater: Bool = false,
    set: @escaping @Sendable (Thing, Int?) -> Void, value: @escaping @Sendable (Thing) -> V?,
    filter: @escaping @Sendable (V?) -> Filter?
  ) {
    let samples = row.samples
    (self.name, self.isOptional, self.isLater, self.attribute) = (name, isOptional, isLater, attribute)
    (json, exported) = (samples.map(\.json), samples.map(\.exported))
    written = samples.indices.filter { samples[$0].isWritten }
    self.set = set
    areAlike = { Row.areAlike($0.map { samples[$0].value }, $1.map { samples[$0].value }) }
    shows = { Row.areAlike(value($0), $1.map { samples[$0].value }) }
    self.filter = { number in
      let value = number.map { samples[$0].value }
      return row.isScalar && value == value ? filter(value) : nil
    }
  }
}
