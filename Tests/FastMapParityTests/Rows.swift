import FastMapCore
import FastMapFoundation
import Foundation

/// The property shapes. Each also stands for the optional of its type.
enum Rows {
  static let int = Row(
    "Int",
    Sample("7", is: 7, .integer(7)), Sample("-5", is: -5, .integer(-5)), Sample("0", is: 0, .integer(0)),
    Sample("9223372036854775807", is: Int.max, .integer(.max)),
    Sample("-9223372036854775808", is: Int.min, .integer(.min))
  ).ordered(by: <)

  /// An integer of a width.
  ///
  /// - Parameter beyond: Numbers outside of its bounds.
  private static func integer<V>(_ type: V.Type, beyond: String...) -> Row<V>
  where V: OrderedAttributeValue & FixedWidthInteger & Sendable, V.Unwrapped == V {
    func sample(_ value: V) -> Sample<V> {
      Sample("\(value)", is: value, Int64(exactly: value).map { .integer($0) } ?? .unsigned(UInt64(value)))
    }
    var row = Row("\(type)", sample(1), sample(.min), sample(.max)).ordered { $0 < $1 }
    row.unreadable = beyond
    return row
  }

  static let int8 = integer(Int8.self, beyond: "300", "-129")

  static let unsigned = Row(
    "UInt64",
    Sample("5", is: UInt64(5), .integer(5)), Sample("0", is: 0, .integer(0)),
    Sample("9223372036854775807", is: 1 << 63 - 1, .integer(.max)),
    Sample("9223372036854775808", is: 1 << 63, .unsigned(1 << 63)),
    Sample("18446744073709551615", is: .max, .unsigned(.max))
  ).ordered(by: <).unreadable("-1")

  static let bool: Row<Bool> = {
    var row = Row(
      "Bool", Sample("true", is: true, .boolean(true)), Sample("false", is: false, .boolean(false)))
    row.sortsBefore = { !$0 && $1 }
    return row
  }()

