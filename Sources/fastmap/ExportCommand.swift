import FastMapCore
import FastMapLMDB

/// `fastmap export`
struct ExportCommand {
  private let arguments: Arguments
  private let limit: Int?
  private let depth: Int?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    limit = try arguments.count("limit", atLeast: 0)
    depth = try arguments.count("depth", atLeast: 0)
  }

  func run(_ output: Output) throws -> ExitStatus {
    let plan = try Inputs.plan(arguments)
    let keys = try keyRange(of: plan)
    let serializer = Serializer(plan, depth: depth)
    let store = try Inputs.store(arguments)
    if limit == 0 || keys?.isEmpty == true { return .done }

    let entity = plan.mappings[0].entity
    var writer = JSONWriter()
    var count = 0
    try store.read(plan.schema) { reader in
      try reader.forEach(of: entity, keys: keys) { reader, id, key in
        writer.removeAll(keepingCapacity: true)
        do {
          try serializer.write(id, from: &reader, to: &writer)
        } catch let error as MappingError {
          // Its path begins at this object.
          throw Failure("\(error) (\(plan.root.entity) \(key.map(\.description) ?? "without a key"))")
        }
        writer.endLine()
        writer.withBytes(output.write)
        try output.flushIfFull()
        count += 1
        return count != limit
      }
    }
    return .done
  }

  private func keyRange(of plan: Plan) throws -> ClosedKeyRange? {
    guard arguments["from"] != nil || arguments["to"] != nil else { return nil }
    return ClosedKeyRange(
      from: try arguments["from"].map { try Inputs.key($0, "--from", of: plan) },
      to: try arguments["to"].map { try Inputs.key($0, "--to", of: plan) })
  }
}

extension ClosedKeyRange {
  fileprivate var isEmpty: Bool {
    guard let lower, let upper else { return false }
    return upper < lower
  }
}
