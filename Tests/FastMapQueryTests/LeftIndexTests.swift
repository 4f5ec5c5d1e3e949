import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Queries that begin in the order of an index, and meet an object without a value in a later field of it: they go on by a sort.
@Suite struct LeftIndexTests {
  private struct Items {
    let all: [(id: Int, name: String, level: Int)]
    /// From here on, some objects lack a level, and show the default 2.
    let firstWithout: Int

    /// Three objects for each name, with the levels 1, 3 and 2; the first name lacks some of them.
    init(_ count: Int, without firstWithout: Int, shiftedBy shift: Int = 0) {
      all = (shift..<count + shift).map { place in
        (place - shift + 1, "n\(1000 + place / 3)", [1, 3, 2][place % 3])
      }
      self.firstWithout = firstWithout
    }

    var payload: String {
      let texts = all.map { id, name, level in
        let hasLevel = level != 2 || id < firstWithout
        return #"{"id":\#(id),"name":"\#(name)"\#(hasLevel ? #","level":\#(level)"# : "")}"#
      }
      return "[\(texts.joined(separator: ","))]"
    }

    /// The keys by name, and by level in the other direction.
    func sorted(_ isDescending: Bool) -> [PrimaryKey] {
      all.sorted { left, right in
        if left.name != right.name { return (left.name < right.name) != isDescending }
        return (left.level > right.level) != isDescending
      }.map { PrimaryKey($0.id) }
    }
  }

  private static func query(_ isDescending: Bool) -> Query<Mapping<ShownItem>> {
    ShownItem.mapping(isIndexed: true)
      .sorted(by: "name", descending: isDescending).sorted(by: "level", descending: !isDescending)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aQueryThatLeavesItsIndexGivesEachObjectOnce(_ kind: StoreKind, _ isDescending: Bool) throws {
    let items = Items(1500, without: 1201)
    let store = try kind.make(items.payload, as: ShownItem.records(isIndexed: true))
    let (query, expected) = (Self.query(isDescending), items.sorted(isDescending))
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
              try snapshot.keys(query.after(key: expected[place])) == Array(expected[(place + 1)...]),
              "behind \(place)")
          }
          var paged: [PrimaryKey] = []
          var position: Position?
          repeat {
            let page = try snapshot.page(query.limit(400).after(position))
            if page.elements.isEmpty { break }
            paged += page.elements.map { PrimaryKey($0.id) }
            position = page.position
          } while paged.count <= items.all.count
          #expect(paged == expected)
        }
      }
    }
  }

  /// A page of 64 objects ends at each place of a name, and one of 4096 between the objects with a level and the first without.
  @Test(arguments: StoreKind.allCases, [false, true])
  func itDoesSoWhereverAPageEnds(_ kind: StoreKind, _ isDescending: Bool) throws {
    // The name of the first object without a level has the places 4094, 4095 and, without a level, 4096.
    let items = Items(4500, without: 4095, shiftedBy: 1)
    let store = try kind.make(items.payload, as: ShownItem.records(isIndexed: true))
    let (query, expected) = (Self.query(isDescending), items.sorted(isDescending))
    try store.read { snapshot in
      for way in TestSize.cases([0, nil] as [Int?], small: 1) {
        try ForcedIndex.choosing(way) {
          #expect(try snapshot.keys(query) == expected)
          for place in TestSize.cases([4031, 4030, 4032], small: 1) {
            let found = try snapshot.keys(query.after(key: expected[place]))
            #expect(found == Array(expected[(place + 1)...]), "behind \(place)")
          }
        }
      }
    }
  }
}
