internal import FastMapSystem

extension TextWindow {
  /// The line that begins at an offset, without its line feed; nil at the end. Reads as much of a stream as needed.
  ///
  /// - Parameters:
  ///   - keeps: Whether the window keeps the text before the line.
  ///   - limit: A longer line is cut off, at or after this many bytes.
  package func line(from start: Int, keeps: Bool, limit: Int = .max) throws -> Range<Int>? {
    var searched = start
    while true {
      let rest = self[searched..<end]
      if let base = rest.baseAddress, let feed = memchr(base, 0x0A, rest.count) {
        return start..<(searched + (UnsafeRawPointer(feed) - base))
      }
      searched = end
      if isComplete { return start == end ? nil : start..<end }
      if end - start >= limit { return start..<end }
      if !keeps { try drop(before: start) }
      try more()
    }
  }
}
