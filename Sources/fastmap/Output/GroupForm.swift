import FastMapCore

/// The groups that the arguments of `query` ask for.
///
///     fastmap query shop.db Order --group status,customer.city --count --sum total --sort '-sum(total)'
struct GroupForm {
  private let fields: [FilterTerm]
  private let columns: [GroupColumn]
  private let names: [String]
  private let order: [Groups.Order]
  private let limit: Int
  private let form: RowWriter.Form

  /// The options that make groups.
  static let options = ["group"] + GroupColumn.Function.allCases.filter { $0 != .count }.map(\.rawValue)

  /// - Throws: `UsageError` for fields that do not group or have no sum.
  init(_ arguments: Arguments, of plan: Plan) throws {
    fields = try Self.terms("group", arguments, of: plan).map(\.term)
    var columns: [(name: String, column: GroupColumn)] = []
    for function in GroupColumn.Function.allCases {
      if function == .count {
        if arguments.has("count") { columns.append(("count", GroupColumn(.count))) }
      } else {
        columns += try Self.terms(function.rawValue, arguments, of: plan).map {
          ("\(function)(\($0.name))", GroupColumn(function, $0.term))
        }
      }
    }
    self.columns = columns.map(\.column)
    let names =
      (arguments["group"].map { QueryInputs.parts($0, separatedBy: ",") } ?? []) + columns.map(\.name)
    self.names = names
    order = try (arguments["sort"].map { QueryInputs.parts($0, separatedBy: ",") } ?? []).map { word in
      let name = word.hasPrefix("-") ? String(word.dropFirst()) : word
      guard let column = names.firstIndex(of: name) else {
        throw UsageError("--sort: no column named \(quoted(name)); there are \(list(names.map(quoted)))")
      }
      return (column, word.hasPrefix("-"))
    }
    limit = try arguments.count("limit", atLeast: 0) ?? .max
    form =
      try RowWriter.Form(arguments) ?? (System.isTerminal(System.standardOutput) ? .table : .ndjson)
  }

  /// The fields of an option.
  private static func terms(
    _ option: String, _ arguments: Arguments, of plan: Plan
  ) throws -> [(name: String, term: FilterTerm)] {
    guard let text = arguments[option] else { return [] }
    return try QueryInputs.parts(text, separatedBy: ",").map { name in
      guard let term = QueryInputs.term(name) else {
        throw UsageError("--\(option): expected FIELD[,FIELD…], found \(quoted(text))")
      }
      let columns = GroupColumn.Function(rawValue: option).map { [GroupColumn($0, term)] }
      do throws(FilterError) {
        _ = try Groups(columns == nil ? [term] : [], columns ?? [], of: plan.mappings[0].entity, in: plan)
      } catch { throw QueryInputs.usage(error, "--" + option, nil) }
      return (name, term)
    }
  }

  func write(_ query: Query<Plan>, from snapshot: inout Snapshot, _ output: Output) throws {
    let groups = try snapshot.groups(query, by: fields, columns)
    var writer = RowWriter(form, names, to: output)
    for group in try groups.sorted(by: order).prefix(limit) {
      try writer.write(
        try groups.row(group).enumerated().map { column, value in
          if groups.keyFields.contains(column), let key = PrimaryKey(value) { return .key(key) }
          return value == .null ? .none : .value(value)
        })
    }
    writer.end()
  }
}
