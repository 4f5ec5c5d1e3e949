import FastMapCore
import FastMapLMDB

/// Imports that change one long list. All targets are stored before.
struct ListCurve {
  private let length: Int
  private let store: LMDBStore
  private let plan: Plan

  /// The numbers of targets that merges add, in one import each.
  private static let merged = [1, 10, 100, 1000, 10_000]
  /// Nothing else refers to these targets, so they are deleted when the list drops them.
  private static let firstOwn = 1_000_000_000

  init(_ length: Int, _ folder: Folder) throws {
    self.length = length
    let target = Mapping("Target", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }
    plan = try Plan(
      Mapping("List", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("merged", target, policy: .merge)
        ToMany("assigned", target, policy: .assign)
        ToMany("replaced", target, policy: .replace)
      })
    store = try LMDBStore(at: folder.newPath("lists"))
    let spare = length + (Self.merged.reduce(0, +) + 10) * (Curves.rounds + 1)
    _ = try Mapper(store).importJSON(text(id: 0, "assigned", Array(1...spare)), as: plan)
    for name in ["merged", "assigned"] {
      _ = try Mapper(store).importJSON(text(id: 1, name, Array(1...length)), as: plan)
    }
    _ = try Mapper(store).importJSON(
      text(id: 1, "replaced", (0..<length).map { Self.firstOwn + $0 }), as: plan)
  }

  func measure() throws -> [(String, [Sample])] {
    var next = length
    var found: [(String, [Sample])] = []
    func measure(_ words: String, rounds: Int = Curves.rounds, _ body: (Int) throws -> Sample) throws {
      found.append((words, Array(try (0...rounds).map(body).dropFirst())))
    }
    for count in Self.merged {
      try measure("merge \(Figures.grouped(count)) into n") { _ in
        next += count
        return try run("merged", Array((next - count + 1)...next), isChanged: true)
      }
    }
    try measureWhole("assign", "assigned", Array(1...length), newAfter: length, measure)
    let own = (0..<length).map { Self.firstOwn + $0 }
    try measureWhole("replace", "replaced", own, newAfter: Self.firstOwn + length, measure)
    return found
  }

  /// Imports of a whole list.
  ///
  /// - Parameter last: Later targets were not in the list.
  private func measureWhole(
    _ policy: String, _ name: String, _ targets: [Int], newAfter last: Int,
    _ measure: (String, Int, (Int) throws -> Sample) throws -> Void
  ) throws {
    var list = targets
    try measure("\(policy) n, nothing different", Curves.rounds) { _ in
      try run(name, list, isChanged: false)
    }
    try measure("\(policy) n, one in the middle is another", Curves.rounds) { round in
      list[length / 2] = last + round + 1
      return try run(name, list, isChanged: true)
    }
    try measure("\(policy) n, one more at a third", Curves.rounds) { round in
      list.insert(last + 20 + round, at: length / 3)
      return try run(name, list, isChanged: true)
    }
    try measure("\(policy) n, in reverse", 2) { _ in
      list.reverse()
      return try run(name, list, isChanged: true)
    }
  }

  private func run(_ name: String, _ targets: [Int], isChanged: Bool) throws -> Sample {
    let json = text(id: 1, name, targets)
    let (sample, updated) = try Sample.measure {
      try Mapper(store).importJSON(json, as: plan)["List"]?.updated ?? 0
    }
    try WrongOutcome.check(updated == (isChanged ? 1 : 0), "one list, found \(updated)")
    try Interruption.check()
    return sample
  }

  private func text(id: Int, _ name: String, _ targets: [Int]) -> [UInt8] {
    Array("{\"id\":\(id),\"\(name)\":[\(targets.map(String.init).joined(separator: ","))]}".utf8)
  }
}
