import FastMapCore
import FastMapLMDB

extension Scenario {
  /// A scenario's name, and a closure that makes it.
  typealias Piece = (name: String, make: @Sendable (inout ScenarioMaker) throws -> Void)

  /// All scenarios for a seed.
  ///
  /// - Parameter names: The requested ones; nil for all.
  static func all(_ seed: UInt64, only names: Set<String>? = nil, in scratch: Scratch) throws -> [Scenario] {
    try pieces.filter { names?.contains($0.name) ?? true }.map { piece in
      var maker = ScenarioMaker(piece.name, seed, in: scratch)
      try piece.make(&maker)
      return try maker.scenario()
    }
  }

  static let pieces: [Piece] = imports + moreImports + deletions + openings + copies

  private static let imports: [Piece] = [
    ("create", { try $0.opening() }),
    (
      "import new",
      {
        try $0.begin()
        try $0.importing(base($0))
      }
    ),
    ("import again", { try change(&$0) { try $0.importing(base($0)) } }),
    ("update", { try change(&$0) { try $0.importing($0.payload(2, roots: 60)) } }),
    (
      "replace with deletions",
      { try change(&$0, .replace) { try $0.importing(cleared(base($0)), .replace) } }
    ),
    ("merge", { try change(&$0) { try $0.importing($0.payload(2, roots: 60), .merge) } }),
    (
      "to-one changes",
      { try change(&$0, .replace) { try $0.importing(moved(base($0)), .replace) } }
    ),
    (
      "growth",
      {
        $0.configuration.mapSize = 64 << 10
        try change(&$0) { try $0.importing($0.payload(3, roots: 400)) }
      }
    ),
    (
      "several commits",
      {
        try change(&$0) {
          for number in 4..<8 {
            try $0.importing($0.payload(number, roots: 8), number % 2 == 0 ? .assign : .replace)
          }
        }
      }
    ),
  ]

  private static let moreImports: [Piece] = [
    ("commit interval", { try change(&$0) { try $0.importing($0.payload(2, roots: 40), interval: 10) } }),
    (
      "import of a file",
      { try change(&$0) { try $0.importingFile($0.payload(2, roots: 60)) } }
    ),
    (
      "long values",
      {
        try change(&$0) {
          try $0.importing(stretched($0.payload(2, roots: 6), by: 100_000))
          try $0.importing(stretched($0.payload(2, roots: 6), by: 30_000))
        }
      }
    ),
    (
      "text keys",
      {
        $0.useTextKeys()
        try change(&$0) {
          try $0.importing($0.payload(2, roots: 60), .replace)
          try $0.deleting("Node", .keys(everyThird($0.keys)))
        }
      }
    ),
    ("another attribute", { try change(&$0) { try $0.importingWider($0.payload(2, roots: 30)) } }),
    ("dry run", { try change(&$0) { try $0.trying($0.payload(2, roots: 60)) } }),
    ("fault", { try change(&$0) { try $0.importingUntilFault($0.payload(2, roots: 60)) } }),
    (
      "fault behind commits",
      { try change(&$0) { try $0.importingUntilFault($0.payload(2, roots: 20), interval: 5) } }
    ),
    (
      "shared commits",
      {
        $0.configuration.sharesCommits = true
        try change(&$0) {
          try $0.importingTogether([$0.island(9000..<9010), $0.island(9010..<9020), $0.island(9020..<9030)])
        }
      }
    ),
    (
      "late syncs",
      {
        $0.configuration.durability = .lastTransactionMayBeLost
        try change(&$0) { for number in 4..<7 { try $0.importing($0.payload(number, roots: 8)) } }
      }
    ),
  ]

  private static let deletions: [Piece] = [
    ("delete a key", { try change(&$0) { try $0.deleting("Node", .key($0.keys[$0.keys.count / 2])) } }),
    (
      "delete keys",
      { try change(&$0, .replace) { try $0.deleting("Node", .keys(everyThird($0.keys)), .replace) } }
    ),
    (
      "delete a range",
      { try change(&$0) { try $0.deleting("Node", .range($0.keys[10]...$0.keys[$0.keys.count - 10])) } }
    ),
    ("delete an entity", { try change(&$0) { try $0.deleting("Tag", .all) } }),
    (
      "delete all and import",
      {
        try change(&$0) {
          try $0.deleting("Node", .all)
          try $0.deleting("Tag", .all)
          try $0.importing($0.payload(2, roots: 60))
        }
      }
    ),
  ]

  private static func base(_ maker: ScenarioMaker) -> [PayloadNode] { maker.payload(1, roots: 60) }

  /// A scenario on a store that is not empty.
  static func change(
    _ maker: inout ScenarioMaker, _ policy: Policy = .assign, _ steps: (inout ScenarioMaker) throws -> Void
  ) throws {
    try maker.importing(base(maker), policy)
    try maker.begin()
    try steps(&maker)
  }

  // MARK: Payloads

  /// The same objects without most of their references.
  private static func cleared(_ payload: [PayloadNode]) -> [PayloadNode] {
    payload.prefix(20).map { old in
      var node = PayloadNode(old.key)
      node.friends = .null
      node.kids = .null
      node.tags = .null
      node.notes = .null
      return node
    }
  }

  /// The same objects with other parents, tags and boxes.
  private static func moved(_ payload: [PayloadNode]) -> [PayloadNode] {
    payload.enumerated().map { number, old in
      var node = PayloadNode(old.key)
      node.parent = number % 3 == 0 ? .null : .given(payload[(number + 7) % payload.count].key)
      node.tag = number % 4 == 0 ? .null : .given(PayloadTag(name: "tag of \(number / 5)"))
      return node
    }
  }

  private static func stretched(_ payload: [PayloadNode], by length: Int) -> [PayloadNode] {
    payload.enumerated().map { number, old in
      var node = old
      node.name = .given(String(repeating: "long", count: length / 4 + number))
      return node
    }
  }

  private static func everyThird(_ keys: [PrimaryKey]) -> [PrimaryKey] {
    stride(from: 0, to: keys.count, by: 3).map { keys[$0] }
  }
}
