import FastMapCore
import PlainJansson

/// A public text many times over, as a service would send it, in pages with new keys. Some objects repeat, some of these
/// are changed, and some related ones are stubs. A second payload is the service's later text.
struct Replay {
  struct Rates {
    /// The share of root objects, from the second page on, that repeat one of an earlier page.
    var duplicates = 0.1
    /// The share of related objects with only their key.
    var stubs = 0.1
    /// The share of duplicates, and of all root objects later, with a changed member.
    var changed = 0.05
    /// The share of root objects and related ones that are missing later.
    var deleted = 0.05
    /// The share of to-many relationships with at least two members whose order changes later.
    var reordered = 0.1
    /// The share of related objects that move to another root object.
    var moved = 0.05
  }

  /// The number of each of these.
  struct Counts {
    var duplicates = 0
    var changedDuplicates = 0
    var stubs = 0
    var changedRoots = 0
    var removedChildren = 0
    var reorderedLists = 0
    var movedChildren = 0

    var ofPages: String { "\(duplicates) duplicates, \(changedDuplicates) of them changed; \(stubs) stubs" }
    var ofAfter: String {
      "\(changedRoots) changed root objects; \(removedChildren) children gone, \(movedChildren) moved; "
        + "\(reorderedLists) lists reordered"
    }
  }

  /// The number of root objects per page.
  static let pageSize = 500

  let source: ReplaySource
  let pages: [[UInt8]]
  let after: [[UInt8]]
  let rootCount: Int
  let afterCount: Int
  let counts: Counts

  var byteCount: Int { pages.reduce(0) { $0 + $1.count } }
  var afterByteCount: Int { after.reduce(0) { $0 + $1.count } }

  /// - Parameter roots: The minimum number of root objects, without duplicates.
  init(_ source: ReplaySource, roots wanted: Int, rates: Rates = Rates(), seed: UInt64 = 11) throws {
    self.source = source
    let text = try Corpora.needed(source.corpus)
    let corpus = try JSONTree(parsing: text)
    let originals = (source.rootMember.flatMap { corpus[$0] } ?? corpus).elements
    try WrongOutcome.check(!originals.isEmpty, "root objects in \(source.corpus)")
    var change = Changes(source: source, rates: rates, numbers: SeededNumbers(seed: seed))
    var sent = Sent()
    for copy in 0..<((wanted + originals.count - 1) / originals.count) {
      for original in originals {
        let root = original.copy()
        if copy > 0 { change.moveKeys(of: root, by: copy) }
        change.stub(in: root)
        sent.append(root)
        if change.isDuplicateDue(after: sent) { sent.append(change.duplicate(of: sent)) }
      }
    }
    let later = change.later(sent.known)
    rootCount = sent.roots.count
    afterCount = later.count
    counts = change.counts
    pages = Self.pages(sent.roots)
    after = Self.pages(later)
    try check()
  }

