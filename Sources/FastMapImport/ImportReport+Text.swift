extension ImportReport: CustomStringConvertible {
  /// The report as the tool prints it: a table of the counts, a summary, and notes.
  public var description: String { (table + noteLines.map { $0 + "\n" }.joined()).droppingLastLineFeed }

  /// The counts and the summary, each line with its line feed.
  package var table: String {
    // Some columns are there only if one of the entities has a count in them.
    let names = ImportReport.Counts.names.filter { name, isRare, count in
      !isRare || entities.contains { $0.counts[keyPath: count] > 0 }
    }
    var rows = [[""] + names.map(\.name)]
    for row in entities {
      rows.append([escaped(row.entity)] + names.map { "\(row.counts[keyPath: $0.count])" })
    }
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
  package var noteLines: [String] {
    var lines: [String] = []
    if !unseen.isEmpty {
      let fields = list(unseen.map { escaped($0) }, conjunction: "or", most: Self.notedFields + 1)
      lines.append("no object of the payload has \(fields)")
    }
    if !unread.isEmpty {
      var members = unread.prefix(Self.notedMembers).map {
        "\(escaped($0.member)) (\(counted($0.objects, "object")))"
      }
      let others = unread.count - members.count + moreUnread
      if others > 0 { members.append("\(others) more") }
      lines.append("no field reads \(list(members))")
    }
    if let first = contradictions.first {
      let others = contradictions.count - 1 + moreContradictions
      lines.append(
        "the payload gives different values to \(escaped(first.member)) of the object \(first.key ?? 0), "
          + "at \(list(first.paths.map(\.description)))"
          + (others > 0 ? ", and so it does to \(counted(others, "other field"))" : ""))
    }
    return lines + notes
  }

  /// The maximum number of unread members in a note.
  private static let notedMembers = 5

  /// The maximum number of fields in a note.
  private static let notedFields = 20
}

extension ImportReport.Counts {
  /// The counts with their names, in the order of a report, and whether a report has them only where they are not zero.
  fileprivate static var names: [(name: String, isRare: Bool, count: KeyPath<Self, Int>)] {
    [
      ("inserted", false, \.inserted), ("updated", false, \.updated), ("unchanged", false, \.unchanged),
      ("deleted", false, \.deleted), ("skipped", false, \.skipped), ("stale", true, \.stale),
      ("stubs", true, \.stubs),
    ]
  }

  /// The counts with their names, as a report of one entity has them.
  package var columns: [(name: String, count: Int)] {
    Self.names.compactMap { name, isRare, count in
      isRare && self[keyPath: count] == 0 ? nil : (name, self[keyPath: count])
    }
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
