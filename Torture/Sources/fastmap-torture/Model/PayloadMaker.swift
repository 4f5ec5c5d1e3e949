import FastMapCore

/// Makes random payloads with few keys, so that objects occur repeatedly.
struct PayloadMaker {
  var random: SeededNumbers
  let hasTextKeys: Bool
  /// The maximum number of nodes.
  let keyCount: Int
  /// Nodes whose owned objects the payload has already contained. A second occurrence would depend on positions in
  /// the payload, which other tests cover.
  private var spokenOf: Set<PrimaryKey> = []

  init(_ random: SeededNumbers, hasTextKeys: Bool, keyCount: Int) {
    self.random = random
    self.hasTextKeys = hasTextKeys
    self.keyCount = keyCount
  }

  mutating func payload(roots: Int) -> [PayloadNode] {
    spokenOf = []
    return (0..<roots).map { _ in node(depth: 0) }
  }

  private static let extremes: [Int64] = [.min, -1, 0, .max]

  static func key(_ number: Int, isText: Bool) -> PrimaryKey {
    guard isText else {
      return .integer(number < extremes.count ? extremes[number] : Int64(number) * 37 - 200)
    }
    switch number {
    case 0: return .string("e\u{301}")  // two spellings of one letter are two keys
    case 1: return .string("\u{e9}")
    case 2: return .string("")
    case 3: return .string(String(repeating: "long ", count: 60))
    case 4: return .string("\u{1F600} \" \\")
    default: return .string(number % 2 == 0 ? "node \(number)" : "\(number)")
    }
  }

  private mutating func key() -> PrimaryKey {
    let number = random.next(below: keyCount)
    // An empty string cannot be a key.
    return Self.key(number == 2 && hasTextKeys ? 5 : number, isText: hasTextKeys)
  }

  private mutating func member<Content>(
    once times: Int, _ make: (inout Self) -> Content
  ) -> Member<Content> {
    guard random.once(in: times) else { return .missing }
    return random.once(in: 8) ? .null : .given(make(&self))
  }

  private mutating func list<Element>(upTo length: Int, _ make: (inout Self) -> Element) -> [Element] {
    // Sometimes a list that needs several segments, or an empty one.
    let count = random.once(in: 300) ? 600 : random.next(below: length + 1)
    return (0..<count).map { _ in make(&self) }
  }

  private mutating func node(depth: Int) -> PayloadNode {
    var node = PayloadNode(key())
    node.name = member(once: 2) { $0.word() }
    node.size = member(once: 3) {
      Int64(truncatingIfNeeded: $0.random.next()) >> Int64($0.random.next(below: 64))
    }
    node.ratio = member(once: 4) { Double($0.random.next(below: 4000)) / 16 - 100 }
    node.flag = member(once: 4) { $0.random.once(in: 2) }
    node.parent = member(once: 3) { $0.key() }
    node.friends = member(once: 3) { $0.list(upTo: 5) { $0.key() } }
    let isFirst = spokenOf.insert(node.key).inserted
    if depth < 2 {
      node.kids = member(once: 3) { maker in
        (0..<maker.random.next(below: 4)).map { _ in maker.node(depth: depth + 1) }
      }
    }
    node.tag = member(once: 4) { $0.tag() }
    node.tags = member(once: 4) { $0.list(upTo: 4) { $0.tag() } }
    if isFirst {
      node.notes = member(once: 4) { maker in
        (0..<maker.random.next(below: 4)).map { _ in maker.note() }
      }
      node.box = member(once: 4) { maker in PayloadNote(text: maker.member(once: 1) { $0.word() }) }
    }
    return node
  }

  private mutating func tag() -> PayloadTag {
    PayloadTag(
      name: "tag \(random.next(below: 6 + keyCount / 4))",
      rank: member(once: 3) { Int64($0.random.next(below: 5)) })
  }

  private mutating func note() -> PayloadNote {
    PayloadNote(text: member(once: 2) { $0.word() }, about: member(once: 3) { $0.key() })
  }

  private mutating func word() -> String {
    // LMDB stores long values on pages of their own.
    let length = random.once(in: 40) ? 3000 + random.next(below: 6000) : random.next(below: 12)
    let letter = random.pick(["a", "b", "\u{fc}", "\"", "\n", "\u{1F600}"])
    return String(repeating: letter, count: length) + String(random.next(below: 5))
  }
}
