// Made by `fastmap swift` from a mapping file.
// swift-format-ignore-file

import FastMapCore

final class Customer {
  var id = 0
  var userName: String?
  var email: String?
  var city: String?
  var isActive: Bool? = true
  var role: String?
  var score: Double? = 5.0
  var born: Timestamp? = Timestamp(seconds: 946684800)
  var seen: Timestamp?
  var updatedAt: Timestamp?
  var extra: JSONText? = JSONText(#"{"a":[1,null]}"#)
  var avatar: [UInt8]? = [1, 2, 3]
  var tags: JSONText?
  var latitude: Double?
  var orders: [Order] = []
  var friends: [Customer] = []
  var boss: Customer?
  var account: Account?
  var plugins: [Plugin] = []
  var notes: [Note] = []
  var wish: Product?

  static let mapping: Mapping<Customer> = Mapping(
    Customer.self, "Customer", rootPath: "data.customers", primaryKey: "id", newerBy: "updated_at",
    make: Customer.init
  ) {
    Attribute("id", \.id)
    Attribute("user_name", \.userName)
    Attribute("email", \.email, at: #"contact.e\.mail"#).lenient
    Attribute("city", \.city, at: "address.city")
    Attribute("is_active", \.isActive)
    Attribute("role", \.role).default(#"gu"est"#)
    Attribute("score", \.score)
    Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))
    Attribute("seen", \.seen, as: .date([.iso8601, .epoch]))
    Attribute("updated_at", \.updatedAt, as: .date(.epochMilliseconds))
    Attribute("extra", \.extra)
    Attribute("avatar", \.avatar)
    Attribute("tags", \.tags, at: "labels[].name")
    Attribute("latitude", \.latitude, at: "position[0]")
    ToMany("orders", \.orders, Order.mapping, policy: .replace)
    ToMany("friends", \.friends, Customer.refMapping, policy: .merge)
    ToOne("boss", \.boss, Customer.refMapping, at: "boss_id", isWeak: true)
    ToOne("account", \.account, Account.mapping, at: .wholeValue)
    ToMany("plugins", \.plugins, Plugin.mapping, keyedBy: "name")
    ToMany("notes", \.notes, Note.mapping).lenient
    ToOne("wish", \.wish, Product.mapping).lenient
    Index("city", "-born")
    Index("email", isUnique: true)
  }

  static let refMapping: Mapping<Customer> = Mapping(
    Customer.self, "CustomerRef", entity: "Customer", primaryKey: "id", make: Customer.init
  ) {
    Attribute("id", \.id, at: .wholeValue)
  }

  static let cardMapping: Mapping<Customer> = Mapping(
    Customer.self, "CustomerCard", entity: "Customer", rootPath: "cards", primaryKey: "id",
    missingPrimaryKey: .skip, make: Customer.init
  ) {
    Attribute("id", \.id)
    Attribute("user_name", \.userName, at: "title")
    Attribute("role", \.role)
  }.lenient
}

final class Order {
  var number = ""
  var placed: Timestamp?
  var total: DecimalNumber?
  var tags: [String]? = ["new", #"a"b"#]
  var counts: [Int?]?
  var rates: [Double]?
  var prices: [DecimalNumber]?
  var flags: [Bool]?
  var days: [Timestamp]?
  var moments: JSONText?
  var blobs: [[UInt8]]?
  var lines: [Line] = []
  var customers: [Customer] = []
  weak var firstCustomer: Customer?

  static let mapping: Mapping<Order> = Mapping(Order.self, "Order", primaryKey: "number", make: Order.init) {
    Attribute("number", \.number)
    Attribute("placed", \.placed)
    Attribute("total", \.total)
    Attribute("tags", \.tags)
    Attribute("counts", \.counts, at: "stock[].count")
    Attribute("rates", \.rates).lenient
    Attribute("prices", \.prices)
    Attribute("flags", \.flags)
    Attribute("days", \.days)
    Attribute("moments", \.moments, as: .list(.date(.epoch)))
    Attribute("blobs", \.blobs)
    ToMany("lines", \.lines, Line.mapping)
    ToMany("customers", \.customers, inverseOf: \.orders, of: Customer.mapping)
    ToOne("first_customer", \.firstCustomer, inverseOf: \.orders, of: Customer.mapping)
  }
}

final class Line {
  var position: Int?
  var quantity: Int?
  var product: Product?

