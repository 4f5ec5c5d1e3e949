import FastMapCore
import FastMapLMDB

/// Power cuts during commits with one sync each (`lastTransactionMayBeLost`). A header may reach the disk at any time
/// until the next commit's pages are synced.
extension CrashStateCampaign {
  mutating func lateCommits(_ number: Int) throws {
    let before = try File.bytes(of: scratch.dataFile)
    var states = [model]
    var steps: [(text: [UInt8], plan: Plan)] = []
    for index in 0..<3 {
      var (payload, policies) = work(1_000_000 + number * 3 + index)
      // It must change something, because an unchanged object is not written.
      var last = PayloadNode(.integer(9999))
      last.size = .given(Int64(number * 3 + index))
      payload.append(last)
      steps.append((Array(PayloadText.json(payload).utf8), try world.plan(policies)))
      _ = ModelImport.apply(payload, policies, to: &model)
      states.append(model)
    }
    let recording = try Recording.make(in: scratch) {
      var configuration = LMDBStore.Configuration()
      configuration.durability = .lastTransactionMayBeLost
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      for step in steps { _ = try Mapper(store).importJSON(step.text, as: step.plan) }
    }
    run.add(steps.count, to: "commits of one sync")

    // Pages; header and pages; header and pages; header.
    let headers = recording.windows.map { $0.writes.filter(Self.isHeader).count }
    guard headers == [0, 1, 1], recording.unsynced.writes.count == 1,
      let header = recording.unsynced.writes.first, Self.isHeader(header)
    else {
      return run.violation(
        "commit \(number): \(headers) headers before syncs, \(recording.unsynced.writes.count) writes behind them"
      )
    }
    var base = before
    var images: [Image] = []
    for (index, window) in recording.windows.enumerated() {
      images += lateImages(base, window, before: max(0, index - 1))
      base.apply(window.writes)
    }
    images += torn(base, header, before: 2)
    images.append(Image(bytes: base, allowed: [2], kind: "the last header lost, one sync a commit"))
    base.apply(header)
    images.append(Image(bytes: base, allowed: [3], kind: "acknowledged, one sync a commit"))
    if try File.bytes(of: scratch.dataFile) != base {
      run.violation("commit \(number): the recording does not give the file")
    }
    judge(number, images, states)
  }

  private static func isHeader(_ write: Recording.Write) -> Bool { write.offset < 2 * page }

  /// Any of a window's pages may be written, including the header of the previous commit. With that header, the
  /// commit is visible; without it, the commit before.
  ///
  /// - Parameter state: The number of the state without the header.
  private mutating func lateImages(
    _ base: [UInt8], _ window: Recording.Window, before state: Int
  ) -> [Image] {
    var images: [Image] = []
    var end = base
    end.apply(window.writes)
    let pages = window.pieces(of: Self.page)
    for chosen in subsets(of: pages.count) {
      // The length may reach the disk before the pages do.
      let length = random.once(in: 2) ? end.count : 0
      images.append(
        lateImage(base, chosen.map { pages[$0] }, length, before: state, "pages or headers missing"))
    }
    let sectors = window.pieces(of: Self.sector)
    for _ in 0..<run.count(short: 16, long: 64) {
      images.append(
        lateImage(base, sectors.filter { _ in random.once(in: 2) }, 0, before: state, "torn sectors"))
    }
    for header in window.writes.filter(Self.isHeader) {
      var some = base
      some.apply(pages.filter { !Self.isHeader($0) && random.once(in: 2) })
      images += torn(some, header, before: state)
    }
    return images
  }

  /// Torn headers whose start is written. Headers with only their end are counted for commits with two syncs.
  private func torn(_ base: [UInt8], _ header: Recording.Write, before state: Int) -> [Image] {
    self.header(base, header, before: state).filter { !$0.allowed.isEmpty }
  }

  private func lateImage(
    _ base: [UInt8], _ writes: [Recording.Write], _ length: Int, before state: Int, _ kind: String
  ) -> Image {
    var bytes = base
    bytes.apply(writes)
    bytes += [UInt8](repeating: 0, count: max(0, length - bytes.count))
    let hasHeader = writes.contains(where: Self.isHeader)
    return Image(bytes: bytes, allowed: [hasHeader ? state + 1 : state], kind: kind + ", one sync a commit")
  }
}
