import FastMapCore
import FastMapLMDB

/// Imports that change one long list. All targets are stored before.
struct ListCurve {
  private let length: Int
  private let store: LMDBStore
  private let plan: Plan

  /// Targets that a merge adds, in one import.
  private static let mergedAtOnce = 10

  init(_ length: Int, _ folder: Folder) throws {
    self.length = length
    let target = Mapping("Target", primaryKey: "id") { Attribute("id", .integer, at: nil) }
    let merging = Mapping("List", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("merged", target, policy: .merge)
      ToMany("assigned", target, policy: .assign)
    }
    plan = try Plan(merging)
    store = try LMDBStore(at: folder.newPath("lists"))
    let spare = length + Self.mergedAtOnce * (Curves.rounds + 1) + 10 * Curves.rounds
    _ = try Mapper(store).importJSON(text(id: 0, "assigned", Array(1...spare)), as: plan)
    for name in ["merged", "assigned"] {
      _ = try Mapper(store).importJSON(text(id: 1, name, Array(1...length)), as: plan)
    }
  }

  func measure() throws -> [(String, [Sample])] {
    var list = Array(1...length)
    var next = length
    let merge = try (0...Curves.rounds).map { _ in
      next += Self.mergedAtOnce
      return try run("merged", Array((next - Self.mergedAtOnce + 1)...next), isChanged: true)
    }
    let same = try (0...Curves.rounds).map { _ in try run("assigned", list, isChanged: false) }
    let replace = try (0...Curves.rounds).map { round in
      list[length / 2] = length + round + 1
      return try run("assigned", list, isChanged: true)
    }
    let insert = try (0...Curves.rounds).map { round in
      list.insert(length + 20 + round, at: length / 3)
      return try run("assigned", list, isChanged: true)
    }
    let reverse = try (0...2).map { _ in
      list.reverse()
      return try run("assigned", list, isChanged: true)
    }
    return [
      ("merge \(Self.mergedAtOnce) into n", merge), ("assign n, nothing different", same),
      ("assign n, one replaced in the middle", replace), ("assign n, one inserted at a third", insert),
      ("assign n, in reverse", reverse),
    ].map { ($0, Array($1.dropFirst())) }
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
