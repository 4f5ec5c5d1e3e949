internal import CFastMap

/// Root objects that are the elements of an array.
///
/// A batch ends at the same element whether the text is in memory or arrives in pieces. So the import does the same.
extension RootSource {
  /// The next byte of a batch, or the reason why it ends.
  enum Next {
    case byte(UInt8)
    /// The text has ended.
    case end
    /// It belongs to the next batch.
    case full
  }

  func readElements(_ limit: Int, _ outerDepth: Int, into batch: ParsedBatch) throws {
    if fansOut, position.due != .nothing { notePage(isArray: true, in: batch) }
    let end = readsMembers ? UInt8(ascii: "}") : UInt8(ascii: "]")
    while batch.roots.count < limit, !isFull(batch), !position.hasEnded {
      let next = try nextByte(batch)
      switch (position.due, next) {
      case (_, .full): return
      case (.first, .byte(end)), (.comma, .byte(end)):
        position.offset += 1
        position.due = .nothing
        if fansOut {
          if position.count > position.pageFirst { markObjects() }
          continue
        }
        if rootPath != nil, endOfRootPath(hasFound: !batch.roots.isEmpty) { return }
      case (.comma, .byte(UInt8(ascii: ","))):
        position.offset += 1
        position.due = .element
      case (.comma, _):
        throw error(
          readsMembers ? FASTMAP_READ_COMMA_OR_BRACE_EXPECTED : FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED,
          at: position.offset)
      case (.nothing, _) where fansOut:
        guard try nextPage(batch) else { return }
      case (.nothing, .byte):
        // Only behind an array at the root.
        guard rootPath != nil else { throw error(FASTMAP_READ_END_EXPECTED, at: position.offset) }
        try scanOutside()
        if case .whole = layout { return }
      case (.nothing, .end):
        guard rootPath != nil else {
          position.hasEnded = true
          continue
        }
        try scanOutside()
        if case .whole = layout { return }
      case (.first, _), (.element, _):
        if readsMembers {
          try addMember(outerDepth, to: batch)
        } else {
          try addElement(outerDepth, to: batch)
        }
        position.due = .comma
      }
    }
  }

  /// Reads the member that begins here into a batch: its value is a root object.
  private func addMember(_ outerDepth: Int, to batch: ParsedBatch) throws {
    guard position.offset < window.end, window[position.offset] == UInt8(ascii: "\"") else {
      let code = position.due == .first ? FASTMAP_READ_NAME_OR_END_EXPECTED : FASTMAP_READ_NAME_EXPECTED
      throw error(code, at: position.offset)
    }
    let name = try readElement(outerDepth, with: batch.reader)
    position.offset = window.start + name.end
    guard case .byte(UInt8(ascii: ":")) = try nextByteOfMember(batch) else {
      throw error(FASTMAP_READ_COLON_EXPECTED, at: position.offset)
    }
    position.offset += 1
    _ = try nextByteOfMember(batch)
    try addElement(outerDepth, to: batch)
    batch.roots[batch.roots.count - 1].name = name.node.text
  }

  /// Skips whitespace inside of a member, which no batch divides.
  private func nextByteOfMember(_ batch: ParsedBatch) throws -> Next {
    var next = try nextByte(batch)
    while case .full = next { next = try nextByte(batch) }
    return next
  }

  /// Reads the value that begins here into a batch, as a root object.
  func addElement(_ outerDepth: Int, to batch: ParsedBatch) throws {
    batch.offsets.append(position.offset)
    let reading = try readElement(outerDepth, with: batch.reader)
    batch.roots.append(Root(node: reading.node, bigIntegers: reading.bigIntegers, index: position.count))
    position.count += 1
    position.offset = window.start + reading.end
  }

  /// Behind an array at a root path. A text in memory has been checked to its end, a stream has not.
  ///
  /// - Returns: Whether the batch ends, as the rest of a stream replaces its text.
  private func endOfRootPath(hasFound: Bool) -> Bool {
    if !window.isStream { position.hasEnded = true }
    return window.isStream && hasFound
  }

  /// Skips whitespace, and drops the text before it unless a batch has objects in that.
  func nextByte(_ batch: ParsedBatch?) throws -> Next {
    while true {
      while position.offset < window.end {
        let byte = window[position.offset]
        guard isSpace(byte) else { return .byte(byte) }
        position.offset += 1
        if let batch, isFull(batch) { return .full }
      }
      if window.isComplete { return .end }
      if batch?.offsets.isEmpty ?? true { try window.drop(before: position.offset) }
      try window.more()
    }
  }

  /// Reads the element that begins here, once the window shows all of it.
  private func readElement(
    _ outerDepth: Int, with reader: borrowing JSONReader
  ) throws -> JSONReader.Reading {
    while true {
      let bytes = window.bytes
      do {
        let reading = try reader.attempt(
          bytes, from: position.offset - window.start, isWhole: false, outerDepth: outerDepth,
          shape: shape)
        // A number at the very end may have only begun.
        let isCut = reading.end == bytes.count && isDigit(bytes[reading.end - 1]) && !window.isComplete
        guard isCut else { return reading }
      } catch {
        // A number cut before its exponent may be too large.
        let isAtEnd = error.offset == bytes.count || error.code == FASTMAP_READ_NUMBER_OVERFLOW
        let isCut = isAtEnd && !window.isComplete
        guard isCut else { throw self.error(error.code, at: window.start + error.offset) }
      }
      try complete(outerDepth)
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// Has the window show all of the element that begins here, or as much as its first error needs.
  ///
  /// So the element is read twice at most, in however many pieces it arrives.
  private func complete(_ outerDepth: Int) throws {
    do {
      _ = try skip(from: position.offset, outerDepth: outerDepth, keeps: true)
    } catch let error as JSONReader.Failure {
      throw self.error(error.code, at: error.offset)
    }
  }

  /// Skips a value of a stream.
  ///
  /// - Parameter limit: Where the value must have ended.
  /// - Returns: Its end; nil beyond the limit.
  /// - Throws: ``JSONReader/Failure``.
  func skip(from start: Int, outerDepth: Int, keeps: Bool, limit: Int = .max) throws -> Int? {
    if skipper == nil {
      skipper = try ValueSkipper(maxDepth: reader.maxDepth, takesAllNumbers: reader.keepsReals)
    }
    return try skipper?.skip(window, from: start, outerDepth: outerDepth, keeps: keeps, limit: limit)
  }
}
