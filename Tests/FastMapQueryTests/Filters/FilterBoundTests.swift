import FastMapCore
import FastMapModels
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// Filters have a greatest depth and a greatest size, and filters within these limits need little stack.
@Suite struct FilterBoundTests {
  private static func nested(_ opening: String, _ core: String, _ closing: String, _ count: Int) -> String {
    String(repeating: opening, count: count) + core + String(repeating: closing, count: count)
  }

  @Test(arguments: [
    ("(", "@.a == 1", ")"), ("@[?", "@.a == 1", "]"), ("!@[?", "@.a == 1", "]"), ("length(", "@.a", ")"),
    ("@[?match(@.a, 'x') && @[1, ?", "@.a == 1", "]]"),
    ("@.b && (@.a || (", "@.a == 1 || @.b", "))"), ("!(@.b && ", "@.a == 1", ")"),
    ("count(@[?", "@.a", "]) == 1"), ("@.a == length(value(@[?", "@.a", "]))"),
  ])
  func theDeepestTextIsReadWithLittleStack(_ opening: String, _ core: String, _ closing: String) throws {
    let suffix = opening == "length(" ? " == 1" : ""
    let (deepest, faults) = try onSmallStack { () throws -> (Int, Int) in
      var (deepest, faults) = (0, 0)
      for count in 1...(Filter.deepest + 1) {
        do {
          let filter = try Filter(Self.nested(opening, core, closing, count) + suffix)
          #expect(try Filter(filter.description) == filter)
          deepest = max(deepest, filter.depth, count)
        } catch {
          faults += 1
          #expect("\(error)".contains(Filter.tooDeep))
        }
      }
      return (deepest, faults)
    }
    #expect(deepest > Filter.deepest / 4 && deepest <= Filter.deepest)
    #expect(faults > 0)
  }

  @Test func theDeepestFilterAndPatternNeedLittleStack() throws {
    try onSmallStack {
      try FilterTextTests().theDeepestFilterIsRead()
      try TextPatternTests().sizeAndNestingHaveBounds()
      var filter = Filter { $0["a"] == 1 }
      while filter.depth < Filter.deepest {
        let inner = filter
        filter = Filter { $0["a"].contains { _ in inner } }
        filter = filter.depth < Filter.deepest ? !filter : filter
      }
      #expect(filter.hashValue == filter.hashValue)
    }
  }

  /// Binding, the program and its run.
  @Test(arguments: [StoreKind.memory, .lmdb])
  func theDeepestFilterRunsWithLittleStack(_ kind: StoreKind) throws {
    try onSmallStack {
      let world = try World(kind, Model.person)
      let deep = Self.nested("[", "1", "]", Filter.deepest - 1)
      try world.load(
        "[{\"id\":1,\"name\":\"a\",\"boss\":{\"id\":1},\"friends\":[{\"id\":1}],\"extra\":\(deep)}]")
      let count = Filter.deepest - 1
      for text in [
        Self.nested("@.friends[?", "@.name == 'a'", "]", count),
        Self.nested("@.boss.friends[0, ?", "@.name == 'a'", "]", count),
        Self.nested("!@.friends[?", "@.id == 2", "]", 31),
        "@" + String(repeating: ".friends[*]", count: Filter.deepest) + ".name",
        "count(@" + String(repeating: ".friends[0]", count: Filter.deepest) + ".name) == 1",
        "value(@" + String(repeating: ".friends[*]", count: Filter.deepest) + ".name) == 'a'",
        Self.nested("value(@.friends[?", "@.id == 1", "]) == @.id", count / 2),
        Self.nested("count(@.friends[?", "@.name == 'a'", "]) == 1", count / 2),
        Self.nested("(@.id == 2 || @.id == 1 && ", "@.name == 'a'", ")", count / 2),
        "@.extra[?" + Self.nested("@[?", "@[0] == 1", "]", count - 2) + "]",
        "@.extra[?count(@" + Self.nested("[?count(@", "[0]", ") == 1]", count / 2 - 2) + ") == 1]",
      ] {
        let found = try world.store.read { try $0.count(Model.person.where(Filter(text))) }
        #expect(found == 1, "\(text)")
      }
    }
  }

  /// The object of a closure, kept beyond its end.
  @Test func aPathThatOutlivesItsClosureIsAFault() throws {
    var leaked = FilterNode(path: FilterPath())
    _ = Filter {
      leaked = $0
      return $0["name"] == "a"
    }
    for filter in [leaked["name"] == "a", leaked["extra"].contains { _ in leaked["a"] == 1 }] {
      let error = #expect(throws: FilterError.self) { try filter.bound(to: Model.person.plan()) }
      #expect(error?.description.contains("closure") == true, "\(String(describing: error))")
    }
  }

  @Test func anOrderOfManyFieldsIsRefused() throws {
    let plan = try Mapping("A") { Attribute("a", .string) }.plan()
    func query(_ count: Int) -> Query<Plan> {
      (0..<count).reduce(plan.query) { query, _ in query.sorted(by: "a") }
    }
    try query(64).check(of: plan)
    #expect(message { try query(65).check(of: plan) } == "expected at most 64 fields to sort by, found 65")
  }

  /// A filter inside of itself twice over, again and again, is large although few filters were made.
  @Test func aLargeFilterIsRefused() {
    var filter = Filter { $0["a"] == 1 }
    for _ in 0..<30 {
      filter = !(filter && filter)
      #expect(filter.size <= Filter.largest)
    }
    #expect(filter.description.contains("…"))
  }

  @Test func theSizeOfAFilterCountsItsParts() throws {
    #expect(try Filter("@.a").size == 3)
    #expect(try Filter("@.a == 1").size == 4)
    #expect(try Filter("@.a == 1 && @.b.c[0, ?@.d]").size == 14)
    #expect(Filter { $0["a"].isIn([1, 2, 3]) }.size == 6)
    #expect(Filter { $0["a"].isIn([1, 2, 3]) }.depth == 2)
    #expect(Filter { $0["a"].isIn([1]) }.depth == 1)
  }

  @Test func tooManyValuesAreRefused() {
    let values = Array(0..<Filter.largest)
    #expect(Filter { $0["a"].isIn(values) }.tree == .refused(Filter.tooLarge))
    let count = TestSize.count(small: Filter.largest / 4, whole: Filter.largest - 10)
    #expect(Filter { $0["a"].isIn(Array(values[..<count])) }.size > count)
  }

  @Test(arguments: TestSize.cases([" && ", " || ", ", ?"], small: 1))
  func aTextThatIsTooLargeIsAFault(_ separator: String) throws {
    let joined = Array(repeating: "@.a", count: Filter.largest / 3 + 1).joined(separator: separator)
    let text = separator.hasPrefix(",") ? "@[?" + joined + "]" : joined
    let error = #expect(throws: FilterError.self) { try Filter(text) }
    #expect(error?.faults.first?.reason == Filter.tooLarge)
  }
}
