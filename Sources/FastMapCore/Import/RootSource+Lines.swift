internal import FastMapSystem

/// Root objects that are lines.
extension RootSource {
  func readLines(_ limit: Int, into batch: RootBatch) throws {
    while batch.roots.count < limit, !isFull(batch), let line = try nextLine(batch) {
      position.lines += 1
      let start = position.offset
      position.offset = min(window.end, line.upperBound + 1)
      let text = window[line]
      if text.allSatisfy(isSpace) { continue }
      batch.offsets.append(start)
      let reading = try read(text, number: position.lines, offset: start, with: batch.reader)
      var root = reading.node
      if rootPath != nil {
        root = try follow(rootPath, from: reading.value, base: JSONPath([.index(position.count)]), at: start)
      }
      batch.roots.append(Root(node: root, bigIntegers: reading.bigIntegers, index: position.count))
      position.count += 1
    }
  }

  /// The next line without its end; nil behind the last one.
  private func nextLine(_ batch: RootBatch) throws -> Range<Int>? {
    var searched = position.offset
    while true {
      let rest = window[searched..<window.end]
      if let base = rest.baseAddress, let end = memchr(base, 0x0A, rest.count) {
        return position.offset..<(searched + (UnsafeRawPointer(end) - base))
      }
      searched = window.end
      if window.isComplete { return position.offset == searched ? nil : position.offset..<searched }
      if batch.offsets.isEmpty { try window.drop(before: position.offset) }
      try window.more()
    }
  }

  private func read(
    _ line: UnsafeRawBufferPointer, number: Int, offset: Int, with reader: borrowing JSONReader
  ) throws(JSONSyntaxError) -> JSONReader.Reading {
    do {
      return try reader.read(line, shape: rootPath == nil ? shape : nil)
    } catch {
      throw JSONSyntaxError(
        location: TextLocation(line: number, column: error.location.column),
        offset: offset + error.offset, reason: error.reason)
    }
  }
}
