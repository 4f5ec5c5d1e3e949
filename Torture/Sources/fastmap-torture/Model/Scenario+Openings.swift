import FastMapCore
import FastMapLMDB

/// Scenarios that open a store in other ways, change its names and types, or copy it.
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
    (
      "another type",
      {
        try change(&$0) {
          try $0.declaring {
            $0.rename("ratio", to: "old ratio")
            $0.types["size"] = "decimal"
          }
        }
      }
    ),
    ("rename", { try change(&$0) { try $0.declaring { $0.rename("friends", to: "old friends") } } }),
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
}
