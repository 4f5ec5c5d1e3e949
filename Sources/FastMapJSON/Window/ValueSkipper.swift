internal import CFastMap

/// Checks a value of a stream that arrives in pieces.
package struct ValueSkipper: ~Copyable {
  /// C: `fastmap_skipper *`
  private let skipper: OpaquePointer

  /// - Throws: ``SystemError``.
  package init() throws(SystemError) {
    guard let skipper = fastmap_skipper_new() else { throw SystemError.outOfMemory }
    self.skipper = skipper
  }

  deinit { fastmap_skipper_free(skipper) }

  /// Skips the value at `start`, and reads as much of the stream as needed.
  ///
  /// - Parameters:
  ///   - outerDepth: The number of open arrays and objects around the value.
  ///   - maxDepth: The maximum nesting of arrays and objects.
  ///   - keeps: Whether the window keeps the whole value. Otherwise it moves along.
  ///   - limit: The last offset that the value may end at.
  /// - Returns: The offset after the value; nil if it does not end before the limit.
  /// - Throws: ``JSONReader/Failure`` with an offset in the whole text; errors of the window.
  package func skip(
    _ window: TextWindow, from start: Int, outerDepth: Int, maxDepth: Int, keeps: Bool, limit: Int
  ) throws -> Int? {
    var options = fastmap_read_options()
    options.max_depth = UInt32(clamping: maxDepth)
    options.outer_depth = UInt32(outerDepth)
    options.takes_values = true
    fastmap_skipper_begin(skipper, &options)
    var offset = start
    while true {
      var result = fastmap_read_result()
      let bytes = window.bytes
      let outcome = fastmap_skipper_feed(
        skipper, bytes.baseAddress, bytes.count, offset - window.start, window.isComplete, &result)
      switch outcome {
      case FASTMAP_SKIPPER_DONE:
        let end = window.start + result.consumed
        return end <= limit ? end : nil
      case FASTMAP_SKIPPER_WRONG:
        let offset = window.start + result.error_offset
        if offset > limit { return nil }
        throw JSONReader.Failure(code: result.error, offset: offset)
      default: break
      }
      offset = window.start + result.consumed
      if offset > limit { return nil }
      if !keeps { try window.drop(before: offset) }
      try window.more()
    }
  }
}
