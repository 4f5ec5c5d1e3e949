import FastMapCore
import FastMapLMDB

/// `fastmap delete`
struct DeleteCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let choices = ["where"].filter { arguments[$0] != nil } + ["orphans"].filter(arguments.has)
    if arguments.operands.isEmpty, choices.isEmpty { throw UsageError("expected KEY… or --where FILTER") }
    if let choice = choices.first, !arguments.operands.isEmpty {
      throw UsageError("expected KEY… or --\(choice), found both")
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let plan = try plan()
    let keys = try arguments.operands.map { try Inputs.key($0, "KEY", of: plan) }
    let query = keys.isEmpty ? try QueryInputs.query(arguments["where"], "--where", of: plan) : nil
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

  private func plan() throws -> Plan {
    let mappings = try CommandMappings(arguments)
    let plan = try mappings.plan(arguments)
    if arguments.has("orphans"), arguments["where"] == nil { try mappings.refuseRoots(of: plan.root) }
    return plan
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

extension CommandMappings {
  /// - Throws: `UsageError` if objects of the entity were imported at the root, where all are orphans.
  fileprivate func refuseRoots(of mapping: MappingDefinition) throws {
    guard store != nil else {
      throw UsageError("--orphans needs --where FILTER, or the mapping file that the store keeps")
    }
    guard roots.contains(where: { set[$0]?.entity == mapping.entity }) else { return }
    throw UsageError(
      "--orphans needs --where FILTER, as objects of \(escaped(mapping.entity)) were imported at the root: nothing has to refer to them"
    )
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
