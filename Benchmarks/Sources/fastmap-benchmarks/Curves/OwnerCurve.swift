import FastMapCore
import FastMapLMDB

/// Imports of one object that refers to a target with many referrers.
struct OwnerCurve {
  private let owners: Int
  private let store: LMDBStore
  private let plan: Plan

  init(_ owners: Int, _ folder: Folder) throws {
    self.owners = owners
    let target = Mapping("Target", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("target", target, policy: .replace)
      ToMany("targets", target, policy: .replace)
    }
    plan = try Plan(owner)
    store = try LMDBStore(at: folder.newPath("owners"))
    let texts = (1...owners).map { #"{"id":\#($0),"target":1,"targets":[1]}"# }
    _ = try Mapper(store).importJSON(Array("[\(texts.joined(separator: ","))]".utf8), as: plan)
  }

  func measure() throws -> [(String, [Sample])] {
    let more = try (0...Curves.rounds).map { round in
      try run(#"{"id":\#(owners + 1 + round),"target":1,"targets":[1]}"#)
    }
    // Unlinking the target requires a check whether anything else refers to it.
    let fewer = try (0...Curves.rounds).map { round in
      try run(#"{"id":\#(owners / 2 + round + 1),"target":null,"targets":[]}"#)
    }
    let count = try store.read(plan) { try $0.count(of: "Target") }
    try WrongOutcome.check(count == 1, "one target that others have, found \(count)")
    return [("one more of n owners", more), ("one of n owners lets go", fewer)].map {
      ($0, Array($1.dropFirst()))
    }
  }

  private func run(_ text: String) throws -> Sample {
    let (sample, changed) = try Sample.measure {
      let counts = try Mapper(store).importJSON(Array(text.utf8), as: plan)["Owner"]
      return (counts?.inserted ?? 0) + (counts?.updated ?? 0)
    }
    try WrongOutcome.check(changed == 1, "one owner, found \(changed)")
    try Interruption.check()
    return sample
  }
}
