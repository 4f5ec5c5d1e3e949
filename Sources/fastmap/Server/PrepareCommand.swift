import FastMapCore

#if Postgres
  import FastMapPostgres
#endif

extension Tool {
  /// `fastmap prepare`
  static func prepare(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let mappings = try CommandMappings(arguments)
    var schema = try (arguments["as"] == nil ? mappings.schema() : mappings.plan(arguments).schema)
      .changingStore
    schema.keptFile = { [file = mappings.file] in KeptMappings.file($0, adding: file) }
    guard case .server(let url) = try StoreAddress(arguments) else {
      throw UsageError(
        "--store: expected a PostgreSQL server, found a directory; the first import makes a store in a directory"
      )
    }
    let store = try ServerStore.open(url, arguments)
    #if Postgres
      if arguments.has("print") {
        for statement in try store.preparation(of: schema) { output.write(statement + "\n") }
        return .done
      }
      let notes = try store.prepare(schema, precedesWrite: false)
    #else
      let notes = try store.prepare(schema)
    #endif
    Output.complain(notes)
    return .done
  }
}
