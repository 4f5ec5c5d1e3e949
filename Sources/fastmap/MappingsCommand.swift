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
    var schema = try mappings.schema().changingStore
    schema.keptFile = { [file = mappings.file] _ in file }
    let notes =
      switch try StoreAddress(arguments) {
      case .directory(let path):
        try ImportTarget(path: path, isDryRun: false).withStore { try keep(mappings, schema, in: $0) }
      case .server(let url): try keep(mappings, schema, in: ServerStore.open(url, arguments))
      }
    Output.complain(notes)
    return .done
  }

  private func keep(
    _ mappings: CommandMappings, _ schema: Schema, in store: some Store
  ) throws -> [String] {
    let notes = try store.prepare(schema)
    return try store.write(schema) { writer in
      let old = try KeptMappings(in: &writer.reader)
      var kept = KeptMappings(file: mappings.file)
      kept.roots = (old?.roots ?? []).filter { mappings.set[$0] != nil }
      _ = try kept.write(to: &writer, since: old)
      return .commit(notes + writer.notes)
    }
  }
}