  static let mapping: Mapping<Line> = Mapping(
    Line.self, "Line", primaryKey: .scoped("position"), make: Line.init
  ) {
    Attribute("position", \.position)
    Attribute("quantity", \.quantity)
    ToOne("product", \.product, Product.mapping)
  }
}

final class Product {
  var sku = ""
  var name: String?
  var price: Double?

  static let mapping: Mapping<Product> = Mapping(
    Product.self, "Product", primaryKey: "sku", make: Product.init
  ) {
    Attribute("sku", \.sku)
    Attribute("name", \.name)
    Attribute("price", \.price)
  }.lenient
}

final class Stock {
  var place: String?
  var count: Int?
  var product: Product?

  static let mapping: Mapping<Stock> = Mapping(
    Stock.self, "Stock", rootPath: "stock[].items", primaryKey: ["product", "place"], make: Stock.init
  ) {
    Attribute("place", \.place)
    Attribute("count", \.count)
    ToOne("product", \.product, Product.mapping)
  }
}

final class Account {
  var account = ""

  static let mapping: Mapping<Account> = Mapping(
    Account.self, "Account", primaryKey: "account", make: Account.init
  ) {
    Attribute("account", \.account)
  }
}

final class Plugin {
  var name = ""
  var version: String?

  static let mapping: Mapping<Plugin> = Mapping(
    Plugin.self, "Plugin", rootPath: "plugins", primaryKey: "name", keyedBy: "name", make: Plugin.init
  ) {
    Attribute("name", \.name)
    Attribute("version", \.version)
  }
}

final class Note {
  var id: Int?
  var text: String?
  var other: JSONText?

  static let mapping: Mapping<Note> = Mapping(
    Note.self, "Note", primaryKey: "id", missingPrimaryKey: .owned, make: Note.init
  ) {
    Attribute("id", \.id)
    Attribute("text", \.text)
    Attribute.rest("other", \.other)
  }

  static let bodyMapping: Mapping<Note> = Mapping(
    Note.self, "NoteBody", entity: "Note", rootPath: "bodies", primaryKey: "id", make: Note.init
  ) {
    Attribute("id", \.id)
    Attribute("text", \.text, at: "body.text")
    Attribute.rest("other", \.other)
  }.lenient
}

final class Flight {
  var icao = ""
  var call: String?
  var speed: Double?

  static let mapping: Mapping<Flight> = Mapping(
    Flight.self, "Flight", rootPath: "states", primaryKey: "icao", make: Flight.init
  ) {
    Attribute("icao", \.icao, at: "[0]")
    Attribute("call", \.call, at: "[1]")
    Attribute("speed", \.speed, at: "[2]")
  }
}

/// All mappings, for plans that know the others: `allMappings.plan(for: "Customer")`.
let allMappings = MappingSet([
  Customer.mapping.definition,
  Customer.refMapping.definition,
  Customer.cardMapping.definition,
  Order.mapping.definition,
  Line.mapping.definition,
  Product.mapping.definition,
  Stock.mapping.definition,
  Account.mapping.definition,
  Plugin.mapping.definition,
  Note.mapping.definition,
  Note.bodyMapping.definition,
  Flight.mapping.definition,
])

/// Any JSON value, as its text.
struct JSONText: AttributeValue, Hashable, Sendable {
  var text: String

  init(_ text: String) { self.text = text }

  static var attributeType: AttributeType { .json }

  init?(_ field: Field) {
    guard let bytes = field.bytes else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  func write(to field: inout FieldWriter) {
    var text = text
    text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
  }
}