  static let string = Row(
    "String",
    Sample(#""a""#, is: "a", .string("a")), Sample(#""""#, is: "", .string("")),
    Sample(#""Z""#, is: "Z", .string("Z")),
    Sample(#""é""#, #""\u00e9""#, is: "é", .string("é")), Sample(#""😀""#, is: "😀", .string("😀")),
    Sample(#""null""#, is: "null", .string("null")),
    Sample(#""\"\\\n""#, is: "\"\\\n", .string("\"\\\n"))
  ).ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }

  /// Programs set NaN and infinity; a payload has them through a transform. An export leaves them out.
  static let double: Row<Double> = {
    var row = Row(
      "Double",
      Sample("1.5", "15e-1", is: 1.5, .number(1.5)), Sample("-1e300", is: -1e300, .number(-1e300)),
      Sample("0.1", is: 0.1, .number(0.1)), Sample("0", "0.0", is: 0, .number(0)),
      Sample(#""nan""#, is: .nan, .number(.nan), exported: nil),
      Sample(#""inf""#, is: .infinity, .number(.infinity), exported: nil)
    ).ordered(by: { $0 < $1 }, sorted: { $0 < $1 || !$0.isNaN && $1.isNaN })
    row.transform = Transform(reading: { value in
      .value(value.number ?? value.string.flatMap { Double($0) } ?? 0)
    })
    return row
  }()

  static let float = Row(
    "Float",
    Sample("0.1", is: Float(0.1), .number(0.1)), Sample("-2.5", is: -2.5, .number(-2.5)),
    Sample("16777216", "16777216.0", is: 16_777_216, .number(16_777_216))
  ).ordered { $0 < $1 }

  static let color = Row(
    "an enum",
    Sample(#""red""#, is: Color.red, .string("red")), Sample(#""green""#, is: .green, .string("green")),
    Sample(#""blue""#, is: .blue, .string("blue"))
  ).ordered { $0.rawValue < $1.rawValue }.unreadable(#""gold""#, #""""#)

  static let level = Row(
    "an enum of integers",
    Sample("0", is: Level.middle, .integer(0)), Sample("-1", is: .low, .integer(-1)),
    Sample("300", is: .high, .integer(300))
  ).ordered { $0.rawValue < $1.rawValue }.unreadable("7")

  static let role = Row(
    "an enum with a fallback",
    Sample(#""guest""#, is: Role.guest, .string("guest")), Sample(#""other""#, is: .other, .string("other")),
    Sample(#""lost""#, is: .other, .string("lost"), exported: #""lost""#, isWritten: false),
    Sample(#""admin""#, is: .admin, .string("admin")),
    Sample(#""""#, is: .other, .string(""), exported: #""""#, isWritten: false)
  ).ordered { $0.rawValue < $1.rawValue }

  static let grade = Row(
    "an enum of integers with a fallback",
    Sample("9", is: Grade.good, .integer(9)), Sample("5", is: .fair, .integer(5)),
    Sample("7", is: .fair, .integer(7), exported: "7", isWritten: false), Sample("1", is: .poor, .integer(1)),
    Sample("-7", is: .fair, .integer(-7), exported: "-7", isWritten: false)
  ).ordered { $0.rawValue < $1.rawValue }

  static let cents = Row(
    "a type of the program's",
    Sample("250", is: Cents(250), .integer(250)), Sample("-1", is: Cents(-1), .integer(-1))
  ).ordered(by: <)

  static let bytes = Row(
    "[UInt8]",
    Sample(#""AP8=""#, is: [UInt8]([0, 255]), .data([0, 255])), Sample(#""""#, is: [], .data([])),
    Sample(#""AA==""#, is: [0], .data([0])),
    Sample(#""Zm9v""#, is: Array("foo".utf8), .data(Array("foo".utf8)))
  ).ordered { $0.lexicographicallyPrecedes($1) }

  static let timestamp = Row(
    "Timestamp",
    Sample(
      #""2013-07-01T18:00:00Z""#, #""2013-07-01T20:00:00+02:00""#, is: Timestamp(seconds: 1_372_701_600),
      .date(Timestamp(seconds: 1_372_701_600))),
    Sample(#""1970-01-01T00:00:00Z""#, is: Timestamp(seconds: 0), .date(Timestamp(seconds: 0))),
    Sample(
      #""1969-12-31T23:59:59.5Z""#, #""1969-12-31T23:59:59.500Z""#,
      is: Timestamp(seconds: -1, nanoseconds: 500_000_000),
      .date(Timestamp(seconds: -1, nanoseconds: 500_000_000))),
    Sample(
      #""9999-12-31T23:59:59Z""#, is: Timestamp(seconds: 253_402_300_799),
      .date(Timestamp(seconds: 253_402_300_799)))
  ).ordered(by: <)

  static let date: Row<Date> = {
    let half = Timestamp(seconds: 1, nanoseconds: 500_000_000)
    var row = Row(
      "Date in milliseconds",
      Sample("1500", is: Date(timeIntervalSince1970: 1.5), .date(half)),
      Sample(
        "-1", is: Date(timeIntervalSince1970: -0.001), .date(Timestamp(seconds: -1, nanoseconds: 999_000_000))
      ),
      Sample(
        "1372701600000", is: Date(timeIntervalSince1970: 1_372_701_600),
        .date(Timestamp(seconds: 1_372_701_600)))
    ).ordered(by: <)
    row.type = .date(.epochMilliseconds)
    return row
  }()

  static let decimal = Row(
    "Decimal",
    Sample("12.5", #""12.5""#, #""12.50""#, is: Decimal(string: "12.5")!, .decimal("12.5")),
    Sample("-3", #""-3""#, is: Decimal(-3), .decimal("-3")),
    Sample("0", #""0""#, "-0", is: Decimal(0), .decimal("0")),
    Sample(
      "1234567890.0123456789", is: Decimal(string: "1234567890.0123456789")!,
      .decimal("1234567890.0123456789"))
  ).ordered(by: <).unreadable("1e400")

  static let exact = Row(
    "DecimalNumber",
    Sample("12.50", "12.5", #""12.500""#, "125e-1", is: DecimalNumber("12.50"), .decimal("12.50")),
    Sample("-3", #""-3""#, is: DecimalNumber(-3), .decimal("-3")),
    Sample("0", "0.0", "-0", is: DecimalNumber(0), .decimal("0")),
    Sample(
      "9007199254740993.10", is: DecimalNumber("9007199254740993.10"), .decimal("9007199254740993.10")),
    Sample("1e400", is: DecimalNumber("1e400"), .decimal("1e400"))
  ).ordered(by: <)

  static let url = Row(
    "URL",
    Sample(
      #""https://example.org/b""#, is: URL(string: "https://example.org/b")!, .string("https://example.org/b")
    ),
    Sample(#""a/b""#, is: URL(string: "a/b")!, .string("a/b")),
    Sample(
      #""https://example.org/%C3%A9""#, #""https://example.org/é""#,
      is: URL(string: "https://example.org/%C3%A9")!, .string("https://example.org/%C3%A9"))
  ).ordered { $0.absoluteString < $1.absoluteString }.unreadable(#""""#, #""no url""#)

  static let uuid = Row(
    "UUID",
    Sample(
      #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#,
      is: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!,
      .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
    Sample(
      #""00000000-0000-0000-0000-000000000000""#,
      is: UUID(uuidString: "00000000-0000-0000-0000-000000000000")!,
      .string("00000000-0000-0000-0000-000000000000"))
  ).ordered { $0.uuidString < $1.uuidString }.unreadable(#""no-uuid""#)

  static let data = Row(
    "Data",
    Sample(#""AP8=""#, is: Data([0, 255]), .data([0, 255])), Sample(#""""#, is: Data(), .data([]))
  ).ordered { $0.lexicographicallyPrecedes($1) }

  static let colors = Row(
    "an array of enums",
    Sample(#"["red","blue"]"#, is: [Color.red, .blue], .json(#"["red","blue"]"#)),
    Sample("[]", is: [], .json("[]")),
    Sample(#"["blue"]"#, is: [.blue], .json(#"["blue"]"#))
  ).having(.red, .green, .blue).unreadable(#"["red","gold"]"#, "5", #"{"a":1}"#)

  static let roles = Row(
    "an array of enums with a fallback",
    Sample(#"["guest"]"#, is: [Role.guest], .json(#"["guest"]"#)),
    Sample(
      #"["lost","guest"]"#, is: [.other, .guest], .json(#"["lost","guest"]"#), exported: #"["lost","guest"]"#,
      isWritten: false),
    Sample(#"["other","guest"]"#, is: [.other, .guest], .json(#"["other","guest"]"#))
  ).having(.guest, .other, .admin).unreadable("[1]")

  static let tags = Row(
    "Set",
    Sample(#"["a","b"]"#, is: Set(["a", "b"]), .json(#"["a","b"]"#)), Sample("[]", is: [], .json("[]")),
    Sample(#"["é"]"#, is: ["é"], .json(#"["é"]"#)),
    Sample(
      #"["b","a","b"]"#, is: ["a", "b"], .json(#"["b","a","b"]"#), exported: #"["b","a","b"]"#,
      isWritten: false)
  ).having("a", "é", "c").unreadable("[1]")

  static let words = Row(
    "an array of Strings",
    Sample(#"["fr","en"]"#, is: ["fr", "en"], .json(#"["fr","en"]"#)), Sample("[]", is: [], .json("[]"))
  ).having("fr", "é").unreadable(#"["fr",1]"#)

  static let bytesOfOne = Row(
    "an array of Int8", Sample("[1,-128]", is: [1, -128] as [Int8], .json("[1,-128]")),
    Sample("[]", is: [], .json("[]"))
  ).having(1, 2).unreadable("[1,300]", #"["1"]"#)

  static let numbers = Row(
    "an array of optionals",
    Sample("[1,null,3]", is: [1, nil, 3] as [Int?], .json("[1,null,3]")),
    Sample("[null]", is: [nil], .json("[null]"))
  ).unreadable(#"["1"]"#)

  static let large = Row(
    "an array of UInt64",
    Sample("[18446744073709551615,0]", is: [UInt64.max, 0], .json("[18446744073709551615,0]")),
    Sample("[]", is: [], .json("[]"))
  ).having(.max, 0, 1).unreadable("[-1]")

  static let prices = Row(
    "an array of decimals",
    Sample("[1.5,2]", #"["1.50","2"]"#, is: [Decimal(string: "1.5")!, 2], .json("[1.5,2]")),
    Sample("[]", is: [], .json("[]"))
  ).having(2, 3).unreadable(#"["1,5"]"#)

  static let keys = Row(
    "a set of UUIDs",
    Sample(
      #"["00000000-0000-0000-0000-00000000000A"]"#, #"["00000000-0000-0000-0000-00000000000a"]"#,
      is: Set([UUID(uuidString: "00000000-0000-0000-0000-00000000000A")!]),
      .json(#"["00000000-0000-0000-0000-00000000000A"]"#)), Sample("[]", is: [], .json("[]"))
  ).having(UUID(uuidString: "00000000-0000-0000-0000-00000000000A")!).unreadable(#"["a"]"#)

  static let moments = Row(
    "an array of dates",
    Sample(
      #"["1970-01-01T00:00:00.25Z"]"#, is: [Timestamp(seconds: 0, nanoseconds: 250_000_000)],
      .json(#"["1970-01-01T00:00:00.25Z"]"#)), Sample("[]", is: [], .json("[]"))
  ).unreadable(#"["yesterday"]"#)

  static let grid = Row(
    "nested arrays",
    Sample("[[1],[],[2,3]]", is: [[1], [], [2, 3]], .json("[[1],[],[2,3]]")),
    Sample("[[]]", is: [[]], .json("[[]]"))
  ).unreadable("[1]", "[[true]]")

  /// The texts have more bytes than an index keeps.
  static let long: Row<String> = {
    let text = String(repeating: "x", count: 900)
    return Row(
      "a long String",
      Sample("\"\(text)b\"", is: text + "b", .string(text + "b")),
      Sample("\"\(text)\"", is: text, .string(text)),
      Sample("\"\(text)a\"", is: text + "a", .string(text + "a"))
    ).ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }()

  static let lenient: Row<Int> = {
    var row = Row(
      "a lenient Int", Sample("7", "7.0", #""7""#, is: 7, .integer(7)),
      Sample("-1", #""-1""#, is: -1, .integer(-1))
    ).ordered(by: <)
    row.isLenient = true
    return row
  }()

  /// A payload has names for the numbers that are stored.
  static let named: Row<Int> = {
    let names = ["two", "one", "three"]
    var row = Row(
      "an Int with a transform", Sample(#""one""#, is: 1, .integer(1)), Sample(#""two""#, is: 0, .integer(0)),
      Sample(#""three""#, is: 2, .integer(2))
    ).ordered(by: <)
    row.transform = Transform(
      reading: { value in
        guard let number = names.firstIndex(of: value.string ?? "") else {
          throw TransformError("expected a name")
        }
        return .value(number)
      }, writing: { .string(names[$0]) })
    return row
  }()

  static let coded = Row(
    "a Codable value",
    Sample(#"{"a":1,"b":2}"#, is: Coded(["a": 1, "b": 2]), .json(#"{"a":1,"b":2}"#)),
    Sample("{}", is: Coded([:]), .json("{}")),
    Sample(
      #"{"b":2,"a":1.0}"#, is: Coded(["a": 1, "b": 2]), .json(#"{"b":2,"a":1.0}"#),
      exported: #"{"b":2,"a":1.0}"#,
      isWritten: false), Sample(#"{"c":-1}"#, is: Coded(["c": -1]), .json(#"{"c":-1}"#))
  ).unreadable(#"{"a":"x"}"#, "[]")

  static let all: [AnyRow] = [
    AnyRow(int), AnyRow(unsigned), AnyRow(bool), AnyRow(string), AnyRow(double), AnyRow(float),
    AnyRow(color), AnyRow(level), AnyRow(role), AnyRow(grade), AnyRow(cents), AnyRow(bytes),
    AnyRow(timestamp),
    AnyRow(date), AnyRow(decimal), AnyRow(exact), AnyRow(url), AnyRow(uuid), AnyRow(data), AnyRow(colors),
    AnyRow(roles), AnyRow(tags), AnyRow(words), AnyRow(bytesOfOne), AnyRow(numbers), AnyRow(large),
    AnyRow(prices),
    AnyRow(keys), AnyRow(moments), AnyRow(grid), AnyRow(long), AnyRow(lenient), AnyRow(named), AnyRow(coded),
    AnyRow(int8), AnyRow(integer(UInt8.self, beyond: "256", "-1")),
    AnyRow(integer(Int16.self, beyond: "32768")), AnyRow(integer(UInt16.self, beyond: "65536")),
    AnyRow(integer(Int32.self, beyond: "2147483648")), AnyRow(integer(UInt32.self, beyond: "4294967296")),
    AnyRow(integer(Int64.self)), AnyRow(integer(UInt.self, beyond: "-1")),
  ]
}