  private func check() throws {
    var kinds = [
      ("stubs", counts.stubs), ("changed root objects", counts.changedRoots),
      ("removed children", counts.removedChildren), ("reordered lists", counts.reorderedLists),
      ("moved children", counts.movedChildren),
    ]
    if pages.count > 1 {
      kinds += [("duplicates", counts.duplicates), ("changed duplicates", counts.changedDuplicates)]
    }
    for (kind, count) in kinds {
      try WrongOutcome.check(count > 0, "\(kind) in the replay of \(source.corpus)")
    }
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

/// Root objects in the order of sending.
private struct Sent {
  private(set) var roots: [JSONTree] = []
  /// Each root object once, as last sent.
  private(set) var known: [JSONTree] = []
  /// How many of these are on an earlier page than the next root object.
  private(set) var earlierCount = 0

  mutating func append(_ root: JSONTree) {
    known.append(root)
    send(root)
  }

  mutating func append(_ duplicate: (root: JSONTree, place: Int)) {
    known[duplicate.place] = duplicate.root
    send(duplicate.root)
  }

  private mutating func send(_ root: JSONTree) {
    roots.append(root)
    if roots.count.isMultiple(of: Replay.pageSize) { earlierCount = known.count }
  }
}

/// Changes to root objects, with their random numbers.
private struct Changes {
  let source: ReplaySource
  let rates: Replay.Rates
  var numbers: SeededNumbers
  var counts = Replay.Counts()

  /// Assigns new values to all keys and references, the same ones for the same copy.
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

  /// Leaves of some related objects nothing but the key.
  mutating func stub(in tree: JSONTree) {
    for (name, value) in tree.members {
      for object in [value] + value.elements {
        if let key = source.relatedKeys[name], object[key] != nil, object.members.count > 1,
          numbers.isHit(rates.stubs)
        {
          for member in object.members where member.name != key { object.remove(member.name) }
          counts.stubs += 1
        } else {
          stub(in: object)
        }
      }
    }
  }

  /// Whether there are fewer duplicates than the rate says; never on the first page.
  func isDuplicateDue(after sent: Sent) -> Bool {
    Double(counts.duplicates) < rates.duplicates * Double(sent.roots.count - Replay.pageSize)
  }

  /// A root object of an earlier page once more, and where it is among those known.
  mutating func duplicate(of sent: Sent) -> (root: JSONTree, place: Int) {
    let place = numbers.next(below: sent.earlierCount)
    let root = sent.known[place].copy()
    counts.duplicates += 1
    let isDue = Double(counts.changedDuplicates) < rates.changed * Double(counts.duplicates)
    if isDue, changeText(of: root) { counts.changedDuplicates += 1 }
    return (root, place)
  }

  /// Changes one text, also where the object is met in itself: a category is the last one of its own path.
  ///
  /// - Returns: Whether there was one.
  private mutating func changeText(of root: JSONTree) -> Bool {
    let names = source.textMembers.filter { root[$0]?.string != nil }
    guard !names.isEmpty else { return false }
    let name = names[numbers.next(below: names.count)]
    let text = (root[name]?.string ?? "") + " (changed)"
    setText(name, text, ofKey: key("id", of: root), in: root)
    return true
  }

  private func setText(_ name: String, _ text: String, ofKey wanted: String?, in tree: JSONTree) {
    if tree[name]?.string != nil, key("id", of: tree) == wanted { tree.set(name, .string(text)) }
    for (_, value) in tree.members { setText(name, text, ofKey: wanted, in: value) }
    for element in tree.elements { setText(name, text, ofKey: wanted, in: element) }
  }

  private func key(_ name: String, of object: JSONTree) -> String? {
    let value = object[name]
    return value?.string ?? value?.integer.map { String($0) }
  }

  private func keys(of children: [JSONTree]) -> [String?] {
    children.map { key(source.childKey, of: $0) }
  }

  /// The root objects that the service sends some time after.
  mutating func later(_ roots: [JSONTree]) -> [JSONTree] {
    let later = roots.filter { _ in !numbers.isHit(rates.deleted) }.map { $0.copy() }
    for root in drawn(rates.changed, of: later.count, from: later) {
      if changeText(of: root) { counts.changedRoots += 1 }
    }
    let lists = later.compactMap { source.list(in: $0) }
    removeChildren(of: lists)
    let reordered = reorder(lists)
    moveChildren(of: lists, except: reordered)
    return later
  }

  private mutating func removeChildren(of lists: [JSONTree]) {
    let owners = lists.flatMap { list in list.elements.map { _ in list } }
    for list in drawn(rates.deleted, of: owners.count, from: owners) {
      var kept = list.elements
      kept.remove(at: numbers.next(below: kept.count))
      list.setElements(kept)
      counts.removedChildren += 1
    }
  }

  /// - Returns: The places of the lists that are in another order now.
  private mutating func reorder(_ lists: [JSONTree]) -> Set<Int> {
    let filledCount = lists.count(where: { !$0.elements.isEmpty })
    let candidates = lists.indices.filter { Set(keys(of: lists[$0].elements)).count > 1 }
    let chosen = drawn(rates.reordered, of: filledCount, from: candidates)
    for place in chosen {
      var children = lists[place].elements
      let before = keys(of: children)
      repeat { numbers.shuffle(&children) } while keys(of: children) == before
      lists[place].setElements(children)
      counts.reorderedLists += 1
    }
    return Set(chosen)
  }

  /// Each giver gives its first child, so one that it was given stays.
  private mutating func moveChildren(of lists: [JSONTree], except reordered: Set<Int>) {
    let givers = lists.indices.filter { !reordered.contains($0) && !lists[$0].elements.isEmpty }
    let childCount = lists.reduce(0) { $0 + $1.elements.count }
    for giver in drawn(rates.moved, of: childCount, from: givers) {
      var children = lists[giver].elements
      let child = children.removeFirst()
      guard let taker = findTaker(of: child, among: lists) else { continue }
      lists[giver].setElements(children)
      taker.setElements(taker.elements + [child])
      counts.movedChildren += 1
    }
  }

  /// A list that does not have the child; nil where a few tries found none.
  private mutating func findTaker(of child: JSONTree, among lists: [JSONTree]) -> JSONTree? {
    let wanted = key(source.childKey, of: child)
    for _ in 0..<20 {
      let list = lists[numbers.next(below: lists.count)]
      if !keys(of: list.elements).contains(wanted) { return list }
    }
    return nil
  }

  /// So many of the elements as the rate is of a count; one at least, where there is one.
  private mutating func drawn<Element>(
    _ rate: Double, of count: Int, from elements: [Element]
  ) -> ArraySlice<Element> {
    var shuffled = elements
    numbers.shuffle(&shuffled)
    return shuffled.prefix(max(1, Int(rate * Double(count))))
  }
}
