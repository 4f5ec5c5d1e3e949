import FastMapCore
import FastMapLMDB

/// `fastmap mappings`: prints the mapping file that a store keeps, or puts another in its place.
struct MappingsCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    guard let path = arguments.operand else {
      let mappings = try CommandMappings(arguments)
      mappings.file.withUnsafeBytes { output.write($0) }
      return .done
    }
    let mappings = try CommandMappings(at: path)
    _ = try mappings.schema()
    let plan = try Plan(joining: [mappings.set.mappings])
    let notes =
      switch try StoreAddress(arguments) {
      case .directory(let path):
        try ImportTarget(path: path, isDryRun: false).withStore { try keep(mappings, plan, in: $0) }
      case .server(let url): try keep(mappings, plan, in: ServerStore.open(url, arguments))
      }
    Output.complain(notes)
    return .done
  }

  private func keep(_ mappings: CommandMappings, _ plan: Plan, in store: some Store) throws -> [String] {
    var schema = plan.schema.changingStore
    schema.keptFile = { [file = mappings.file] _ in file }
    let moves = try store.restMoves(to: plan, isDryRun: false)
    let notes = try store.prepare(schema)
    return try store.write(schema) { writer in
      let moved = try moves?.run(on: &writer).notes ?? []
      let old = try KeptMappings(in: &writer.reader)
      var kept = KeptMappings(file: mappings.file)
      kept.roots = try old?.roots(in: mappings.set) ?? []
      _ = try kept.write(to: &writer, since: old)
      return .commit(notes + writer.notes + moved)
    }
  }
}
