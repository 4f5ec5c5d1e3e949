import FastMapCore

/// A shop, whose types have most of what a `Codable` type can have.
struct Customer: Codable, Identifiable, Equatable, Sendable {
  var id: Int
  var name: String
  var email: String?
  var level: Level
  var address: Address?
  var orders: [Order]
  var tags: [String]
  var scores: [String: Int]
  var friends: [Customer]?

  static let mapping = Mapping(Customer.self)

  enum CodingKeys: String, CodingKey {
    case id, name, level, address, orders, tags, scores, friends
    case email = "user_email"
  }
}

enum Level: String, Codable, AttributeValue, Sendable { case basic, gold }

struct Address: Codable, Equatable, Sendable {
  var city: String
  var zip: String?
  var position: Position?

  struct Position: Codable, Equatable, Sendable { var x: Double, y: Double }
}

struct Order: Codable, Identifiable, Equatable, Sendable {
  var id: String
  var total: Double
  var isPaid: Bool
  var items: [Item]
  var state: State
  var event: Event?

  /// A nested type without a key belongs to its order.
  struct Item: Codable, Equatable, Sendable {
    var name: String
    var count: Int8
    var sizes: [UInt16]?
  }

  enum State: Int, Codable, Equatable, Sendable { case open = 1, sent, closed }

  /// Kept as JSON.
  enum Event: Codable, Equatable, Sendable {
    case sent(to: String, days: Int)
    case lost
  }
}

/// Refers to itself in three ways.
final class Node: Codable, Identifiable {
  var id: Int
  var parent: Node?
  var children: [Node]

  init(id: Int, parent: Node? = nil, children: [Node] = []) {
    (self.id, self.parent, self.children) = (id, parent, children)
  }

  static let mapping = Mapping(Node.self)
}

extension Customer {
  /// A customer with some of everything, by its number.
  static func sample(_ number: Int) -> Customer {
    let items = (0..<number % 3).map {
      Order.Item(name: "item \($0)", count: Int8($0), sizes: $0 == 1 ? [1, 65_535] : nil)
    }
    let orders = (0..<number % 4).map { place in
      Order(
        id: "\(number)-\(place)", total: Double(number) / 8 + 0.1, isPaid: place == 1, items: items,
        state: place == 0 ? .open : .closed,
        event: place == 2 ? .sent(to: "Ünna", days: number) : place == 1 ? .lost : nil)
    }
    return Customer(
      id: number, name: "Customer \(number) 🙂", email: number % 2 == 0 ? nil : "c\(number)@example.org",
      level: number % 5 == 0 ? .gold : .basic,
      address: number % 3 == 0
        ? nil
        : Address(
          city: "City \(number % 7)", zip: nil, position: number % 2 == 0 ? .init(x: -0.5, y: 1e300) : nil),
      orders: orders, tags: number % 2 == 0 ? [] : ["a\"b", "c"], scores: ["b": number, "a": -1],
      friends: number % 10 == 9 ? [.plain(number - 1), .plain(number - 2)] : nil)
  }

  /// A customer who is named by another one before its own turn: with all values that `sample` gives it.
  private static func plain(_ number: Int) -> Customer {
    var customer = sample(number)
    customer.friends = nil
    return customer
  }
}
