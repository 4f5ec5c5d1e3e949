import FastMapCore

extension ImportReport {
  /// Writes the report as one JSON object.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("mapping", mapping)
      writer.name("dryRun")
      writer.boolean(isDryRun)
      writer.member("bytes", bytes)
      writer.member("rootObjects", rootObjects)
      writer.name("seconds")
      var seconds = fixed(duration / .seconds(1), digits: 6)
      seconds.withUTF8 { writer.raw($0) }
      writer.name("entities")
      writer.object { writer in
        for row in entities {
          writer.name(forTerminal: row.entity)
          writer.object { writer in
            for column in row.counts.columns { writer.member(column.name, column.count) }
          }
        }
      }
      writer.member("unseen", unseen)
      writer.name("errors")
      writer.beginArray()
      for error in errors { error.write(to: &writer) }
      writer.endArray()
      if !layoutNotes.isEmpty { writer.member("layoutNotes", layoutNotes) }
      if attempts > 1 { writer.member("attempts", attempts) }
      if errorCount > errors.count { writer.member("moreErrors", errorCount - errors.count) }
    }
  }
}

extension MappingError {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("path", path.description)
      if let location {
        writer.member("line", location.line)
        writer.member("column", location.column)
      }
      writer.member("message", message)
    }
  }
}
