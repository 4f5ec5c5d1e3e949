import FastMapCore

extension ImportReport {
  /// For scripts; in one line.
  var json: String {
    let entities = self.entities.map { row in
      let counts = row.counts.columns.map { "\(jsonString($0.name)): \($0.count)" }
      return "\(jsonString(row.entity)): {\(counts.joined(separator: ", "))}"
    }
    var members = [
      "\"mapping\": \(jsonString(mapping))",
      "\"dryRun\": \(isDryRun)",
      "\"bytes\": \(bytes)",
      "\"rootObjects\": \(rootObjects)",
      "\"seconds\": \(fixed(duration / .seconds(1), digits: 6))",
      "\"entities\": {\(entities.joined(separator: ", "))}",
      "\"unseen\": [\(unseen.map(jsonString).joined(separator: ", "))]",
      "\"errors\": [\(errors.map(\.json).joined(separator: ", "))]",
    ]
    if !layoutNotes.isEmpty {
      members.append("\"layoutNotes\": [\(layoutNotes.map(jsonString).joined(separator: ", "))]")
    }
    if errorCount > errors.count { members.append("\"moreErrors\": \(errorCount - errors.count)") }
    return "{\(members.joined(separator: ", "))}"
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
