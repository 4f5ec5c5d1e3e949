import FastMapCore

/// `fastmap export`
struct ExportCommand {
  private let arguments: Arguments
  private let limit: Int?
  private let shape: OutputShape

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    limit = try arguments.count("limit", atLeast: 0)
    shape = try OutputShape(arguments)
  }

  func run(_ output: Output) throws -> ExitStatus {
    let planned = try PlannedStore(arguments)
    let plan = planned.plan
    let keys = try keyRange(of: plan)
    let serializer = Serializer(plan, options: shape.options)
    let store = try planned.store()
    if let rows = try RowForm(arguments, of: plan) { return try writeRows(rows, plan, keys, store, output) }
    let options = ExportOptions.wholeObjects(arguments)
    func write(from store: some Store) throws {
      _ = try store.read(plan.schema) { reader in
        func write(from reader: inout some StoreReader) throws {
          _ = try serializer.exportTable(
            from: &reader, keys: keys, limit: keys?.isEmpty == true ? 0 : limit ?? .max, options: options
          ) { bytes in
            output.write(bytes)
            try output.flushIfFull()
          }
        }
        if var moved = try RestReader(reader, plan) {
          try write(from: &moved)
        } else {
          try write(from: &reader)
        }
      }
    }
    try write(from: store)
    if options.format == .json { output.write("\n") }
    Output.complain(try store.membersLeftInRests(of: plan))
    return .done
  }

  private func writeRows(
    _ rows: RowForm, _ plan: Plan, _ keys: KeyRange?, _ store: some Store, _ output: Output
  ) throws -> ExitStatus {
    try store.readWithRests(plan) { snapshot in
      var query = plan.query
      if let keys { query = query.keys(keys) }
      if let limit { query = query.limit(limit) }
      try rows.write(try snapshot.ids(query), from: &snapshot, output)
    }
    Output.complain(try store.membersLeftInRests(of: plan))
    return .done
  }

  private func keyRange(of plan: Plan) throws -> KeyRange? {
    guard arguments["from"] != nil || arguments["to"] != nil else { return nil }
    return KeyRange(
      from: try arguments["from"].map { try Inputs.key($0, "--from", of: plan, as: .lower) },
      to: try arguments["to"].map { try Inputs.key($0, "--to", of: plan, as: .upper) })
  }
}
