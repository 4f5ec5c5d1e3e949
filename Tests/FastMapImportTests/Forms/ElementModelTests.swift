import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Random histories of lists without keys, beside a model that knows lists of values and nothing else.
@Suite struct ElementModelTests {
  /// An element. Its parts and its head belong to it.
  private struct Element: Hashable {
    var a: Int?
    var head: Int?
    var parts: [Int] = []
    var tag: Int?

    init(_ random: inout Random) {
      // Few values, so that many elements are equal.
      a = random.next(3) == 0 ? nil : random.next(3)
      head = random.next(4) == 0 ? random.next(2) : nil
      parts = (0..<(random.next(3) == 0 ? random.next(3) : 0)).map { _ in random.next(2) }
      tag = random.next(4) == 0 ? random.next(3) : nil
    }

    /// - Parameter isSparse: Whether members without a value are left out; otherwise they are null.
    func json(isSparse: Bool) -> String {
      var members: [String] = []
      if let a { members.append("\"a\":\(a)") } else if !isSparse { members.append("\"a\":null") }
      if let head {
        members.append("\"head\":{\"n\":\(head)}")
      } else if !isSparse {
        members.append("\"head\":null")
      }
      if !parts.isEmpty || !isSparse {
        members.append("\"parts\":[\(parts.map { "{\"n\":\($0)}" }.joined(separator: ","))]")
      }
      if let tag { members.append("\"tag\":{\"id\":\(tag)}") }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static func count(_ elements: [Element], less others: [Element]) -> Int {
    var left: [Element: Int] = [:]
    for element in others { left[element, default: 0] += 1 }
    return elements.count { element in
      guard let count = left[element], count > 0 else { return true }
      left[element] = count - 1
      return false
    }
  }

  @Test(arguments: StoreKind.allCases, [RelationshipPolicy.assign, .merge, .replace])
  func listsMatchTheModel(_ kind: StoreKind, _ policy: RelationshipPolicy) throws {
    var random = Random(for: "ElementModelTests")
    for _ in 0..<TestSize.rounds(small: 1, whole: 2) {
      let world = try World(kind, ElementValueTests.order(policy))
      var lists: [Int: [Element]] = [:]
      for step in 0..<TestSize.rounds(small: 12, whole: 40) {
        let before = lists
        var roots: [String] = []
        for _ in 0..<(1 + random.next(6)) {
          let id = random.next(4)
          var list = (0..<random.next(5)).map { _ in Element(&random) }
          if random.next(3) == 0 {
            list = (lists[id] ?? []).filter { _ in random.next(5) > 0 }.shuffled(using: &random)
          }
          let isSparse = random.next(2) == 0
          roots.append(
            #"{"id":\#(id),"lines":[\#(list.map { $0.json(isSparse: isSparse) }.joined(separator: ","))]}"#)
          if case .merge = policy {
            for element in list where !lists[id, default: []].contains(element) {
              lists[id, default: []].append(element)
            }
            lists[id, default: []] += []
          } else {
            lists[id] = list
          }
        }
        let options = ImportOptions(isDryRun: random.next(6) == 0, batchSize: [1, 3, 4096][random.next(3)])
        let report = try world.report("[\(roots.joined(separator: ","))]", options: options)
        let ids = Set(before.keys).union(lists.keys)
        let inserted = ids.reduce(0) { $0 + Self.count(lists[$1] ?? [], less: before[$1] ?? []) }
        let deleted = ids.reduce(0) { $0 + Self.count(before[$1] ?? [], less: lists[$1] ?? []) }
        let counts = report.entities.first { $0.entity == "Line" }?.counts
        #expect(counts?.inserted ?? 0 == inserted, "step \(step)")
        #expect(counts?.deleted ?? 0 == deleted, "step \(step)")
        #expect(counts?.updated ?? 0 == 0)
        if options.isDryRun { lists = before }
        let expected = lists.sorted { $0.key < $1.key }.map { id, list in
          let lines = list.map { $0.json(isSparse: true) }.joined(separator: ",")
          return list.isEmpty ? #"{"id":\#(id)}"# : #"{"id":\#(id),"lines":[\#(lines)]}"#
        }
        try #expect(world.export() == "[\(expected.joined(separator: ","))]", "step \(step)")
      }
    }
  }
}
