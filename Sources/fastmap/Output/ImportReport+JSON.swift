import FastMapCore

extension ImportReport {
  /// Writes the report as one JSON object.
  ///
  /// - Parameter failure: The error that ended the import, the last of its errors.
  func write(to writer: inout JSONWriter, endedBy failure: ImportFailure? = nil) {
    writer.object { writer in
      writer.member("mapping", mapping)
      writer.member("dryRun", isDryRun)
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
      writer.name("unread")
      writer.beginArray()
      for member in unread { member.write(to: &writer) }
      writer.endArray()
      if moreUnread > 0 { writer.member("moreUnread", moreUnread) }
      writer.name("contradictions")
      writer.beginArray()
      for contradiction in contradictions { contradiction.write(to: &writer) }
      writer.endArray()
      if moreContradictions > 0 { writer.member("moreContradictions", moreContradictions) }
      writer.name("errors")
      writer.beginArray()
      for error in errors { error.write(to: &writer) }
      failure?.write(to: &writer)
      writer.endArray()
      if !notes.isEmpty { writer.member("notes", notes) }
      if attempts > 1 { writer.member("attempts", attempts) }
      if errorCount > errors.count { writer.member("moreErrors", errorCount - errors.count) }
    }
  }
}

extension ImportReport.Finding {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      guard let key else {
        writer.member("member", member)
        writer.member("objects", objects)
        return writer.member("path", paths[0].description)
      }
      writer.member("entity", place[0])
      writer.name("key")
      writer.key(key)
      writer.member("field", place[1])
      writer.member("paths", paths.map(\.description))
    }
  }
}

extension MappingError {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.error(file: file, path: path, location, message)
  }
}

/// The error that ended an import.
struct ImportFailure {
  let error: any Error
  /// The lines that the tool prints for it.
  let lines: [String]

  fileprivate func write(to writer: inout JSONWriter) {
    switch error {
    case let error as MappingError: error.write(to: &writer)
    case let error as JSONSyntaxError:
      writer.error(file: error.file, path: error.path, error.location, error.reason)
    default: writer.error(file: nil, path: nil, nil, lines.joined(separator: "\n"))
    }
  }
}

extension JSONWriter {
  fileprivate mutating func error(
    file: String?, path: JSONPath?, _ location: TextLocation?, _ message: String
  ) {
    object { writer in
      if let file { writer.member("file", file) }
      if let path { writer.member("path", path.description) }
      if let location {
        writer.member("line", location.line)
        writer.member("column", location.column)
      }
      writer.member("message", message)
    }
  }
}
