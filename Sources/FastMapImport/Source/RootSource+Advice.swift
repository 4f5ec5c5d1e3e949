internal import CFastMap

/// Recognises texts in another format or layout, for messages with advice.
///
/// A message must not depend on how the text arrives. So all that it looks at stands at the error, or is read before anything
/// else.
extension RootSource {
  /// Refuses a text that is compressed or not in UTF-8, and notes whether it looks like CSV.
  func lookAtBeginning() throws {
    while ForeignFormat.needsMore(window.bytes), !window.isComplete { try window.more() }
    if let format = ForeignFormat(window.bytes) { throw format.error }
    let start = position.offset
    while start == window.end, !window.isComplete { try window.more() }  // after a byte order mark
    guard start < window.end, ForeignText.mayBeCSV(window[start]) else { return }
    // No object and no array: a text that is no rows of CSV is short, or wrong.
    var searched = start
    while searched < min(window.end, start + ForeignText.longestLine) || !window.isComplete {
      if searched == window.end {
        try window.more()
        continue
      }
      if searched - start == ForeignText.longestLine || window[searched] == UInt8(ascii: "\n") { break }
      searched += 1
    }
    if ForeignText.looksLikeCSV(window[start..<searched]) { endOfCSVLine = searched }
  }

  func advise(_ error: JSONSyntaxError, _ code: fastmap_read_error) -> JSONSyntaxError {
    if let advice = adviceForCSV(at: error.offset) { return error.adding(advice) }
    guard code == FASTMAP_READ_END_EXPECTED, error.offset < window.end else { return error }
    switch window[error.offset] {
    case UInt8(ascii: ","):
      return error.adding("this looks like several values; put them within [ and ]")
    case let byte where "{[\"-0123456789".utf8.contains(byte):
      return error.adding(
        "this looks like several values; write one a line (jq -c .) and import them as NDJSON (--format ndjson)"
      )
    default: return error
    }
  }

  /// Adds advice to an error of a line.
  ///
  /// - Parameters:
  ///   - offset: The offset of the error in the line.
  ///   - isLast: Whether no line feed ends the line.
  func advise(
    _ error: JSONSyntaxError, _ code: fastmap_read_error, at offset: Int, in line: UnsafeRawBufferPointer,
    isLast: Bool
  ) -> JSONSyntaxError {
    if let advice = adviceForCSV(at: error.offset) { return error.adding(advice) }
    let rest = UnsafeRawBufferPointer(rebasing: line[min(offset, line.count)...])
    let isAtEnd = rest.allSatisfy(isSpace)
    if code == FASTMAP_READ_END_EXPECTED, let byte = rest.first {
      if byte == UInt8(ascii: ","), rest.dropFirst().allSatisfy(isSpace) {
        return error.adding(
          "a comma ends the line; remove it, or put all lines within [ and ] and import them as JSON (--format json)"
        )
      }
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        return error.adding("this looks like several values on a line; write one a line (jq -c .)")
      }
    }
    let beginsInside = line.first { !isSpace($0) }.map { "{[".utf8.contains($0) } ?? false
    if isAtEnd, beginsInside, !isLast, position.count == 0, code != FASTMAP_READ_END_EXPECTED {
      return error.adding(
        "this looks like a value over several lines; import one value as JSON (--format json), or write each on "
          + "one line (jq -c .)")
    }
    return error
  }

  private func adviceForCSV(at offset: Int) -> String? {
    guard let end = endOfCSVLine, offset <= end else { return nil }
    return ForeignText.adviceForCSV
  }
}

extension JSONSyntaxError {
  fileprivate func adding(_ advice: String) -> JSONSyntaxError {
    JSONSyntaxError(location: location, offset: offset, reason: "\(reason); \(advice)")
  }
}
