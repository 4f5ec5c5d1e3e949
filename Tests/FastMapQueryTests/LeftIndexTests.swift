import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Queries that begin in the order of an index, and meet an object without a value in a later field of it: they go on by a sort.
@Suite struct LeftIndexTests {
  private static let count = 1500
  /// From here on, some objects lack a level, and show the default 2.
  private static let firstWithout = 1201

  /// Three objects for each name, with the levels 1, 3 and 2.
  private static let items: [(id: Int, name: String, level: Int)] = (0..<count).map { place in
    (place + 1, "n\(1000 + place / 3)", [1, 3, 2][place % 3])
  }

  private static let payload: String = {
    let texts = items.map { id, name, level in
      let hasLevel = level != 2 || id < firstWithout
      return #"{"id":\#(id),"name":"\#(name)"\#(hasLevel ? #","level":\#(level)"# : "")}"#
    }
    return "[\(texts.joined(separator: ","))]"
  }()

  @Test(arguments: StoreKind.allCases, [false, true])
  func aQueryThatLeavesItsIndexGivesEachObjectOnce(_ kind: StoreKind, _ isDescending: Bool) throws {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(Self.payload, as: ShownItem.records(isIndexed: true))
    let query = ShownItem.mapping(isIndexed: true)
      .sorted(by: "name", descending: isDescending).sorted(by: "level", descending: !isDescending)
    let expected = Self.items.sorted { left, right in
      if left.name != right.name { return (left.name < right.name) != isDescending }
      return (left.level > right.level) != isDescending
    }.map { PrimaryKey($0.id) }
    try store.read { snapshot in
      for way in [nil, 0] as [Int?] {
        try ForcedIndex.choosing(way) {
          #expect(try snapshot.keys(query) == expected)
          #expect(try snapshot.objects(query).map { PrimaryKey($0.id) } == expected)
          for limit in [100, 1199, 1203] {
            #expect(try snapshot.keys(query.limit(limit)) == Array(expected.prefix(limit)), "limit \(limit)")
          }
          for place in [700, 1200, 1201] {
            #expect(
              try snapshot.keys(query.after(expected[place])) == Array(expected[(place + 1)...]),
              "behind \(place)")
          }
          var paged: [PrimaryKey] = []
          var position: Position?
          repeat {
            let page = try snapshot.page(query.limit(400).after(position))
            if page.elements.isEmpty { break }
            paged += page.elements.map { PrimaryKey($0.id) }
            position = page.position
          } while paged.count <= Self.count
          #expect(paged == expected)
        }
      }
    }
  }
}
