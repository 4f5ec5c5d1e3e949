import FastMapCore
import FastMapLMDB

/// `fastmap get`
struct GetCommand {
  private let arguments: Arguments
  private let depth: Int?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    depth = try arguments.count("depth", atLeast: 0)
  }

  func run(_ output: Output) throws -> ExitStatus {
    let plan = try Inputs.plan(arguments)
    let key = try Inputs.key(arguments.operand ?? "", "KEY", of: plan)
    let serializer = Serializer(plan, depth: depth)
    let store = try Inputs.store(arguments)
    let entity = plan.mappings[0].entity
    var writer = JSONWriter()
    let isFound = try store.read(plan.schema) { reader in
      guard let id = try reader.find(key, of: entity) else { return false }
      return try serializer.write(id, from: &reader, to: &writer)
    }
    guard isFound else { throw Failure("no \(escaped(plan.root.entity)) with the key \(key)") }
    writer.endLine()
    writer.withBytes(output.write)
    return .done
  }
}

extension Serializer {
  /// As the tool writes objects: in proportion to the store, or so many levels of them.
  init(_ plan: Plan, depth: Int?) {
    var options = SerializerOptions()
    options.cycles = depth == nil ? .entityAsKey : .ancestorAsKey
    options.depth = depth
    self.init(plan, options: options)
  }
}
