internal import CFastMap

/// Root objects that are the elements of an array.
///
/// A batch ends at the same element whether the text is in memory or arrives in pieces. So the import does the same.
extension RootSource {
  /// The next byte of a batch, or the reason why it ends.
  enum Next {
    case byte(UInt8)
    case end
    /// The element belongs to the next batch.
    case full
  }

  func readElements(_ limit: Int, _ outerDepth: Int, into batch: ParsedBatch) throws {
    if form.fansOut, position.due != .nothing { recordPage(isArray: true, in: batch) }
    let end = form.readsMembers ? UInt8(ascii: "}") : UInt8(ascii: "]")
    while batch.roots.count < limit, !isFull(batch), !position.hasEnded {
      let next = try nextByte(batch)
      switch (position.due, next) {
      case (_, .full): return
      case (.first, .byte(end)), (.comma, .byte(end)):
        position.offset += 1
        position.due = .nothing
        if form.fansOut {
          if position.count > position.pageFirst { markObjects() }
        } else if !form.steps.isEmpty {
          if !window.isStream {
            // It has been checked to its end.
            position.offset = window.end
            position.hasEnded = true
          } else if !batch.roots.isEmpty {
            return  // the rest of the stream replaces its text
          }
        }
      case (.comma, .byte(UInt8(ascii: ","))):
        position.offset += 1
        position.due = .element
      case (.comma, _):
        throw error(
          form.readsMembers
            ? FASTMAP_READ_COMMA_OR_BRACE_EXPECTED : FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED,
          at: position.offset)
      case (.nothing, _) where form.fansOut:
        guard try nextPage(batch) else { return }
      case (.nothing, .byte) where form.steps.isEmpty:
        throw error(FASTMAP_READ_END_EXPECTED, at: position.offset)
      case (.nothing, .end) where form.steps.isEmpty:
        position.hasEnded = true
      case (.nothing, _):
        try scanOutside()
        if case .whole = layout { return }
      case (.first, _), (.element, _):
        if form.readsMembers {
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
    var name: UnsafeBufferPointer<UInt8>?
    var fault: ParsedBatch.RootFault?
    do {
      let reading = try readElement(outerDepth, with: batch.reader)
      name = reading.node.text
      position.offset = window.start + reading.end
    } catch let failure as JSONReader.Failure {
      fault = try passFaulty(failure, at: Place())
    }
    try passColon(batch)
    _ = try nextByteOfMember(batch)
    try addElement(outerDepth, to: batch)
    let last = batch.roots.count - 1
    if let fault {
      batch.rootFaults[position.count - 1] = fault
      batch.roots[last] = Root(node: .null, index: position.count - 1)
    } else {
      batch.roots[last].name = name
    }
  }

  /// Skips the colon after the name of a member, and whitespace before it.
  func passColon(_ batch: ParsedBatch?) throws {
    guard case .byte(UInt8(ascii: ":")) = try nextByteOfMember(batch) else {
      throw error(FASTMAP_READ_COLON_EXPECTED, at: position.offset)
    }
    position.offset += 1
  }

  /// Skips whitespace inside of a member, which no batch divides.
  private func nextByteOfMember(_ batch: ParsedBatch?) throws -> Next {
    var next = try nextByte(batch)
    while case .full = next { next = try nextByte(batch) }
    return next
  }

  /// Reads the value that begins here into a batch, as a root object.
  func addElement(_ outerDepth: Int, to batch: ParsedBatch) throws {
    batch.offsets.append(position.offset)
    do {
      let reading = try readElement(outerDepth, with: batch.reader)
      batch.roots.append(Root(node: reading.node, bigIntegers: reading.bigIntegers, index: position.count))
      position.offset = window.start + reading.end
    } catch let failure as JSONReader.Failure {
      batch.rootFaults[position.count] = try passFaulty(failure, at: Place(root: position.count))
      batch.roots.append(Root(node: .null, index: position.count))
    }
    position.count += 1
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
  ///
  /// - Throws: ``JSONReader/Failure`` for a fault of its values: see `isOfValue`. Its offset is of the whole text.
  func readElement(
    _ outerDepth: Int, with reader: borrowing JSONReader
  ) throws -> JSONReader.Reading {
    while true {
      let bytes = window.bytes
      do {
        let reading = try read(
          bytes, from: position.offset - window.start, isWhole: false, outerDepth: outerDepth, with: reader)
        // A number at the very end may have only begun.
        let isCut = reading.end == bytes.count && isDigit(bytes[reading.end - 1]) && !window.isComplete
        guard isCut else { return reading }
      } catch {
        let isCut = error.offset == bytes.count && !window.isComplete
        let offset = window.start + error.offset
        if isOfValue(error.code) { throw JSONReader.Failure(code: error.code, offset: offset) }
        guard isCut else { throw self.error(error.code, at: offset) }
      }
      // So the element is read twice at most, in however many pieces it arrives.
      _ = try end(from: position.offset)
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// The end of a value of any depth. The window then shows all of it, or as much as its first error needs.
  package func end(from start: Int) throws -> Int {
    try skip(from: start, outerDepth: 0, .max, keeps: true, limit: .max) ?? window.end
  }

  /// Skips a value.
  ///
  /// - Parameter limit: Where the value must have ended.
  /// - Returns: Its end; nil beyond the limit.
  func skip(from start: Int, outerDepth: Int, _ maxDepth: Int, keeps: Bool, limit: Int) throws -> Int? {
    do {
      return try skipper.skip(
        window, from: start, outerDepth: outerDepth, maxDepth: maxDepth, keeps: keeps, limit: limit)
    } catch let error as JSONReader.Failure {
      throw self.error(error.code, at: error.offset)
    }
  }
}
