import FastMapCore
import FastMapLMDB
import Foundation

/// Sizes at and next to every limit.
struct LimitCampaign {
  static let campaign = Campaign(
    name: "limits", title: "sizes at and beyond each limit", cases: .count("cases"),
    rule: "stored exactly, or a typed error and an unchanged store"
  ) { run in
    let campaign = try LimitCampaign(run)
    try campaign.keys()
    try campaign.values()
    try campaign.lists()
    try campaign.depths()
    try campaign.integers()
  }

  private let run: Run
  private let scratch: Scratch

  private init(_ run: Run) throws {
    self.run = run
    scratch = try Scratch(isInMemory: true)
  }

  /// Imports a payload into a new store.
  ///
  /// - Parameter mustFit: Whether the import must succeed; nil if an error is equally correct.
  private func expect(_ what: String, _ payload: [PayloadNode], isText: Bool = false, mustFit: Bool?) throws {
    let done = run.counts.first { $0.what == "cases" }?.count ?? 0
    guard run.goesOn(done, of: done + 1, "cases") else { return }
    run.add(to: "cases")
    scratch.clear(scratch.store)
    var world = World(hasTextKeys: isText)
    let plan = try world.plan(Policies(.assign))
    var model = Model()
    let (answer, ending) = Child.run(seconds: 120) {
      let store = try LMDBStore(at: scratch.store)
      var wasTaken = true
      do {
        _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: plan)
        _ = ModelImport.apply(payload, Policies(.assign), to: &model)
      } catch let error where error is MappingError || error is StoreLimitError || error is JSONSyntaxError {
        wasTaken = false
      }
      if let mustFit, mustFit != wasTaken { return Array(wasTaken ? "was taken".utf8 : "was not taken".utf8) }
      let check = try store.check()
      let difference = try Model(store, plan).difference(from: model)
      if let difference { return Array(difference.prefix(300).utf8) }
      return check.isSound ? [] : Array("\(check.problems.prefix(3))".utf8)
    }
    if ending != .returned || !answer.isEmpty {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }

  private func keys() throws {
    let near =
      Array(stride(from: 470, through: 520, by: run.size.isShort ? 7 : 1)) + [480, 505, 506, 507, 511, 512]
    for length in [0, 1, 2, 255, 256] + near + [600, 2000, 70_000] {
      let key = PrimaryKey.string(String(repeating: "k", count: length))
      let mustFit: Bool? = length == 0 ? nil : length <= 470 ? true : length > 511 ? false : nil
      try expect("a key of \(length) bytes", [PayloadNode(key)], isText: true, mustFit: mustFit)
    }
  }

  private func values() throws {
    var lengths = Array(stride(from: 1900, through: 2100, by: 1)) + [4000, 4056, 4080, 4096, 8192, 1 << 20]
    if run.size.isShort { lengths = lengths.filter { $0 > 2100 || $0 % 32 == 0 } }
    for length in lengths + [64 << 20, 64 << 20 + 1] {
      var node = PayloadNode(1)
      node.name = .given(String(repeating: "v", count: length))
      try expect("a string of \(length) bytes", [node], mustFit: length <= 64 << 20)
    }
  }

  private func lists() throws {
    var lengths = [0, 1, 2, 239, 240, 241, 479, 480, 481, 719, 721, 10_000]
    if !run.size.isShort { lengths += [100_000, 1_000_000] }
    for length in lengths {
      var node = PayloadNode(0)
      node.friends = .given((0..<length).map { .integer(Int64($0)) })
      try expect("\(length) targets", [node], mustFit: true)
      let owners = (0..<length).map { number in
        var owner = PayloadNode(.integer(Int64(number)))
        owner.parent = .given(0)
        return owner
      }
      try expect("\(length) owners of one target", owners, mustFit: true)
    }
  }

  private func depths() throws {
    // Each kid is an object within an array: two levels. The root adds one array, which does not count.
    for kids in [1, 100, 200, 250, 254, 255, 256, 257, 300, 5000] {
      var node = PayloadNode(.integer(Int64(kids)))
      for number in (0..<kids).reversed() {
        var owner = PayloadNode(.integer(Int64(number)))
        owner.kids = .given([node])
        node = owner
      }
      try expect(
        "\(kids) kids within each other", [node], mustFit: kids <= 250 ? true : kids >= 300 ? false : nil)
    }
  }

  private func integers() throws {
    for number in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      var node = PayloadNode(.integer(number))
      node.size = .given(number)
      try expect("the integer \(number)", [node], mustFit: true)
    }
    let plan = try Scenario.plan.get()
    for digits in [
      "9223372036854775808", "-9223372036854775809", "1e400", "1" + String(repeating: "0", count: 400),
    ] {
      run.add(to: "cases")
      scratch.clear(scratch.store)
      let (answer, ending) = Child.run {
        let store = try LMDBStore(at: scratch.store)
        for text in ["[{\"id\":\(digits)}]", "[{\"id\":1,\"size\":\(digits)}]"] {
          do { _ = try Mapper(store).importJSON(Array(text.utf8), as: plan) } catch is MappingError {
            continue
          } catch is JSONSyntaxError { continue }
          return Array("\(text.prefix(60)) was taken".utf8)
        }
        return try Model(store, plan) == Model() ? [] : Array("a changed store".utf8)
      }
      if ending != .returned || !answer.isEmpty {
        run.violation("\(digits.prefix(40)): \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
    }
  }
}
