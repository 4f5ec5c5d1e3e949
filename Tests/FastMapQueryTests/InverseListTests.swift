import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Queries for the objects that one owner refers to, which look at the list of the owner.
@Suite struct InverseListTests {
  private static let parent: Mapping<Record> = Mapping("Parent", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("children", child)
  }

  private static let child: Mapping<Record> = Mapping("Child", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("size", .integer)
    ToOne("parent", inverseOf: "children", of: parent)
    ToMany("parents", inverseOf: "children", of: parent)
    Index("size")
  }

  /// Children of 300 parents: each in the list of its own parent, some in the list of another, too.
  private struct Family {
    let count = 3000
    var lists: [[Int]] = []
    /// The parents of each child, ascending.
    var parents: [[Int]] = []

    init(_ random: inout Random) {
      lists = (0..<300).map { parent in (0..<9).map { parent * 10 + $0 }.reversed() }
      for _ in 0..<400 { lists[random.next(300)].append(random.next(3000)) }
      for parent in lists.indices {
        var met: Set<Int> = []
        lists[parent] = lists[parent].filter { met.insert($0).inserted }
      }
      parents = Array(repeating: [], count: count)
      for parent in lists.indices { for child in lists[parent] { parents[child].append(parent) } }
    }

    func size(_ child: Int) -> Int { child % 7 }

    var json: (parents: String, children: String) {
      let parents = lists.enumerated().map { "{\"id\":\($0),\"children\":\($1)}" }
      let children = (0..<count).map { "{\"id\":\($0),\"size\":\(size($0))}" }
      return ("[\(parents.joined(separator: ","))]", "[\(children.joined(separator: ","))]")
    }
  }

  private static func world(_ kind: StoreKind, _ family: Family) throws -> World {
    let world = try World(kind, child, parent)
    try world.load(family.json.parents, as: "Parent")
    try world.load(family.json.children)
    return world
  }

  @Test(arguments: StoreKind.allCases)
  func theListOfAnOwnerIsLookedAt(_ kind: StoreKind) throws {
    var random = Random(for: "theListOfAnOwnerIsLookedAt")
    let family = Family(&random)
    let world = try Self.world(kind, family)
    try world.store.read(world.plan()) { snapshot in
      for text in [
        "@.parent == 7", "7 == @.parent", "@.parent.id == 7 && @.size >= 0", "@.parents[?@.id == 7]",
        "@.parent == 7 || @.parent.id == 7",
      ] {
        let explanation = try snapshot.explain(world.plan().where(Filter(text)))
        #expect(explanation.lookedAt == family.lists[7].count, "\(text): \(explanation)")
        #expect("\(explanation)".hasPrefix("Child, Parent.children of the key 7: "), "\(explanation)")
      }
      for text in ["@.parent == 7000", "@.parents[?@ == 7000]", "@.parent == 1.5"] {
        let explanation = try snapshot.explain(world.plan().where(Filter(text)))
        #expect(explanation.lookedAt == 0 || text.hasSuffix("1.5"), "\(explanation)")
        #expect(explanation.found == 0, "\(explanation)")
      }
      // More than a fifth of all objects, or objects without a parent.
      for text in ["@.parent == null", "!@.parent", "@.parent != 7", "@.parents[?@.id >= 0]"] {
        let explanation = try snapshot.explain(world.plan().where(Filter(text)))
        #expect(explanation.lookedAt == family.count, "\(explanation)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theAnswersMatchAScan(_ kind: StoreKind) throws {
    var random = Random(for: "theAnswersMatchAScan")
    let family = Family(&random)
    let world = try Self.world(kind, family)
    let parents = family.parents
    for _ in 0..<TestSize.rounds(small: 30, whole: 300) {
      let (one, other) = (random.next(300), random.next(300))
      let filters: [(text: String, test: (Int) -> Bool)] = [
        ("@.parent == \(one)", { parents[$0].first == one }),
        ("@.parent == \(one) && @.size > 2", { parents[$0].first == one && family.size($0) > 2 }),
        ("@.parent == \(one) || @.parent.id == \(other)", { [one, other].contains(parents[$0].first) }),
        ("@.parents[?@ == \(one)]", { parents[$0].contains(one) }),
        (
          "@.parents[?@.id == \(one) || @ == \(other)]", { !Set(parents[$0]).isDisjoint(with: [one, other]) }
        ),
        (
          "@.parent == \(one) && @.parents[?@ == \(other)]",
          { parents[$0].first == one && parents[$0].contains(other) }
        ),
      ]
      let (text, test) = filters[random.next(filters.count)]
      let order = random.next(5)
      let after = random.next(3) == 0 ? random.next(family.count) : nil
      let limit = [1, 3, 1000][random.next(3)]
      func precedes(_ a: Int, _ b: Int) -> Bool {
        switch order {
        case 1: a > b
        case 2: (family.size(a), a) < (family.size(b), b)
        case 3: family.size(a) != family.size(b) ? family.size(a) > family.size(b) : a < b
        default: a < b
        }
      }
      var query = try world.plan().where(Filter(text))
      if let after { query = query.after(key: after) }
      switch order {
      case 1: query = query.sorted(by: "id", descending: true)
      case 2: query = query.sorted(by: "size")
      case 3: query = query.sorted(by: "size", descending: true)
      case 4: query = query.sorted(by: "id")
      default: break
      }
      query = query.limit(limit)
      let all = (0..<family.count).filter { child in test(child) && after.map { precedes($0, child) } ?? true
      }
      let expected = all.sorted(by: precedes).prefix(limit).map { PrimaryKey.integer(Int64($0)) }
      let (keys, count) = try world.store.read(world.plan()) { try ($0.keys(query), $0.count(query)) }
      #expect(keys == expected, "\(text), order \(order), after \(after ?? -1), limit \(limit)")
      #expect(count == expected.count, "\(text)")
    }
  }
}
