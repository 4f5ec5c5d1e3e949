import FastMapCore
import FastMapLMDB
import Foundation

/// Creates every file that a power cut during a commit may leave, and opens it.
struct CrashStateCampaign {
  static let campaign = Campaign(
    name: "power", title: "data files as a power cut leaves them", cases: .count("images"),
    rule:
      "opens as the commit before or after, exactly; what was acknowledged is there, but for the last where a commit has one sync; headers torn in their first bytes too",
    needsShim: true
  ) { run in
    let commits = run.count(short: 16, long: 2000)
    var campaign = try CrashStateCampaign(run, Scratch(isInMemory: true))
    for number in 0..<commits where run.goesOn(number, of: commits, "commits") {
      if number % 8 == 7 { try campaign.lateCommits(number) } else { try campaign.commit(number) }
    }
  }

  static let page = 4096
  static let sector = 512

  /// The result for an image: the first of its allowed states that it equals, or none.
  private enum Verdict: Equatable {
    case state(Int), refused, unsound, other

    init(byte: UInt8) {
      switch byte {
      case 250: self = .refused
      case 251: self = .unsound
      case 252: self = .other
      default: self = .state(Int(byte))
      }
    }

    var byte: UInt8 {
      switch self {
      case .state(let number): UInt8(number)
      case .refused: 250
      case .unsound: 251
      case .other: 252
      }
    }

    var words: String {
      switch self {
      case .state(0): "before"
      case .state(1): "after"
      case .state(let number): "after commit \(number)"
      default: "\(self)"
      }
    }
  }

  struct Image {
    let bytes: [UInt8]
    /// The numbers of the allowed states; empty for images that are only counted.
    let allowed: [Int]
    let kind: String
  }

  let run: Run
  let scratch: Scratch
  var random: SeededNumbers
  var world = World(hasTextKeys: false)
  var model = Model()
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

  func work(_ number: Int) -> (payload: [PayloadNode], policies: Policies) {
    var random = SeededNumbers(seed: run.seed, case: number)
    let policies = Policies(random.pick(Policy.allCases))
    let roots = number < 0 ? 40 : random.once(in: 12) ? 60 : 1 + random.next(below: 2)
    var maker = PayloadMaker(random, hasTextKeys: false, keyCount: 80)
    return (maker.payload(roots: roots), policies)
  }

  mutating func commit(_ number: Int) throws {
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

    // The recording is complete: replaying it gives the same file.
    var again = before
    for window in recording.windows { again.apply(window.writes) }
    again.apply(recording.unsynced.writes)
    let after = try File.bytes(of: scratch.dataFile)
    if again != after { run.violation("commit \(number): the recording does not give the file") }
    if recording.hasLooseEnds || !recording.unsynced.writes.isEmpty {
      run.violation("commit \(number): a header was written before its pages were synced, or pages behind it")
    }

    var images = images(before, recording)
    images.append(Image(bytes: again, allowed: [1], kind: "acknowledged"))
    judge(number, images, [old, model])
  }

  // MARK: Images

  private mutating func images(_ before: [UInt8], _ recording: Recording) -> [Image] {
    var images: [Image] = []
    var base = before
    for (index, window) in recording.windows.enumerated() {
      let isHeader = index == recording.windows.count - 1
      let pages = window.pieces(of: Self.page)
      if isHeader {
        if let write = window.writes.first { images += header(base, write, before: 0) }
      } else {
        var end = base
        end.apply(window.writes)
        for chosen in subsets(of: pages.count) {
          var bytes = base
          bytes.apply(chosen.map { pages[$0] })
          // The length may reach the disk before the pages do.
          if random.once(in: 2), bytes.count < end.count {
            bytes += [UInt8](repeating: 0, count: end.count - bytes.count)
          }
          images.append(Image(bytes: bytes, allowed: [0], kind: "pages missing"))
        }
        let sectors = window.pieces(of: Self.sector)
        for _ in 0..<run.count(short: 16, long: 64) {
          var bytes = base
          bytes.apply(sectors.filter { _ in random.once(in: 2) })
          images.append(Image(bytes: bytes, allowed: [0], kind: "torn sectors"))
        }
        if index == recording.windows.count - 2, let last = recording.windows.last {
          images += lies(base, pages, last)
        }
      }
      base.apply(window.writes)
    }
    return images
  }

  mutating func subsets(of count: Int) -> [[Int]] {
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

  /// A torn header, although its 120 bytes are within one sector.
  ///
  /// - Parameter state: The number of the state before its commit.
  func header(_ base: [UInt8], _ write: Recording.Write, before state: Int) -> [Image] {
    var images: [Image] = []
    for cut in stride(from: 8, to: write.bytes.count, by: 8) {
      var first = base
      first.apply(.init(offset: write.offset, bytes: Array(write.bytes[..<cut])))
      images.append(Image(bytes: first, allowed: [state, state + 1], kind: "header torn, its start written"))
      var last = base
      last.apply(.init(offset: write.offset + cut, bytes: Array(write.bytes[cut...])))
      images.append(Image(bytes: last, allowed: [], kind: "header torn, only its end written"))
    }
    return images
  }

  /// A disk that reports a sync without doing it: the header is written, and some pages are not.
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

  private func verdict(_ image: Image, _ states: [Model]) -> Verdict {
    let store = self.image
    do { try File.write(image.bytes, to: store + "/data.mdb") } catch { return .other }
    do {
      guard let state = try Scenario.state(of: store) else { return .other }
      return states.firstIndex(of: state).map { .state($0) } ?? .other
    } catch is LMDBError { return .refused } catch { return .unsound }
  }

  /// - Parameter states: The contents of the store before the first commit, and after each.
  func judge(_ number: Int, _ images: [Image], _ states: [Model]) {
    let firstEqual = states.map { state in states.firstIndex(of: state) ?? 0 }
    Child.judge(
      0..<images.count, { verdict(images[$0], states).byte },
      { index, byte, ending in
        let image = images[index]
        let verdict = byte.map { Verdict(byte: $0) }
        run.add(to: "images")
        if image.allowed.isEmpty {
          // A missing page may have the same bytes as before.
          run.add(to: "\(image.kind): \(verdict?.words ?? "fell over")")
        } else {
          run.add(to: image.kind)
          if !image.allowed.contains(where: { verdict == .state(firstEqual[$0]) }) {
            run.violation(
              "commit \(number), image \(index), \(image.kind): \(verdict?.words ?? "\(ending)") for \(image.allowed)"
            )
          }
        }
      })
  }
}
