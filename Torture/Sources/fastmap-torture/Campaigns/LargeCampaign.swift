import FastMapCore
import FastMapLMDB
import Foundation

/// Transactions that change more pages than LMDB's page list can hold: 131 071, or 512 MiB. LMDB then writes some
/// pages before the commit, and reads them back if they are changed again.
struct LargeCampaign {
  static let campaign = Campaign(
    name: "large", title: "transactions of more than 512 MiB of pages",
    cases: .count("objects inserted in one transaction, in random order", as: "objects"),
    rule: "done, or a typed error and an unchanged store; every object as it was written; `check` clean"
  ) { run in
    // Two records fill a page.
    let count = run.count(short: 1 << 14, long: 1 << 19)
    let campaign = LargeCampaign(run: run, scratch: try Scratch(), count: count)
    try campaign.all()
  }

  let run: Run
  let scratch: Scratch
  let count: Int

  private static func plan(_ step: Step) throws -> Plan {
    try Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("version", [.convert, .delete].contains(step) ? .decimal : .integer)
      Attribute("text", .string)
      ToOne(
        "next",
        Mapping("Next", entity: "Item", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) })
    }.plan()
  }

  private enum Step: String, CaseIterable {
    case insert = "inserted in one transaction, in random order"
    case update = "updated in one transaction, in random order"
    case undo = "updated in one transaction that was rolled back"
    case convert = "converted to another type in one transaction"
    case delete = "deleted in one transaction"
  }

  private func all() throws {
    for (index, step) in Step.allCases.enumerated()
    where run.goesOn(index, of: Step.allCases.count, "transactions") {
      let before = pages()
      let (answer, ending) = Child.run(seconds: 900) { try play(step) }
      let words = String(decoding: answer, as: UTF8.self)
      guard ending == .returned, let memory = Int(words) else {
        return run.violation("\(count) objects \(step.rawValue): \(ending) \(words)")
      }
      run.add(count, to: "objects \(step.rawValue)")
      run.add(max(0, pages() - before), to: "pages that the file grew by for that (\(step))")
      run.add(memory, to: "MiB of memory at most, mapped pages among it (\(step))")
    }
  }

  private func pages() -> Int {
    var status = stat()
    return stat(scratch.dataFile, &status) == 0 ? Int(status.st_size) / 4096 : 0
  }

  /// - Returns: The peak memory in MiB, as text.
  private func play(_ step: Step) throws -> [UInt8] {
    let store = try LMDBStore(at: scratch.store)
    let plan = try Self.plan(step)
    switch step {
    case .insert: try take(version: 1, store, plan)
    case .update: try take(version: 2, store, plan)
    case .undo: try take(version: 3, store, plan) { $0.isDryRun = true }
    case .convert: _ = try Mapper(store).importJSON("[]", as: plan)
    case .delete:
      try store.write(plan.schema) { writer in
        var ids: [ObjectID] = []
        try writer.reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, _ in
          ids.append(id)
          return true
        }
        return .commit(try writer.delete(ids.sorted(), of: 0))
      }
    }
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    try compare(store, plan, step)
    let report = try store.check()
    guard report.isSound else {
      throw OddStore(description: "check: \(report.problems.prefix(3).map(\.description))")
    }
    return Array(String(usage.ru_maxrss >> 10).utf8)
  }

  private func take(
    version: Int, _ store: LMDBStore, _ plan: Plan, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw OddStore(description: "no pipe") }
    defer { close(ends[0]) }
    let (count, target, factor) = (count, ends[1], Int(run.seed % 1_000_003) * 2 + 1)
    let thread = Thread {
      var text = ""
      for number in 0..<count {
        // An odd factor reaches each number below a power of two exactly once.
        let id = number &* (factor + 2 * version) & (count - 1)
        text +=
          #"{"id":\#(id),"version":\#(version),"text":"\#(Self.text(id, version))","next":\#((id + version) % count)}"#
        text += "\n"
        if text.utf8.count > 1 << 16 || number == count - 1 {
          Child.write(Array(text.utf8), to: target)
          text = ""
        }
      }
      close(target)
    }
    thread.start()
    var options = ImportOptions()
    options.format = .ndjson
    change(&options)
    let report = try Mapper(store).importJSON(.descriptor(ends[0]), as: plan, options: options)
    let counts = report["Item"] ?? .init()
    guard counts.inserted + counts.updated == count else {
      throw OddStore(description: "the report says \(counts)")
    }
  }

  /// 1800 bytes: two records and their keys fill a page.
  private static func text(_ id: Int, _ version: Int) -> String {
    let word = "\(id)-\(version) "
    return String(String(repeating: word, count: 1800 / word.utf8.count + 1).prefix(1800))
  }

  private func compare(_ store: LMDBStore, _ plan: Plan, _ step: Step) throws {
    let version = step == .insert ? 1 : 2
    let names = plan.schema.entities[0].fields.map(\.name)
    func field(_ name: String) -> Int { names.firstIndex(of: name) ?? names.count }
    var seen = 0
    try store.read(plan.schema) { reader in
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { reader, id, key in
        guard case .integer(let number)? = key, number == seen else {
          throw OddStore(description: "the key \(key.map { "\($0)" } ?? "nil") in the place of \(seen)")
        }
        let next = try reader.find(.integer(Int64((seen + version) % count)), of: 0)
        let isRight = try reader.withRow(id, of: 0) { row in
          row[field("version")].value?.inModel == .integer(Int64(version))
            && row[field("text")].string == Self.text(seen, version)
            && row[field("next")].target == next
        }
        guard isRight == true else { throw OddStore(description: "object \(seen) is not as it was written") }
        seen += 1
        return true
      }
    }
    let expected = step == .delete ? 0 : count
    guard seen == expected else { throw OddStore(description: "\(seen) objects in place of \(expected)") }
  }
}
