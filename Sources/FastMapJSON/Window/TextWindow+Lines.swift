internal import FastMapSystem

extension TextWindow {
  /// The most bytes of a first line that is recognised as one of several.
  private static let longestFirstLine = 2 << 20

  /// Whether the first line of the text is a value, and another one begins after it.
  ///
  /// - Parameter maxDepth: The most nested arrays and objects of a value.
  package func beginsWithLines(_ maxDepth: Int) throws -> Bool {
    let limit = start + Self.longestFirstLine
    guard let first = try valueStart(from: start + bytes.textStart, limit),
      let feed = try lineFeed(from: first, limit),
      try valueStart(from: feed, limit) != nil
    else { return false }
    return try JSONReader(maxDepth: maxDepth).canRead(self[first..<feed])
  }

  /// Where a value begins after blanks; nil for anything else.
  private func valueStart(from offset: Int, _ limit: Int) throws -> Int? {
    var offset = offset
    while offset < limit {
      while offset == end {
        if isComplete { return nil }
        try more()
      }
      let byte = self[offset]
      if "{[\"-0123456789tfn".utf8.contains(byte) { return offset }
      guard " \t\r\n".utf8.contains(byte) else { return nil }
      offset += 1
    }
    return nil
  }

  private func lineFeed(from offset: Int, _ limit: Int) throws -> Int? {
    var searched = offset
    while searched < limit {
      let rest = self[searched..<min(end, limit)]
      if let base = rest.baseAddress, let feed = memchr(base, 0x0A, rest.count) {
        return searched + (UnsafeRawPointer(feed) - base)
      }
      searched = min(end, limit)
      if isComplete { return nil }
      try more()
    }
    return nil
  }

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
