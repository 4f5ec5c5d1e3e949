import FastMapCore
import FastMapLMDB
import Foundation

/// T7 and T8: every file that a power cut may leave of a commit is made, and opened.
struct CrashStateCampaign {
  static let campaign = Campaign(
    name: "power", title: "T7, T8 data files as a power cut leaves them",
    rule:
      "opens as the commit before or after, exactly; what was acknowledged is there; headers torn in their first bytes too",
    needsShim: true
  ) { run in
    let commits = run.count(short: 20, long: 2000)
    var campaign = try CrashStateCampaign(run, Scratch(isInMemory: true))
    for number in 0..<commits where run.goesOn(number, of: commits, "commits") { try campaign.commit(number) }
  }

  private static let page = 4096
  private static let sector = 512

  /// What an image turned out to be.
  private enum Verdict: UInt8 {
    case before, after, refused, unsound, other
  }

  private struct Image {
    let bytes: [UInt8]
    /// Which verdicts are as they must be; empty for those that are only counted.
    let allowed: [Verdict]
    let kind: String
  }

  private let run: Run
  private let scratch: Scratch
  private var random: SeededNumbers
  private var world = World(hasTextKeys: false)
  private var model = Model()
  private var image: String { scratch.path + "/image" }

  private init(_ run: Run, _ scratch: Scratch) throws {
    self.run = run
    self.scratch = scratch
    random = SeededNumbers(seed: run.seed)
    let store = try LMDBStore(at: scratch.store)
    let (payload, policies) = work(-1)
    _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: world.plan(policies))
    _ = ModelImport.apply(payload, policies, to: &model)
    mkdir(scratch.path + "/image", 0o700)
    _ = try Scenario.plan.get()
  }

  private func work(_ number: Int) -> (payload: [PayloadNode], policies: Policies) {
    var random = SeededNumbers(seed: run.seed, case: number)
    let policies = Policies(random.pick(Policy.allCases))
    let roots = number < 0 ? 40 : random.once(in: 12) ? 60 : 1 + random.next(below: 2)
    var maker = PayloadMaker(random, hasTextKeys: false, keyCount: 80)
    return (maker.payload(roots: roots), policies)
  }

  private mutating func commit(_ number: Int) throws {
    let before = try File.bytes(of: scratch.dataFile)
    let old = model
    let (payload, policies) = work(number)
    let plan = try world.plan(policies)
    let recording = try Recording.make(in: scratch) {
      let store = try LMDBStore(at: scratch.store)
      _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: plan)
    }
    _ = ModelImport.apply(payload, policies, to: &model)
    guard !recording.isEmpty else { return }
    run.add(to: "commits")

    // The recording is whole: done again, it gives the same file.
    var again = before
    for window in recording.windows { again.apply(window.writes) }
    again.apply(recording.unsynced.writes)
    let after = try File.bytes(of: scratch.dataFile)
    if again != after { run.violation("commit \(number): the recording does not give the file") }
    if recording.hasLooseEnds || !recording.unsynced.writes.isEmpty {
      run.violation("commit \(number): a header was written before its pages were synced, or pages behind it")
    }

    var images = images(before, recording)
    images.append(Image(bytes: again, allowed: [.after], kind: "acknowledged"))
    judge(number, images, old)
  }

  // MARK: Images

  private mutating func images(_ before: [UInt8], _ recording: Recording) -> [Image] {
    var images: [Image] = []
    var base = before
    for (index, window) in recording.windows.enumerated() {
      let isHeader = index == recording.windows.count - 1
      let pages = window.pieces(of: Self.page)
      if isHeader {
        images += header(base, window)
      } else {
        var end = base
        end.apply(window.writes)
        for chosen in subsets(of: pages.count) {
          var bytes = base
          bytes.apply(chosen.map { pages[$0] })
          // The length may be on the disk before the pages are.
          if random.once(in: 2), bytes.count < end.count {
            bytes += [UInt8](repeating: 0, count: end.count - bytes.count)
          }
          images.append(Image(bytes: bytes, allowed: [.before], kind: "pages missing"))
        }
        let sectors = window.pieces(of: Self.sector)
        for _ in 0..<run.count(short: 16, long: 64) {
          var bytes = base
          bytes.apply(sectors.filter { _ in random.once(in: 2) })
          images.append(Image(bytes: bytes, allowed: [.before], kind: "torn sectors"))
        }
        if index == recording.windows.count - 2, let last = recording.windows.last {
          images += lies(base, pages, last)
        }
      }
      base.apply(window.writes)
    }
    return images
  }

  private mutating func subsets(of count: Int) -> [[Int]] {
    if count <= (run.size.isShort ? 7 : 10) {
      return (0..<(1 << count)).map { mask in (0..<count).filter { mask >> $0 & 1 == 1 } }
    }
    var all = (0...count).map { Array(0..<$0) }
    all += (0..<count).map { missing in (0..<count).filter { $0 != missing } }
    for _ in 0..<run.count(short: 40, long: 256) {
      all.append((0..<count).filter { _ in random.once(in: 2) })
    }
    return all
  }

  /// A header, whose 120 bytes are within one sector, torn nevertheless.
  private func header(_ base: [UInt8], _ window: Recording.Window) -> [Image] {
    guard let write = window.writes.first else { return [] }
    var images: [Image] = []
    for cut in stride(from: 8, to: write.bytes.count, by: 8) {
      var first = base
      first.apply(.init(offset: write.offset, bytes: Array(write.bytes[..<cut])))
      images.append(Image(bytes: first, allowed: [.before, .after], kind: "header torn, its start written"))
      var last = base
      last.apply(.init(offset: write.offset + cut, bytes: Array(write.bytes[cut...])))
      images.append(Image(bytes: last, allowed: [], kind: "header torn, only its end written"))
    }
    return images
  }

  /// A disk that says it has synced and has not: the header is there, some pages are not.
  private mutating func lies(_ base: [UInt8], _ pages: [Recording.Write], _ last: Recording.Window) -> [Image]
  {
    (0..<run.count(short: 8, long: 32)).map { _ in
      var bytes = base
      bytes.apply(pages.filter { _ in random.next(below: 4) > 0 })
      bytes.apply(last.writes)
      return Image(bytes: bytes, allowed: [], kind: "a disk that lies about syncs")
    }
  }

  // MARK: Verdicts

  private func verdict(_ image: Image, _ old: Model) -> Verdict {
    let store = self.image
    do { try File.write(image.bytes, to: store + "/data.mdb") } catch { return .other }
    do {
      guard let state = try Scenario.state(of: store) else { return .other }
      return state == model ? .after : state == old ? .before : .other
    } catch is LMDBError { return .refused } catch { return .unsound }
  }

  private func judge(_ number: Int, _ images: [Image], _ old: Model) {
    Child.judge(
      0..<images.count, { verdict(images[$0], old).rawValue },
      { index, byte, ending in
        let image = images[index]
        let verdict = byte.flatMap { Verdict(rawValue: $0) }
        let isSame = old == model && (verdict == .before || verdict == .after)
        run.add(to: "images")
        if image.allowed.isEmpty {
          // A missing page can be one that reads as it did before.
          let words = verdict.map { "\($0)" } ?? "fell over"
          run.add(to: "\(image.kind): \(words)")
        } else {
          run.add(to: image.kind)
          if !isSame, verdict.map({ image.allowed.contains($0) }) != true {
            run.violation(
              "commit \(number), image \(index), \(image.kind): \(verdict.map { "\($0)" } ?? "\(ending)")")
          }
        }
      })
  }
}
