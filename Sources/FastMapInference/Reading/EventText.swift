internal import CFastMap
import FastMapCore

/// The events of JSON texts that arrive in pieces. Memory is bounded by the longest string.
///
/// - Note: Thread rule: one thread at a time.
final class EventText {
  /// The newest event. Its text is valid until the next one.
  private(set) var event = fastmap_event()

  private static let mostDepth = 512

  /// C: `fastmap_events *`
  private let events: OpaquePointer
  private let input: Inference.Input
  private var memory: UnsafeMutableRawBufferPointer
  private var used = 0..<0
  private var hasEnded = false
  /// The offset of the memory's first byte in the text, and its line and column.
  private var offset = 0
  private var place = fastmap_place(line: 1, column: 1)
  private var endOfCSVLine: Int?

  /// - Parameters:
  ///   - pieceSize: The initial size of the memory. The memory grows for a longer string.
  ///   - input: Fills a part of the memory, and returns the number of bytes, 0 at the end.
  init(pieceSize: Int = 1 << 18, _ input: @escaping Inference.Input) throws {
    guard let events = fastmap_events_new() else {
      throw JSONSyntaxError(
        location: TextLocation(line: 1, column: 1), offset: 0, reason: "memory has run out")
    }
    self.events = events
    self.input = input
    memory = .allocate(byteCount: max(pieceSize, 16), alignment: 16)
    while used.count < 4, !hasEnded { try readMore() }
    if let format = ForeignFormat(UnsafeRawBufferPointer(rebasing: memory[used])) { throw format.error }
    if used.count >= 3, memory[0] == 0xEF, memory[1] == 0xBB, memory[2] == 0xBF { used = 3..<used.upperBound }
    try lookForCSV()
  }

  private func lookForCSV() throws {
    var length = 0
    while length < ForeignText.longestLine {
      if length == used.count {
        if hasEnded { break }
        try readMore()
        continue
      }
      let byte = memory[used.lowerBound + length]
      if length == 0, !ForeignText.mayBeCSV(byte) { return }
      if byte == UInt8(ascii: "\n") { break }
      length += 1
    }
    let line = used.lowerBound..<(used.lowerBound + length)
    if ForeignText.looksLikeCSV(UnsafeRawBufferPointer(rebasing: memory[line])) {
      endOfCSVLine = offset + line.upperBound
    }
  }

  deinit {
    fastmap_events_free(events)
    memory.deallocate()
  }

  /// Reads the next event.
  ///
  /// - Throws: ``JSONSyntaxError``; errors of the input.
  func next() throws -> fastmap_event_kind {
    while true {
      fastmap_events_next(
        events, memory.baseAddress, used.upperBound, used.lowerBound, hasEnded, &event)
      if event.kind == FASTMAP_EVENT_WRONG { throw error }
      used = event.consumed..<used.upperBound
      if event.kind != FASTMAP_EVENT_MORE { return event.kind }
      try readMore()
    }
  }

  private var error: JSONSyntaxError {
    let start = UnsafeRawBufferPointer(memory)
    let at = min(event.error_offset, used.upperBound)
    let found = fastmap_place_behind(place, start.baseAddress, at)
    var reason = fastmap_read_error_message(event.error).map { String(cString: $0) } ?? "not JSON"
    if event.error == FASTMAP_READ_TOO_DEEP { reason += " of \(Self.mostDepth)" }
    if at == used.upperBound {
      reason += ", found the end of the input"
    } else if let advice = advice(for: event.error, at: at) {
      reason += advice
    }
    if let end = endOfCSVLine, offset + at <= end { reason += "; \(ForeignText.adviceForCSV)" }
    return JSONSyntaxError(
      location: TextLocation(line: found.line, column: found.column), offset: offset + at, reason: reason)
  }

  /// The characters in place of a value or a name, if they show the format of the text.
  private func advice(for error: fastmap_read_error, at index: Int) -> String? {
    let codes = [
      FASTMAP_READ_VALUE_EXPECTED, FASTMAP_READ_NAME_EXPECTED, FASTMAP_READ_NAME_OR_END_EXPECTED,
    ]
    var bytes = memory[index..<used.upperBound].makeIterator()
    var decoder = UTF8()
    guard codes.contains(error), case .scalarValue(let scalar) = decoder.decode(&bytes),
      let advice = ForeignText.advice(for: scalar)
    else { return nil }
    return ", found \(quoted(String(scalar))); \(advice)"
  }

  private func readMore() throws {
    let rest = UnsafeRawBufferPointer(rebasing: memory[used])
    place = fastmap_place_behind(place, memory.baseAddress, used.lowerBound)
    offset += used.lowerBound
    if rest.count > memory.count / 2 {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count * 2, alignment: 16)
      larger.copyMemory(from: rest)
      memory.deallocate()
      memory = larger
    } else if used.lowerBound > 0, !rest.isEmpty, let start = memory.baseAddress {
      start.copyMemory(from: start + used.lowerBound, byteCount: rest.count)
    }
    let count: Int
    do { count = try input(UnsafeMutableRawBufferPointer(rebasing: memory[rest.count...])) } catch let damage
      as DamagedText
    {
      let found = fastmap_place_behind(place, memory.baseAddress, rest.count)
      throw JSONSyntaxError(
        location: TextLocation(line: found.line, column: found.column), offset: offset + rest.count,
        reason: damage.reason)
    }
    used = 0..<(rest.count + count)
    hasEnded = count == 0
  }
}
