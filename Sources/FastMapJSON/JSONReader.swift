package import CFastMap
internal import CFastMapJansson

/// Parses text into jansson trees, in an arena that it owns and frees.
///
/// This is the interface to the C reader. All other code accepts any `json_t *`.
package struct JSONReader: ~Copyable {
  /// C: `fastmap_tree_arena *`
  private let arena: OpaquePointer
  /// The maximum nesting of arrays and objects.
  package let maxDepth: Int
  private let rejectsDuplicates: Bool
  /// Whether the texts of reals are kept, for attributes that read them. Those of reals beyond `Double` always are.
  package let keepsReals: Bool
  /// The name of the text in messages about a premature end.
  package let textName: StaticString

  /// A value and the offset at which it ends.
  package struct Reading {
    package var node: JSONNode
    package var bigIntegers: BigIntegers?
    package var end: Int
    package var value: JSONValue { JSONValue(node, bigIntegers) }
  }

  /// - Parameters:
  ///   - maxDepth: The maximum nesting of arrays and objects.
  ///   - textName: The name of the text in messages about a premature end.
  /// - Throws: ``SystemError``.
  package init(
    maxDepth: Int = 512, textName: StaticString = "input", rejectsDuplicates: Bool = false,
    keepsReals: Bool = false
  ) throws(SystemError) {
    guard let arena = fastmap_tree_arena_new() else { throw SystemError.outOfMemory }
    self.arena = arena
    self.textName = textName
    self.rejectsDuplicates = rejectsDuplicates
    self.keepsReals = keepsReals
    self.maxDepth = max(1, min(maxDepth, Int(UInt32.max)))
  }

  deinit { fastmap_tree_arena_free(arena) }

  /// Transfers the arena to the caller, with everything in it.
  consuming func release() -> OpaquePointer {
    let arena = self.arena
    discard self
    return arena
  }

  /// The size of all trees, in bytes, which depends on the texts alone.
  package var treeBytes: Int { fastmap_tree_arena_used(arena) }

  /// Frees all trees and keeps the memory for more.
  package func reset() { fastmap_tree_arena_reset(arena) }

  /// Reads one value.
  ///
  /// - Parameters:
  ///   - text: UTF-8, borrowed for the call.
  ///   - start: The offset at which to begin.
  ///   - isWhole: Whether the text must end after the value.
  ///   - shape: The parts of the value to build. Everything else is only checked. Nil builds everything.
  /// - Returns: A value that is valid until the reader is reset or freed.
  package func read(
    _ text: UnsafeRawBufferPointer, from start: Int = 0, isWhole: Bool = true,
    shape: UnsafePointer<fastmap_shape>? = nil
  ) throws(JSONSyntaxError) -> Reading {
    do {
      return try attempt(text, from: start, isWhole: isWhole, shape: shape)
    } catch {
      throw self.error(error.code, at: error.offset, in: text)
    }
  }

  /// An error and its offset. At the end of the text, more text may resolve it.
  package struct Failure: Error {
    package var code: fastmap_read_error
    package var offset: Int

    package init(code: fastmap_read_error, offset: Int) {
      self.code = code
      self.offset = offset
    }
  }

  /// Reads one value like `read`.
  ///
  /// - Parameters:
  ///   - outerDepth: The number of open arrays and objects around it.
  ///   - unread: Counts members that the shape leaves out; nil for no count. An error counts none.
  package func attempt(
    _ text: UnsafeRawBufferPointer, from start: Int, isWhole: Bool, outerDepth: Int = 0,
    shape: UnsafePointer<fastmap_shape>? = nil, unread: UnsafeMutablePointer<fastmap_unread>? = nil
  ) throws(Failure) -> Reading {
    var options = fastmap_read_options()
    options.start = start
    options.one_value = !isWhole
    options.max_depth = UInt32(maxDepth)
    options.rejects_duplicates = rejectsDuplicates
    options.keeps_reals = keepsReals
    options.takes_values = true
    options.outer_depth = UInt32(outerDepth)
    options.shape = shape
    options.unread = unread
    var result = fastmap_read_result()
    guard fastmap_read(arena, text.baseAddress, text.count, &options, &result),
      let node = JSONNode(unsafe: result.tree)
    else {
      let failure = Failure(code: result.error, offset: result.error_offset)
      if let unread {
        unread.pointee.takes_back = true
        fastmap_read(arena, text.baseAddress, text.count, &options, &result)
        unread.pointee.takes_back = false
      }
      throw failure
    }
    return Reading(
      node: node, bigIntegers: result.big_integers.map { BigIntegers($0) }, end: result.consumed)
  }

  func canRead(_ text: UnsafeRawBufferPointer) -> Bool {
    var options = fastmap_read_options()
    options.max_depth = UInt32(maxDepth)
    options.keeps_reals = keepsReals
    var result = fastmap_read_result()
    return fastmap_skip(text.baseAddress, text.count, &options, &result)
  }

  /// The end of the value that begins at `start`; nil if it is incomplete.
  package static func end(of text: UnsafeRawBufferPointer, from start: Int, maxDepth: Int) -> Int? {
    var options = fastmap_read_options()
    options.start = start
    options.one_value = true
    options.max_depth = UInt32(maxDepth)
    options.takes_values = true
    var result = fastmap_read_result()
    return fastmap_skip(text.baseAddress, text.count, &options, &result) ? result.consumed : nil
  }

  package func error(_ code: fastmap_read_error, at offset: Int, in text: UnsafeRawBufferPointer)
    -> JSONSyntaxError
  {
    error(
      code, at: offset, UnsafeRawBufferPointer(rebasing: text[min(offset, text.count)...]),
      TextPiece(text).location(of: offset))
  }

  /// - Parameter offset: The offset in the whole text.
  package func error(_ code: fastmap_read_error, at offset: Int, in window: TextWindow) -> JSONSyntaxError {
    error(
      code, at: offset, window[min(offset, window.end)..<window.end], window.shown.location(of: offset))
  }

  /// - Parameter rest: The text at the offset, as far as it is in memory; empty at the end.
  private func error(
    _ code: fastmap_read_error, at offset: Int, _ rest: UnsafeRawBufferPointer, _ location: TextLocation
  ) -> JSONSyntaxError {
    var reason = fastmap_read_error_message(code).map { String(cString: $0) } ?? "not JSON"
    if code == FASTMAP_READ_TOO_DEEP { reason += " of \(maxDepth)" }
    if rest.isEmpty {
      if code != FASTMAP_READ_UNTERMINATED_STRING { reason += ", found the end of the \(textName)" }
    } else if code == FASTMAP_READ_VALUE_EXPECTED {
      reason += ", found \(Self.words(for: rest))"
    } else if code == FASTMAP_READ_NAME_EXPECTED || code == FASTMAP_READ_NAME_OR_END_EXPECTED,
      ForeignText.advice(for: Self.scalar(of: rest)) != nil
    {
      reason += ", found \(Self.words(for: rest))"
    }
    return JSONSyntaxError(location: location, offset: offset, reason: reason)
  }

  /// The message for text that is not a value.
  private static func words(for rest: UnsafeRawBufferPointer) -> String {
    guard let scalar = scalar(of: rest) else {
      let digits = String(rest[0], radix: 16, uppercase: true)
      return "the byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
    return quoted(String(scalar)) + (ForeignText.advice(for: scalar).map { "; \($0)" } ?? "")
  }

  private static func scalar(of rest: UnsafeRawBufferPointer) -> Unicode.Scalar? {
    var bytes = rest.makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return nil }
    return scalar
  }
}

extension UnsafeRawBufferPointer {
  /// The start of the text, after a byte order mark.
  package var textStart: Int { starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) ? 3 : 0 }
}
