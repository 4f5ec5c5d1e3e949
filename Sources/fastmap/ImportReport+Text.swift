import FastMapCore

extension ImportReport {
  /// For people.
  var table: String {
    var rows = [["", "inserted", "updated", "unchanged", "deleted", "skipped"]]
    for row in entities { rows.append([row.entity] + row.counts.columns.map { "\($0.count)" }) }
    let seconds = fixed(duration / .seconds(1), digits: 2)
    var total = "\(counted(rootObjects, "root object")), \(size(bytes)), \(seconds) s"
    if !errors.isEmpty { total += "; \(counted(errors.count, "error"))" }
    if isDryRun { total += "; a dry run, nothing was changed" }
    return fastmap.table(rows) + total + "\n"
  }

  /// For scripts; in one line.
  var json: String {
    let entities = self.entities.map { row in
      let counts = row.counts.columns.map { "\(jsonString($0.name)): \($0.count)" }
      return "\(jsonString(row.entity)): {\(counts.joined(separator: ", "))}"
    }
    let members = [
      "\"mapping\": \(jsonString(mapping))",
      "\"dryRun\": \(isDryRun)",
      "\"bytes\": \(bytes)",
      "\"rootObjects\": \(rootObjects)",
      "\"seconds\": \(fixed(duration / .seconds(1), digits: 6))",
      "\"entities\": {\(entities.joined(separator: ", "))}",
      "\"errors\": [\(errors.map(\.json).joined(separator: ", "))]",
    ]
    return "{\(members.joined(separator: ", "))}"
  }
}

extension ImportReport.Counts {
  fileprivate var columns: [(name: String, count: Int)] {
    [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("deleted", deleted),
      ("skipped", skipped),
    ]
  }
}

extension MappingError {
  fileprivate var json: String {
    var members = ["\"path\": \(jsonString(path.description))"]
    if let location { members += ["\"line\": \(location.line)", "\"column\": \(location.column)"] }
    members.append("\"message\": \(jsonString(message))")
    return "{\(members.joined(separator: ", "))}"
  }
}
