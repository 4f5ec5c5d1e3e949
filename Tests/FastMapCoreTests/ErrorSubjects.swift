import FastMapCore

/// The mappings that the error cases go through.
extension ErrorSubject {
  private static func keyed<Object>(_ mapping: Mapping<Object>) -> ErrorSubject {
    ErrorSubject(
      mapping, stored: #"{"id":"stored"}"#, neighbours: [#"{"id":"first"}"#, #"{"id":"last"}"#])
  }

  // MARK: Records

  /// An attribute of every type.
  static let types = keyed(
    Mapping("Types", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("boolean", .boolean)
      Attribute("integer", .integer)
      Attribute("number", .number)
      Attribute("string", .string)
      Attribute("iso", .date(.iso8601))
      Attribute("epoch", .date(.epoch))
      Attribute("millis", .date(.epochMilliseconds))
      Attribute("day", .date(.pattern("%Y-%m-%d")))
      Attribute("data", .data)
      Attribute("json", .json)
    })

  /// The types that may be lenient.
  static let lenient = keyed(
    Mapping("Lenient", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("boolean", .boolean).lenient
      Attribute("integer", .integer).lenient
      Attribute("number", .number).lenient
    })

  /// Attributes inside of objects, and names that a path must quote.
  static let paths = keyed(
    Mapping("Paths", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("city", .string, at: "from.address.city")
      Attribute("zip", .integer, at: "from.address.zip")
      Attribute("dotted", .integer, at: JSONKeyPath(components: ["a.b"]))
      Attribute("spaced", .integer, at: JSONKeyPath(components: ["odd name", "x"]))
      Attribute("quotes", .integer, at: JSONKeyPath(components: ["\"q\""]))
      Attribute("backslash", .integer, at: JSONKeyPath(components: ["\\"]))
      Attribute("nameless", .integer, at: "")
      Attribute("nul", .integer, at: JSONKeyPath(components: ["a\0b"]))
      Attribute("newline", .integer, at: JSONKeyPath(components: ["a\nb"]))
      Attribute("accent", .integer, at: "né")
      Attribute("kanji", .integer, at: "名前")
      Attribute("emoji", .integer, at: "👩‍👧")
      Attribute("bracket", .integer, at: JSONKeyPath(components: ["[0]"]))
      Attribute("dollar", .integer, at: "$")
      Attribute("digit", .integer, at: "1st")
      Attribute("mirror", .integer, at: JSONKeyPath(components: ["a\u{202E}b"]))
    })

  /// Relationships to objects with a key, without one, to bare keys, to bare values, and to a part of the owner.
  static let related = keyed(
    Mapping("Order", primaryKey: "id") {
      Attribute("id", .string)
      ToOne("customer", customer)
      ToOne("seller", customer, at: "deal.seller")
      ToMany("lines", line)
      ToMany("tags", tag)
      ToMany("links", link)
      ToOne("main", link, at: "main")
      ToMany("phones", phone)
      ToOne("phone", phone)
      ToOne("depot", depot, at: nil)
      ToOne("next", Mapping("Next") { Attribute("n", .integer) })
      ToMany("weak", tag, weak: true)
    })

  private static let customer = Mapping("Customer", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("home", Mapping("Address") { Attribute("zip", .integer) })
  }
  private static let line = Mapping("Line") {
    Attribute("count", .integer)
    ToOne("product", Mapping("Product", primaryKey: "sku") { Attribute("sku", .string, at: "meta.sku") })
  }
  private static let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .string) }
  private static let link = Mapping("Link", primaryKey: "id") { Attribute("id", .integer, at: nil) }
  private static let phone = Mapping("Phone") { Attribute("digits", .string, at: nil) }
  private static let depot = Mapping("Depot", primaryKey: "id") {
    Attribute("id", .integer, at: "depot_id")
    Attribute("city", .string, at: "depot.city")
  }

  /// Elements of arrays, one and all.
  static let lists = keyed(
    Mapping("Lists", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("second", .integer, at: "row[1].n")
      Attribute("names", .json, at: "tags[].n")
      ToMany("people", tag, at: "staff[].person")
    })

  /// Objects within objects, as deep as one likes.
  static let tree = keyed(node)

  private static let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("n", .integer)
    ToOne("a", node)
    ToMany("b", node)
  }

  /// Objects at a root path.
  static let rooted = ErrorSubject(
    Mapping("Rooted", rootPath: "result.items", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("n", .number)
    }, stored: #"{"result":{"items":{"id":0}}}"#)

  /// Objects at the root, with an integer for a key.
  static let root = ErrorSubject(
    Mapping("Root", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("s", .string)
    }, stored: #"{"id":0}"#)

  /// Objects without a key at the root, which bare values cannot be.
  static let keyless = ErrorSubject(Mapping("Keyless") { Attribute("n", .integer) }, stored: "[]")

  /// Bare keys at the root.
  static let bare = ErrorSubject(
    Mapping("Bare", primaryKey: "id") { Attribute("id", .integer, at: nil) }, stored: "[0]")

  /// Bare values at the root.
  static let values = ErrorSubject(Mapping("Values") { Attribute("n", .number, at: nil) }, stored: "[]")

  /// A key inside of an object, and the whole representation as an attribute.
  static let wrapped = ErrorSubject(
    Mapping("Wrapped", primaryKey: "id") {
      Attribute("id", .string, at: "meta.id")
      Attribute("source", .json, at: nil)
    }, stored: #"{"meta":{"id":"stored"}}"#)

  // MARK: Classes

  static let widths = keyed(Widths.mapping)
  static let typed = keyed(Typed.mapping)
  static let collections = keyed(Collections.mapping)
  static let lenientTyped = keyed(LenientTyped.mapping)
  static let unsignedKey = ErrorSubject(UnsignedKey.mapping, stored: #"{"id":0}"#)
  static let smallKey = ErrorSubject(SmallKey.mapping, stored: #"{"id":0}"#)
}

/// A property of every integer type.
final class Widths {
  var id = ""
  var int: Int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0

  static let mapping = Mapping(Widths.self, "Widths", primaryKey: "id", make: Widths.init) {
    Attribute("id", \.id)
    Attribute("int", \.int)
    Attribute("int8", \.int8)
    Attribute("int16", \.int16)
    Attribute("int32", \.int32)
    Attribute("int64", \.int64)
    Attribute("uint", \.uint)
    Attribute("uint8", \.uint8)
    Attribute("uint16", \.uint16)
    Attribute("uint32", \.uint32)
    Attribute("uint64", \.uint64)
  }
}

enum Sex: String, AttributeValue { case female = "f", male = "m" }
enum Grade: Int8, AttributeValue { case good = 1, bad = 5 }

/// Properties of the other types, optional and not.
final class Typed {
  var id = ""
  var bool = false
  var float: Float = 0
  var double = 0.0
  var string = ""
  var sex = Sex.female
  var grade = Grade.good
  var moment = Instant(seconds: 0)
  var bytes: [UInt8] = []
  var maybeInt8: Int8?
  var maybeString: String?
  var maybeSex: Sex?
  var maybeFloat: Float?

  static let mapping = Mapping(Typed.self, "Typed", primaryKey: "id", make: Typed.init) {
    Attribute("id", \.id)
    Attribute("bool", \.bool)
    Attribute("float", \.float)
    Attribute("double", \.double)
    Attribute("string", \.string)
    Attribute("sex", \.sex)
    Attribute("grade", \.grade)
    Attribute("moment", \.moment)
    Attribute("bytes", \.bytes)
    Attribute("maybeInt8", \.maybeInt8)
    Attribute("maybeString", \.maybeString)
    Attribute("maybeSex", \.maybeSex)
    Attribute("maybeFloat", \.maybeFloat)
  }
}

/// Properties that hold several values.
final class Collections {
  var id = ""
  var strings: [String] = []
  var small: [Int8] = []
  var big: [UInt64] = []
  var floats: [Float] = []
  var gaps: [Int?] = []
  var grid: [[Int]] = []
  var set: Set<Int> = []
  var sexes: [Sex] = []
  var moments: [Instant] = []
  var blobs: [[UInt8]] = []
  var maybe: [Int]?

  static let mapping = Mapping(Collections.self, "Collections", primaryKey: "id", make: Collections.init) {
    Attribute("id", \.id)
    Attribute("strings", \.strings, at: "in.strings")
    Attribute("small", \.small)
    Attribute("big", \.big)
    Attribute("floats", \.floats)
    Attribute("gaps", \.gaps)
    Attribute("grid", \.grid)
    Attribute("set", \.set)
    Attribute("sexes", \.sexes)
    Attribute("moments", \.moments)
    Attribute("blobs", \.blobs)
    Attribute("maybe", \.maybe)
  }
}

/// Properties that also take what is not quite their type.
final class LenientTyped {
  var id = ""
  var bool = false
  var int8: Int8 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double = 0.0
  var grade = Grade.good

  static let mapping = Mapping(LenientTyped.self, "LenientTyped", primaryKey: "id", make: LenientTyped.init) {
    Attribute("id", \.id)
    Attribute("bool", \.bool).lenient
    Attribute("int8", \.int8).lenient
    Attribute("uint64", \.uint64).lenient
    Attribute("float", \.float).lenient
    Attribute("double", \.double).lenient
    Attribute("grade", \.grade).lenient
  }
}

final class UnsignedKey {
  var id: UInt64 = 0
  var part: UnsignedKey?

  static let mapping: Mapping<UnsignedKey> =
    Mapping(UnsignedKey.self, "UnsignedKey", primaryKey: "id", make: UnsignedKey.init) {
      Attribute("id", \.id)
      ToOne("part", \.part, UnsignedKey.mapping)
    }
}

/// A key that null leaves alone.
final class SmallKey {
  var id: Int8 = 0
  var part: SmallKey?
  var whole: Whole?

  static let mapping: Mapping<SmallKey> =
    Mapping(SmallKey.self, "SmallKey", primaryKey: "id", make: SmallKey.init) {
      Attribute("id", \.id)
      ToOne("part", \.part, SmallKey.mapping)
      ToOne("whole", \.whole, Whole.mapping, at: nil)
    }

  final class Whole {
    var id = 0
    static let mapping = Mapping(Whole.self, "Whole", primaryKey: "id", make: Whole.init) {
      Attribute("id", \.id, at: "whole_id")
    }
  }
}
