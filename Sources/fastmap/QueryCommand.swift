import FastMapCore

/// `fastmap query`
struct QueryCommand {
  private let arguments: Arguments
  private let limit: Int?
  private let shape: OutputShape
  private let isGrouped: Bool

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    limit = try arguments.count("limit", atLeast: 0)
    shape = try OutputShape(arguments)
    let grouping = GroupForm.options.first { arguments[$0] != nil }
    isGrouped = grouping != nil
    let hasRows = arguments["fields"] != nil || ![nil, "ndjson"].contains(arguments["format"])
    var forms = ["positions", "count", "keys", "explain"].filter(arguments.has)
    if let grouping {
      forms.removeAll { $0 == "count" }
      forms.append(grouping)
      forms += ["fields", "after"].filter { arguments[$0] != nil }
    } else if hasRows {
      forms.append(arguments["fields"] == nil ? "format" : "fields")
    }
    if forms.count > 1 {
      throw UsageError("expected one of \(list(forms.map { "--" + $0 }, conjunction: "or"))")
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let planned = try PlannedStore(arguments)
    let plan = planned.plan
    let groups = try isGrouped ? GroupForm(arguments, of: plan) : nil
    var query = try QueryInputs.query(
      arguments.operand, "FILTER", sortedBy: isGrouped ? nil : arguments["sort"], of: plan)
    if arguments.has("stubs") { query = try stubs(of: query) }
    if arguments.has("orphans") { try Inputs.keyType("--orphans", of: plan) }
    if let groups {
      let store = try planned.store()
      try store.readWithRests(query.source) {
        try groups.write(try narrowed(query, in: &$0), from: &$0, output)
      }
      return .done
    }
    if arguments.has("keys") { try Inputs.keyType("--keys", of: plan) }
    if arguments.has("positions") { try Inputs.keyType("--positions", of: plan) }
    if let after = arguments["after"] { query = try self.query(query, after: after) }
    try write(query, from: planned.store(), output)
    return .done
  }

  private func stubs(of query: Query<Plan>) throws -> Query<Plan> {
    do throws(FilterError) { try query.source.query.stubs.check(of: query.source) } catch {
      throw UsageError("--stubs: \(error)")
    }
    return query.stubs
  }

  /// The query, or with `--orphans` one of its objects to which nothing refers.
  private func narrowed(_ query: Query<Plan>, in snapshot: inout Snapshot) throws -> Query<Plan> {
    guard arguments.has("orphans") else { return query }
    var all = try QueryInputs.query(arguments.operand, "FILTER", of: query.source)
    if arguments.has("stubs") { all = all.stubs }
    return query.keys(try snapshot.orphans(all))
  }

  private func query(_ query: Query<Plan>, after text: String) throws -> Query<Plan> {
    guard let position = try? Position(text) else {
      return query.after(key: try Inputs.key(text, "--after", of: query.source))
    }
    let next = query.after(position)
    do throws(FilterError) { try next.check(of: query.source) } catch {
      throw UsageError("--after: \(error)")
    }
    return next
  }

  private func write(_ query: Query<Plan>, from store: some Store, _ output: Output) throws {
    try store.readWithRests(query.source) { snapshot in
      var query = try narrowed(query, in: &snapshot)
      if let limit { query = query.limit(limit) }
      if arguments.has("count") {
        let count = try snapshot.count(query)
        output.write("\(count)\n")
      } else if arguments.has("explain") {
        let explanation = try snapshot.explain(query)
        output.write(printable("\(explanation)") + "\n")
      } else if arguments.has("keys") {
        try snapshot.forEachKey(query) { key in
          output.writeLine { $0.key(key) }
          try output.flushIfFull()
        }
      } else if let rows = try RowForm(
        arguments, of: query.source,
        isTable: !arguments.has("positions") && System.isTerminal(System.standardOutput))
      {
        try rows.write(try snapshot.ids(query), from: &snapshot, output)
      } else {
        let serializer = Serializer(query.source, options: shape.options)
        let options = ExportOptions.wholeObjects(arguments)
        func write(_ bytes: UnsafeRawBufferPointer) throws {
          output.write(bytes)
          try output.flushIfFull()
        }
        guard arguments.has("positions") else {
          try serializer.export(query, from: &snapshot.reader, options: options, to: write)
          if options.format == .json { output.write("\n") }
          return
        }
        let position = try serializer.exportPage(
          query, from: &snapshot.reader, options: options, to: write)
        if let position { output.writeLine { Self.write(position, &$0) } }
      }
    }
  }

  private static func write(_ position: Position, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("position", position.description)
    writer.endObject()
  }
}
