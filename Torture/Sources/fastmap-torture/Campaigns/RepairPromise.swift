import CProcess
import FastMapCore
import FastMapLMDB

/// Repairs three stores with a damaged page, block or bit, or without their end, and checks the promises of docs/RELIABILITY.md.
///
/// Every record of a whole page is copied (`RecordPages`). A store that was changed has older records on free pages; there, only the
/// values are compared.
struct RepairPromise {
  struct Sample {
    let name: String
    let file: [UInt8]
    let model: Model
    /// Whether no page has an older record.
    var isFresh = true
  }

  enum Verdict: UInt8 {
    case whole, part
    /// There was nothing to copy.
    case nothing
    /// A value is older, and the report says so.
    case doubtful
    case refused, unsound
    /// A value is older, or of no commit, without a word.
    case older
    /// More is lost than the damage explains.
    case lost
  }

  let run: Run
  let scratch: Scratch
  let plan: Plan
  let samples: [Sample]

  func keep(bits: Int) {
    for sample in samples {
      let pages = sample.file.count / Damage.page
      judge(sample, pages, "pages") { (.zeroedPage, $0) }
      judge(sample, pages, "cuts") { (.cut, $0 * Damage.page) }
      let blocks = Damage.blocks(of: sample.file)
      judge(sample, blocks.count, "blocks") { (.zeroedBlock, blocks[$0]) }
      judge(sample, bits, "bits") { index in
        (index % 10 == 0 ? .flippedHeaderBit : .flippedBit, Int(truncatingIfNeeded: run.seed) &+ index)
      }
    }
  }

  private func judge(
    _ sample: Sample, _ count: Int, _ what: String, _ damage: @escaping (Int) -> (Damage.Kind, Int)
  ) {
    func make(_ index: Int) -> Damage {
      let (kind, number) = damage(index)
      return Damage(kind, number, of: sample.file, older: [])
    }
    for start in stride(from: 0, to: count, by: 512)
    where run.goesOn(start, of: count, "\(what) of a \(sample.name) store") {
      Child.judge(start..<min(count, start + 512), { repair(make($0), sample).rawValue }) {
        index, byte, ending in
        run.add(to: "\(what) of a \(sample.name) store")
        let verdict = byte.flatMap { Verdict(rawValue: $0) }
        switch verdict {
        case .whole?: run.add(to: "→ repaired: as it was")
        case .part?: run.add(to: "→ repaired: without what was on the page")
        case .nothing?: run.add(to: "→ refused: no record is left")
        case .doubtful?: run.add(to: "→ repaired: with a doubt that the report names")
        default:
          let words = verdict.map { "\($0)" } ?? "\(ending)"
          run.violation("a repair of a \(sample.name) store, \(make(index).words): \(words)")
        }
      }
    }
  }

  private func repair(_ damage: Damage, _ sample: Sample) -> Verdict {
    scratch.clear(scratch.dataFile)
    guard let bytes = damage.bytes, (try? File.write(bytes, to: scratch.dataFile)) != nil else {
      return .refused
    }
    let target = scratch.path + "/repaired"
    scratch.clear(target)
    // A wrong bit leaves a page whole to the eye.
    let isBit = [.flippedBit, .flippedHeaderBit].contains(damage.kind)
    let intact = sample.isFresh && !isBit ? RecordPages.nodes(in: bytes, of: sample.model) : []
    guard let report = try? LMDBStore.repair(from: scratch.store, to: target) else {
      return intact.isEmpty && bytes.count < sample.file.count ? .nothing : .refused
    }
    guard let store = try? LMDBStore(at: target), (try? store.check().isSound) == true,
      let found = try? Model(store, plan, mayHaveOrphans: !report.isComplete)
    else { return .unsound }
    if found == sample.model { return .whole }
    if report.isComplete { return .older }
    let model = sample.model
    let isRight =
      found.nodes.allSatisfy { model.nodes[$0.key]?.values == $0.value.values }
      && found.tags.allSatisfy { model.tags[$0.key] == $0.value }
    if !isRight {
      return report.problems.contains { $0.detail.contains("may be older") } ? .doubtful : .older
    }
    return intact.allSatisfy { found.nodes[$0] != nil } ? .part : .lost
  }
}
