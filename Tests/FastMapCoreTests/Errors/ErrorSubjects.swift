import FastMapCore

/// The mappings that the error cases go through.
extension ErrorSubject {
  private static func keyed<Object>(_ mapping: Mapping<Object>) -> ErrorSubject {
    ErrorSubject(mapping, stored: #"{"id":"stored"}"#, neighbours: [#"{"id":"first"}"#, #"{"id":"last"}"#])
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
      ToOne("depot", depot, at: .wholeValue)
      ToOne("next", Mapping("Next") { Attribute("n", .integer) })
      ToMany("weak", tag, isWeak: true)
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
  private static let link = Mapping("Link", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }
  private static let phone = Mapping("Phone") { Attribute("digits", .string, at: .wholeValue) }
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
    Mapping("Bare", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }, stored: "[0]")

  /// Bare values at the root.
  static let values = ErrorSubject(
    Mapping("Values") { Attribute("n", .number, at: .wholeValue) }, stored: "[]")

  /// A key inside of an object, and the whole representation as an attribute.
  static let wrapped = ErrorSubject(
    Mapping("Wrapped", primaryKey: "id") {
      Attribute("id", .string, at: "meta.id")
      Attribute("source", .json, at: .wholeValue)
    }, stored: #"{"meta":{"id":"stored"}}"#)

  // MARK: Classes

  static let widths = keyed(Widths.mapping)
  static let typed = keyed(Typed.mapping)
  static let collections = keyed(Collections.mapping)
  static let lenientTyped = keyed(LenientTyped.mapping)
  static let unsignedKey = ErrorSubject(UnsignedKey.mapping, stored: #"{"id":0}"#)
  static let smallKey = ErrorSubject(SmallKey.mapping, stored: #"{"id":0}"#)
}
