import FastMapCore
import FastMapLMDB
import Foundation

/// Imports payloads with changed bytes.
enum TextCampaign {
  static let campaign = Campaign(
    name: "texts", title: "payloads with random bytes changed", cases: .count("texts"),
    rule: "taken, or a typed error and an unchanged store; never a fault; `check` clean"
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let texts = run.count(short: 50_000, long: 2_000_000)
    var start = 0
    while start < texts, run.goesOn(start, of: texts, "texts") {
      let end = min(texts, start + 512)
      scratch.clear(scratch.store)
      var worker = Worker(seed: run.seed, scratch: scratch)
      Child.judge(start..<end, { worker.verdict($0).rawValue }) { index, byte, ending in
        run.add(to: "texts")
        switch byte.flatMap({ Verdict(rawValue: $0) }) {
        case .taken?: run.add(to: "taken")
        case .syntax?: run.add(to: "refused as no JSON")
        case .mapping?: run.add(to: "refused as not fitting")
        case .other?: run.violation("text \(index): another error")
        case .changed?: run.violation("text \(index): an error, and a changed store")
        case .unsound?: run.violation("text \(index): check finds faults")
        case nil: run.violation("text \(index): \(ending)")
        }
      }
      start = end
    }
  }

  private enum Verdict: UInt8 {
    case taken, syntax, mapping, other, changed, unsound
  }

  /// A child's own store, and its imports.
  private struct Worker {
    let seed: UInt64
    let scratch: Scratch
    var store: LMDBStore?
    var world = World(hasTextKeys: false)

    init(seed: UInt64, scratch: Scratch) {
      self.seed = seed
      self.scratch = scratch
    }

    mutating func verdict(_ number: Int) -> Verdict {
      var random = SeededNumbers(seed: seed, case: number)
      do {
        let store = try self.store ?? LMDBStore(at: scratch.store)
        self.store = store
        let plan = try world.plan(Policies(random.pick(Policy.allCases)))
        let text = Self.text(&random)
        let before = try store.statistics().file?.commitCount
        let verdict: Verdict
        var options = ImportOptions()
        if random.once(in: 6) { options.faults = .skip }
        if random.once(in: 6) { options.format = .ndjson }
        do {
          _ = try Mapper(store).importJSON(text, as: plan, options: options)
          verdict = .taken
        } catch is JSONSyntaxError { verdict = .syntax } catch is MappingError { verdict = .mapping }
        if verdict != .taken, try store.statistics().file?.commitCount != before { return .changed }
        if number % 16 == 0 {
          guard try store.check().isSound else { return .unsound }
          _ = try Model(store, plan)
        }
        return verdict
      } catch { return error is OddStore ? .unsound : .other }
    }

    private static let pieces = [
      "null", "true", "-", "1e999", "18446744073709551616", "-0", "1.5", "\"", "\\u0000", "\\ud800", "{", "}",
      "[", "]",
      ":", ",", "\u{FEFF}", "[[[[[[[[", "{\"id\":", "\"friends\":7", "\"notes\":{}", "\"kids\":[null]",
      "\"id\":\"x\"",
      String(repeating: "9", count: 400), String(repeating: "[", count: 600),
    ].map { Array($0.utf8) }

    private static func text(_ random: inout SeededNumbers) -> [UInt8] {
      var maker = PayloadMaker(SeededNumbers(seed: random.next()), hasTextKeys: false, keyCount: 20)
      var text = Array(PayloadText.json(maker.payload(roots: 1 + random.next(below: 2))).utf8)
      for _ in 0..<random.next(below: 4) {
        guard !text.isEmpty else { break }
        let place = random.next(below: text.count)
        switch random.next(below: 5) {
        case 0: text[place] ^= 1 << UInt8(random.next(below: 8))
        case 1: text[place] = UInt8(random.next(below: 256))
        case 2: text.removeSubrange(place..<min(text.count, place + 1 + random.next(below: 8)))
        case 3: text.insert(contentsOf: random.pick(pieces), at: place)
        default:
          let end = min(text.count, place + random.next(below: 40))
          text.insert(contentsOf: text[place..<end], at: random.next(below: text.count))
        }
      }
      return text
    }
  }
}
