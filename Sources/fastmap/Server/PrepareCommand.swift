import FastMapCore

#if Postgres
  import FastMapPostgres
#endif

/// `fastmap prepare`
struct PrepareCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run(_ output: Output) throws -> ExitStatus {
    let schema = try arguments["as"] == nil ? allMappings() : Inputs.plan(arguments).schema
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

  private func allMappings() throws -> Schema {
    let path = try arguments.required("mappings")
    let mappings = try Inputs.mappings(path)
    do throws(MappingDefinitionError) { return try mappings.schema() } catch {
      throw Inputs.failure(error, in: path)
    }
  }
}
