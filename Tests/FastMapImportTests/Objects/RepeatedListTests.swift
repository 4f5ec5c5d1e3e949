import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// An owner that is met again and again costs as much each time, however many elements its list has had.
@Suite struct RepeatedListTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var policy = RelationshipPolicy.assign
    /// The elements that are stored before, for a number of occurrences.
    var stored: @Sendable (Int) -> String = { _ in "" }
    /// The list of one occurrence.
    let list: @Sendable (Int) -> String
    var commitInterval: Int?
    var lines: @Sendable (Int) -> Int = { _ in 1 }
  }

  private static func elements(_ numbers: Range<Int>) -> String {
    numbers.map { "{\"a\":\($0)}" }.joined(separator: ",")
  }

  static let cases = [
    Case(testDescription: "assign", list: { "{\"a\":\($0)}" }),
    Case(testDescription: "replace", policy: .replace, list: { "{\"a\":\($0)}" }),
    Case(testDescription: "assign, in commits", list: { "{\"a\":\($0)}" }, commitInterval: 8),
    Case(
      testDescription: "assign, with lists inside", list: { "{\"head\":{\"n\":\($0)},\"parts\":[{\"n\":1}]}" }
    ),
    Case(testDescription: "assign, in turn", list: { "{\"a\":\($0 / 4 % 2)}" }),
    Case(
      testDescription: "assign, over a long list", stored: { elements(0..<$0) }, list: { "{\"a\":\($0 / 2)}" }
    ),
    Case(
      testDescription: "assign, over a long list, in commits", stored: { elements(0..<$0) },
      list: { "{\"a\":\($0 / 2)}" }, commitInterval: 8),
    Case(testDescription: "merge", policy: .merge, list: { "{\"a\":\($0)}" }, lines: { $0 }),
    Case(
      testDescription: "merge, in commits", policy: .merge, list: { "{\"a\":\($0)}" }, commitInterval: 8,
      lines: { $0 }),
    Case(
      testDescription: "merge of known elements", policy: .merge, stored: { elements(0..<$0) },
      list: { "{\"a\":\($0)}" }, lines: { $0 }),
  ]

  private static func work(_ kind: StoreKind, _ given: Case, _ count: Int) throws -> Int {
    func run(_ base: some Store) throws -> Int {
      let store = WatchedStore(base)
      let plan = try Plan(ElementValueTests.order(given.policy))
      func load(_ lists: [String], _ options: ImportOptions = ImportOptions()) throws {
        let roots = lists.map { "{\"id\":1,\"lines\":[\($0)]}" }
        let json = Array("[\(roots.joined(separator: ","))]".utf8)
        _ = try Mapper(store).importJSON(json, as: plan, options: options)
      }
      try load([given.stored(count)])
      _ = store.takeCalls()
      try load(
        (0..<count).map(given.list), ImportOptions(commitInterval: given.commitInterval, batchSize: 4))
      let work = store.takeCalls().reduce(0) { $0 + $1.count }
      let lines = try store.read(plan) { try $0.count(of: "Line") }
      #expect(lines == given.lines(count))
      return work
    }
    return try run(kind.make())
  }

  @Test(arguments: StoreKind.allCases, cases)
  func theWorkIsLinear(_ kind: StoreKind, _ given: Case) throws {
    let work = try [48, 96, 192].map { try Self.work(kind, given, $0) }
    #expect(work[1] < work[0] * 9 / 4, "\(work)")
    #expect(work[2] < work[1] * 9 / 4, "\(work)")
  }
}
