import FastMapCore
import FastMapLMDB

#if Postgres
  // Without it, the call for a server means the default of `Store`, which knows no index.
  import FastMapPostgres
#endif

extension Tool {
  /// `fastmap drop-index`
  static func dropIndex(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    let name = arguments.operand ?? ""
    let entity = try arguments.required("entity")
    let address = try StoreAddress(arguments)
    do {
      switch address {
      case .directory(let path):
        // Fails if there is none.
        _ = try Inputs.directoryStore(path)
        try LMDBStore(at: path).dropIndex(name, of: entity)
      case .server(let url): try ServerStore.existing(url, arguments).dropIndex(name, of: entity)
      }
    } catch let error as UnknownNameError {
      throw Failure("\(address.name): \(error)")
    }
    output.write("dropped the index \(quoted(name)) of \(escaped(entity))\n")
    output.flushReport(of: "the index is dropped")
    return .done
  }
}
