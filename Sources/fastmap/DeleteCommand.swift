import FastMapCore
import FastMapLMDB

/// `fastmap delete`
struct DeleteCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let hasFilter = arguments["where"] != nil
    if arguments.has("orphans"), !hasFilter {
      throw UsageError(
        "--orphans needs --where FILTER: objects that were imported at the root are orphans, too")
    }
    if hasFilter == !arguments.operands.isEmpty {
      throw UsageError(hasFilter ? "expected KEY… or --where, found both" : "expected KEY… or --where FILTER")
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let plan = try CommandMappings(arguments).plan(arguments)
    let keys = try arguments.operands.map { try Inputs.key($0, "KEY", of: plan) }
    let query = try arguments["where"].map { try QueryInputs.query($0, "--where", of: plan) }
    func delete(from store: some Store) throws -> DeletionReport {
      let isDryRun = arguments.has("dry-run")
      if let query {
        let bound = try query.bound(to: plan)
        return try store.delete(
          bound.entity, plan, isDryRun: isDryRun, onlyOrphans: arguments.has("orphans")
        ) { reader, _ in try reader.ids(of: bound) }
      }
      return try store.delete(keys, of: plan, isDryRun: isDryRun)
    }
    let report =
      switch try StoreAddress(arguments) {
      case .directory(let path):
        try Self.withStore(at: path, isDryRun: arguments.has("dry-run")) { try delete(from: $0) }
      case .server(let url): try delete(from: ServerStore.existing(url, arguments))
      }
    if arguments.has("dry-run") {
      output.write("\(report); a dry run, nothing was changed\n")
    } else {
      output.write("\(report)\n")
      output.flushReport(of: "the objects are deleted")
    }
    return .done
  }

  /// Lends a store that exists. A dry run of a store that cannot be written gets a copy.
  private static func withStore<R>(
    at path: String, isDryRun: Bool, _ body: (LMDBStore) throws -> R
  ) throws -> R {
    // Fails if there is none.
    _ = try Inputs.directoryStore(path)
    return try ImportTarget(path: path, isDryRun: isDryRun).withStore(body)
  }
}

extension Store {
  /// Deletes the objects with the given keys, or none if one of the keys has no object.
  fileprivate func delete(_ keys: [PrimaryKey], of plan: Plan, isDryRun: Bool) throws -> DeletionReport {
    try delete(plan.mappings[0].entity, plan, isDryRun: isDryRun) { reader, _ in
      let found = try reader.find(keys, as: plan)
      let missing = zip(keys, found).filter { $1 == nil }.map(\.0)
      guard missing.isEmpty else {
        throw Failure(
          lines: messageLines(missing.count) {
            "\(NoSuchObjectError(entity: plan.root.entity, key: missing[$0]))"
          })
      }
      return found.compactMap(\.self)
    }
  }
}
