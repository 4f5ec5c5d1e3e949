import FastMapCore
import TestSupport
import Testing

/// A path may lead to one value in many ways, and each way counts. Many steps with two ways each are 2^n ways.
@Suite struct RepeatedSelectorTests {
  private static let steps = 70
  private static let most = Int64.max

  private func path(_ start: String, _ step: String, _ count: Int = steps) -> String {
    start + String(repeating: step, count: count)
  }

  private func check(_ world: World, _ mapping: Mapping<Record>, _ cases: [(text: String, keys: [Int])])
    throws
  {
    for (text, keys) in cases {
      let found = try world.store.read(mapping) { try $0.keys(mapping.where(Filter(text))) }
      #expect(found == keys.map { PrimaryKey($0) }, "\(text.prefix(30)) … \(text.suffix(40))")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func moreObjectsThanAnIntegerCountsAreTheLargestInteger(_ kind: StoreKind) throws {
    let world = try World(kind, QueryTests.node)
    // 1 leads to itself, 2 to 1 and 3, which leads nowhere.
    try world.load(
      #"[{"id": 1, "name": "a", "next": [1]}, {"id": 2, "next": [3, 1]}, {"id": 3, "next": []}]"#)
    // A filter may follow 64 relationships to many objects, one inside the other.
    let twice = path("@", ".next[0,0]", 63)
    let all = path("@", ".next[*,*,0]", 62)
    try check(
      world, QueryTests.node,
      [
        (twice, [1]), ("!\(twice)", [2, 3]), ("count(\(twice)) == \(Self.most)", [1]),
        ("value(\(twice)) == 1", []), ("value(\(twice).name) == 'a'", []),
        ("count(\(all)) == \(Self.most)", [1, 2]), ("count(\(all)) < 0", []), (all, [1, 2]),
        ("value(\(all)) == 1", []), ("@.next[?count(\(all)) > 5]", [1, 2]),
        ("count(\(path("@", ".next[0,0]", 62))) == \(1 << 62)", [1]),
      ])
  }

  static let note: Mapping<Record> = Mapping("Note", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("j", .json)
  }

  /// Each value is visited once for each step: 2^70 visits would never end.
  @Test(arguments: StoreKind.allCases)
  func aValueInsideJSONIsVisitedOnceAndCountedInEachWay(_ kind: StoreKind) throws {
    let world = try World(kind, Self.note)
    func nested(_ open: String, _ close: String) -> String {
      String(repeating: open, count: 80) + "1" + String(repeating: close, count: 80)
    }
    try world.load(
      #"[{"id": 1, "j": \#(nested("[", "]"))}, {"id": 2, "j": \#(nested(#"{"a":"#, "}"))}, {"id": 3, "j": [[1, 2], [3]]}, "#
        + #"{"id": 4}]"#)
    let twice = path("@.j", "[0,0]")
    let first = path("@.j", "[0,-1,*,0:1,::-1]")
    let named = path("@.j", "['a','a']")
    let filtered = path("@.j", "[?@[0],?count(@[0,0][0,0]) > 3,0]")
    let inner = path("@", "[0,0]")
    try check(
      world, Self.note,
      [
        (twice, [1]), ("!\(twice)", [2, 3, 4]), ("count(\(twice)) == \(Self.most)", [1]),
        ("value(\(twice)[0]) == 1", []), ("value(\(path("@.j", "[0]", 80))) == 1", [1]),
        ("count(\(path("@.j", "[0,0]", 62))) == \(1 << 62)", [1]),
        ("count(\(path("@.j", "[0,0]", 63))) == \(Self.most)", [1]),
        ("count(\(first)) == \(Self.most)", [1]), (first, [1, 2]),
        ("count(\(named)) == \(Self.most)", [2]), (named, [2]),
        ("count(\(filtered)) == \(Self.most)", [1]),
        ("@.j[?\(inner)]", [1]), ("@.j[?count(\(inner)) == \(Self.most)]", [1]),
        ("@.j[?value(\(inner)) == 1]", []), ("count(@.j[?\(inner), ?!\(inner), 0]) == 2", [1]),
        ("count(@.j[?\(inner), ?!\(inner), 0]) == 3", [3]),
        // Each way to each value.
        ("count(@.j[0,0][0,1]) == 4", [3]), ("count(@.j[*,0][*]) == 5", [3]),
        ("count(@.j[0,*][*,-1,5]) == 8", [3]), ("count(@.j[::-1,0][?@ > 1,0]) == 6", [3]),
        ("value(@.j[1,5][0]) == 3", [3]), ("value(@.j[1,1][0]) == 3", []),
        ("value(@.j[*][1]) == 2", [3]), ("value(@.j[0,1][1,7]) == 2", [3]), ("value(@.j[*][0]) == 1", []),
      ])
  }
}
