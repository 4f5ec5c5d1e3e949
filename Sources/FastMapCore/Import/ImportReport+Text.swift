extension ImportReport: CustomStringConvertible {
  /// The report as the tool prints it: a table of the counts, a summary, and notes.
  public var description: String { (table + notes.map { $0 + "\n" }.joined()).droppingLastLineFeed }

  /// The counts and the summary, each line with its line feed.
  package var table: String {
    var rows = [["", "inserted", "updated", "unchanged", "deleted", "skipped"]]
    for row in entities { rows.append([escaped(row.entity)] + row.counts.columns.map { "\($0.count)" }) }
    let seconds = fixed(duration / .seconds(1), digits: 2)
    var total = counted(rootObjects, isOfSave ? "changed object" : "root object")
    // A save has no text, and neither has a tree.
    if !isOfSave, bytes > 0 || rootObjects == 0 { total += ", \(byteSize(bytes))" }
    total += ", \(seconds) s"
    if errorCount > 0 { total += "; \(counted(errorCount, "error"))" }
    if isDryRun { total += "; a dry run, nothing was changed" }
    return textTable(rows) + total + "\n"
  }

  /// Notes for the user, one per line.
  package var notes: [String] {
    var notes: [String] = []
    if !unseen.isEmpty {
      let fields = list(unseen.map { escaped($0) }, conjunction: "or", most: Self.notedFields + 1)
      notes.append("no object of the payload has \(fields)")
    }
    return notes + layoutNotes
  }

  /// The maximum number of fields in a note.
  private static let notedFields = 20
}

extension ImportReport.Counts {
  /// The counts with their names, in the order of a report.
  package var columns: [(name: String, count: Int)] {
    [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("deleted", deleted),
      ("skipped", skipped),
    ]
  }
}

extension DeletionReport: CustomStringConvertible {
  /// The report as the tool prints it: a table of the counts, and the sum.
  public var description: String {
    let rows = [["", "deleted"]] + entities.map { [escaped($0.entity), "\($0.counts.deleted)"] }
    return (entities.isEmpty ? "" : textTable(rows)) + counted(total, "object") + " deleted"
  }
}

extension String {
  fileprivate var droppingLastLineFeed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
