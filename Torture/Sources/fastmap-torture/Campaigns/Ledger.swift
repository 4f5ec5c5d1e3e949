import FastMapCore
import FastMapLMDB
import Foundation

/// Fifty nodes that every import writes together. In each snapshot they have the same name, and their sizes add up to
/// 0.
enum Ledger {
  static let count = 50

  static func text(_ random: inout SeededNumbers) -> [UInt8] {
    let name = "version \(random.next())" + String(repeating: "x", count: random.next(below: 400))
    var rest: Int64 = 0
    let nodes = (0..<count).map { number in
      var node = PayloadNode(.integer(Int64(number)))
      let size = number == count - 1 ? -rest : Int64(random.next(below: 2000) - 1000)
      rest += size
      node.name = .given(name)
      node.size = .given(size)
      node.friends = .given(
        (0..<random.next(below: 6)).map { _ in .integer(Int64(random.next(below: count))) })
      return node
    }
    return Array(PayloadText.json(nodes).utf8)
  }

  /// The violation in a snapshot; nil if there is none.
  static func fault(in store: LMDBStore, _ plan: Plan) throws -> String? {
    let model = try Model(store, plan)
    if model.nodes.isEmpty { return nil }
    let names = Set(model.nodes.values.map { $0.values["name"] })
    let sum = model.nodes.values.reduce(Int64(0)) { sum, node in
      guard case .integer(let size)? = node.values["size"] else { return sum + 1_000_000 }
      return sum + size
    }
    if model.nodes.count == count, names.count == 1, sum == 0 { return nil }
    return "\(model.nodes.count) nodes, \(names.count) names, the sum is \(sum)"
  }

  static var smallMap: LMDBStore.Configuration {
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = 64 << 10
    return configuration
  }
}
