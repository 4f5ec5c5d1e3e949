import FastMapCore
import FastMapLMDB

/// Scenarios that open a store in other ways, or copy it.
extension Scenario {
  static let openings: [Piece] = [
    (
      "reopening",
      {
        try change(&$0) {
          for number in 4..<7 {
            try $0.importing($0.payload(number, roots: 8))
            try $0.opening()
          }
        }
      }
    ),
    (
      "reading only",
      {
        try change(&$0) {
          try $0.opening { $0.isReadOnly = true }
          try $0.reading()
        }
      }
    ),
    // A rename and a conversion, which are applied when the store is opened.
    (
      "migration",
      {
        try change(&$0) {
          try $0.opening {
            $0.migrations = [
              .rename("ratio", of: "Node", to: "old ratio"),
              .convert("name", of: "Node", to: .string, louder),
            ]
          } changing: {
            $0.changeNodes {
              $0.values["ratio"] = nil
              $0.values["name"] = $0.values["name"].flatMap(louder)
            }
          }
        }
      }
    ),
    (
      "rename",
      {
        try change(&$0) {
          try $0.opening {
            $0.migrations = [.rename("friends", of: "Node", to: "old friends")]
          } changing: {
            $0.changeNodes { $0.friends = [] }
          }
        }
      }
    ),
    (
      "keys become texts",
      {
        try change(&$0) {
          try $0.useTextKeys()
          try $0.opening {
            $0.migrations = [.convert("id", of: "Node", to: .string)]
          } changing: {
            $0 = $0.withKeys(text)
          }
        }
      }
    ),
  ]

  static let copies: [Piece] = [
    ("compact", { try thinned(&$0) { try $0.working(.compact) } }),
    (
      "compact between imports",
      {
        try thinned(&$0) {
          try $0.importing($0.payload(4, roots: 8))
          try $0.working(.compact)
          try $0.importing($0.payload(5, roots: 8))
        }
      }
    ),
    ("backup", { try thinned(&$0) { try $0.working(.backup(isCompact: false)) } }),
    ("compact backup", { try thinned(&$0) { try $0.working(.backup(isCompact: true)) } }),
    ("repair", { try thinned(&$0) { try $0.working(.repair) } }),
  ]

  /// Work on a store with free pages.
  private static func thinned(
    _ maker: inout ScenarioMaker, _ steps: (inout ScenarioMaker) throws -> Void
  ) throws {
    try maker.importing(maker.payload(3, roots: 150))
    let keys = maker.keys
    try maker.deleting("Node", .range(keys[20]...keys[keys.count - 20]))
    try maker.begin()
    try steps(&maker)
  }

  @Sendable private static func louder(_ value: Value) -> Value? {
    if case .string(let text) = value { .string(text + "!") } else { value }
  }

  private static func text(_ key: PrimaryKey) -> (key: PrimaryKey, id: Value) {
    let text =
      switch key {
      case .integer(let number): String(number)
      case .string(let text): text
      }
    return (.string(text), .string(text))
  }
}

extension Model {
  fileprivate mutating func changeNodes(_ change: (inout Node) -> Void) {
    nodes = nodes.mapValues { old in
      var node = old
      change(&node)
      return node
    }
  }
}
