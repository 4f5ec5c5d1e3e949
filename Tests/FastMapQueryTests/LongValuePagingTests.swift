import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Pages of a query whose values are longer than an entry of an index, beside an array of the same objects.
@Suite struct LongValuePagingTests {
  /// One stored object. The values share a prefix of about the length at which an entry is cut.
  private struct Item {
    let id: Int
    let name: String
    let rank: Int

    var json: String { #"{"id":\#(id),"name":"\#(name)","rank":\#(rank)}"# }
  }

  private static let mapping = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("rank", .integer)
    Index("name")
    Index("name", "-rank")
    Index("rank", "name")
  }

  private static func items(_ random: inout Random) -> [Item] {
    let endings = ["", "a", "b", "ba", "\u{10FFFF}", String(repeating: "c", count: 400)]
    return (0..<300).map { id in
      let length = [0, 1, 100, 164, 165, 166, 339, 340, 341, 342, 400][random.next(11)]
      let name = String(repeating: "z", count: length) + endings[random.next(endings.count)]
      return Item(id: id, name: name, rank: random.next(4))
    }
  }

  /// An order, as a query and as a comparison.
  private struct Order {
    let terms: [(path: String, isDescending: Bool)]
    static let all = [
      Order(terms: []), Order(terms: [("name", false)]), Order(terms: [("name", true)]),
      Order(terms: [("name", false), ("rank", true)]), Order(terms: [("name", true), ("rank", false)]),
      Order(terms: [("rank", false), ("name", false)]), Order(terms: [("rank", true), ("name", true)]),
      Order(terms: [("id", true)]),
    ]

    func precedes(_ a: Item, _ b: Item) -> Bool {
      for term in terms {
        let order =
          switch term.path {
          case "name": a.name == b.name ? 0 : a.name.utf8.lexicographicallyPrecedes(b.name.utf8) ? -1 : 1
          case "rank": a.rank - b.rank
          default: a.id - b.id
          }
        if order != 0 { return (order < 0) != term.isDescending }
      }
      return a.id < b.id
    }
  }

  @Test(arguments: StoreKind.allCases)
  func pagesFollowEachOtherThroughCutEntries(_ kind: StoreKind) throws {
    var random = Random(for: "pagesFollowEachOtherThroughCutEntries")
    let items = Self.items(&random)
    let world = try World(kind, Self.mapping)
    try world.load("[\(items.map(\.json).joined(separator: ","))]")
    let plan = try Self.mapping.plan()
    for _ in 0..<TestSize.rounds(small: 40, whole: 120) {
      let name = items[random.next(items.count)].name
      let filters: [(text: String, test: (Item) -> Bool)] = [
        ("@.name == '\(name)'", { $0.name == name }),
        ("@.name >= '\(name)'", { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) }),
        ("@.name < '\(name)'", { $0.name.utf8.lexicographicallyPrecedes(name.utf8) }),
        (
          "@.rank == 2 && @.name >= '\(name)'",
          { $0.rank == 2 && !$0.name.utf8.lexicographicallyPrecedes(name.utf8) }
        ),
        ("@.id >= 0", { _ in true }),
      ]
      let (text, test) = filters[random.next(filters.count)]
      let order = Order.all[random.next(Order.all.count)]
      let after = items[random.next(items.count)]
      let limit = [1, 2, 7, 1000][random.next(4)]
      var query = try plan.where(Filter(text)).after(key: after.id)
      for term in order.terms { query = query.sorted(by: [term.path], descending: term.isDescending) }
      query = query.limit(limit)
      let expected = items.filter { test($0) && order.precedes(after, $0) }.sorted(by: order.precedes).prefix(
        limit)
      let found = try world.store.read { try $0.records(query).map(\.key) }
      #expect(
        found == expected.map { .integer(Int64($0.id)) },
        "\(text.prefix(40))… of \(text.count), by \(order.terms), after \(after.id), limit \(limit)")
    }
  }
}
