import FastMapCore
import PlainJansson

/// A public text many times over, as a service would send it: with new keys each time, in pages, some objects met
/// again, some of these changed, some nested ones as stubs; and the same once more some time after.
struct Replay {
  struct Rates {
    /// Root objects that are met again, on a later page.
    var duplicates = 0.1
    /// Nested objects of which only the key is there.
    var stubs = 0.1
    /// Duplicates, and afterwards all root objects, of which a member has changed.
    var changed = 0.05
    /// Root objects and related ones that are gone afterwards.
    var deleted = 0.05
    /// To-many relationships that are in another order afterwards.
    var reordered = 0.1
    /// Related objects that another root object has afterwards.
    var moved = 0.05
  }

  /// Root objects of a page.
  static let pageSize = 500

  let source: ReplaySource
  let pages: [[UInt8]]
  let after: [[UInt8]]
  let rootCount: Int
  let afterCount: Int

  var byteCount: Int { pages.reduce(0) { $0 + $1.count } }

  /// - Parameter roots: Root objects at least, without the duplicates.
  init(_ source: ReplaySource, roots wanted: Int, rates: Rates = Rates(), seed: UInt64 = 11) throws {
    self.source = source
    let text = try Corpora.needed(source.corpus)
    let corpus = try JSONTree(parsing: text)
    let originals = (source.rootMember.flatMap { corpus[$0] } ?? corpus).elements
    try WrongOutcome.check(!originals.isEmpty, "root objects in \(source.corpus)")
    var change = Changes(source: source, rates: rates, numbers: SeededNumbers(seed: seed))
    var roots: [JSONTree] = []
    for copy in 0..<((wanted + originals.count - 1) / originals.count) {
      for original in originals {
        let root = original.copy()
        if copy > 0 { change.moveKeys(of: root, by: copy) }
        change.stub(in: root)
        roots.append(root)
        guard change.numbers.isHit(rates.duplicates) else { continue }
        let again = roots[change.numbers.next(below: roots.count)].copy()
        if change.numbers.isHit(rates.changed) { change.changeMember(of: again) }
        roots.append(again)
      }
    }
    let later = change.later(roots)
    rootCount = roots.count
    afterCount = later.count
    pages = Self.pages(roots)
    after = Self.pages(later)
  }

  private static func pages(_ roots: [JSONTree]) -> [[UInt8]] {
    stride(from: 0, to: roots.count, by: pageSize).map { start in
      var page = [UInt8(ascii: "[")]
      for root in roots[start..<min(start + pageSize, roots.count)] {
        if page.count > 1 { page.append(UInt8(ascii: ",")) }
        root.write(to: &page)
      }
      page.append(UInt8(ascii: "]"))
      return page
    }
  }
}

/// What is done to root objects, with what is drawn for it.
private struct Changes {
  let source: ReplaySource
  let rates: Replay.Rates
  var numbers: SeededNumbers

  /// Gives new values to all keys and references, the same ones for the same copy.
  func moveKeys(of tree: JSONTree, by copy: Int) {
    for (name, value) in tree.members {
      if source.keyMembers.contains(name) {
        if let key = value.integer {
          tree.set(name, .integer(key + copy * 10_000_000_000))
        } else if let key = value.string {
          tree.set(name, .string(Int(key).map { String($0 + copy * 10_000_000_000) } ?? "\(key)-\(copy)"))
        }
      }
      moveKeys(of: value, by: copy)
    }
    for element in tree.elements { moveKeys(of: element, by: copy) }
  }

  /// Leaves of some nested objects nothing but the key.
  mutating func stub(in tree: JSONTree) {
    for (name, value) in tree.members {
      if source.stubMembers.contains(name), value["id"] != nil, numbers.isHit(rates.stubs) {
        for member in value.members where member.name != "id" { value.remove(member.name) }
      } else {
        stub(in: value)
      }
    }
  }

  /// Changes one text or number that is no key.
  mutating func changeMember(of root: JSONTree) {
    let candidates = root.members.filter {
      !source.keyMembers.contains($0.name) && ($0.value.string != nil && !$0.name.contains("created"))
    }
    guard !candidates.isEmpty else { return }
    let chosen = candidates[numbers.next(below: candidates.count)]
    root.set(chosen.name, .string((chosen.value.string ?? "") + " (changed)"))
  }

  /// What the service sends some time after.
  mutating func later(_ roots: [JSONTree]) -> [JSONTree] {
    var later: [JSONTree] = []
    var moved: [JSONTree] = []
    for original in roots where !numbers.isHit(rates.deleted) {
      let root = original.copy()
      if numbers.isHit(rates.changed) { changeMember(of: root) }
      if let children = source.children.reduce(root, { $0?[$1] }) {
        var kept = children.elements.map { $0.copy() }.filter { _ in !numbers.isHit(rates.deleted) }
        if numbers.isHit(rates.reordered) { numbers.shuffle(&kept) }
        kept += moved
        moved = kept.count > 1 && numbers.isHit(rates.moved) ? [kept.removeLast()] : []
        children.setElements(kept)
      }
      later.append(root)
    }
    return later
  }
}
