internal import CFastMap
internal import CFastMapJansson

/// Turns text into jansson trees, in an arena that it owns and that ends with it.
///
/// The seam to the C reader: everything else takes a `json_t *`, whoever made it.
struct JSONReader: ~Copyable {
  /// C: `fastmap_tree_arena *`
  private let arena: OpaquePointer
  /// Arrays and objects within each other.
  let maxDepth: Int
  private let rejectsDuplicates: Bool
  /// What a message calls a text that ends too early.
  let textName: StaticString

  /// A value, and where it ends.
  struct Reading {
    var node: JSONNode
    var bigIntegers: BigIntegers?
    var end: Int
    var value: JSONValue { JSONValue(node, bigIntegers) }
  }

  /// - Parameters:
  ///   - maxDepth: Arrays and objects within each other.
  ///   - textName: What a message calls a text that ends too early.
  /// - Throws: ``OutOfMemoryError``.
  init(maxDepth: Int = 512, textName: StaticString = "input", rejectsDuplicates: Bool = false)
    throws(OutOfMemoryError)
  {
    guard let arena = fastmap_tree_arena_new() else { throw OutOfMemoryError() }
    self.arena = arena
    self.textName = textName
    self.rejectsDuplicates = rejectsDuplicates
    self.maxDepth = max(1, min(maxDepth, Int(UInt32.max)))
  }

  deinit { fastmap_tree_arena_free(arena) }

  /// Gives the arena away, with all that was read into it.
  consuming func release() -> OpaquePointer {
    let arena = self.arena
    discard self
    return arena
  }

  /// How many bytes everything takes that was read; it depends on the texts alone.
  var treeBytes: Int { fastmap_tree_arena_used(arena) }

  /// Ends the life of everything that was read, and keeps the memory for more.
  func reset() { fastmap_tree_arena_reset(arena) }

  /// Reads one value.
  ///
  /// - Parameters:
  ///   - text: UTF-8, borrowed for the call.
  ///   - start: Where to begin.
  ///   - isWhole: Whether nothing may follow the value.
  ///   - shape: What is wanted of it: the rest is checked and left out; nil for everything.
  /// - Returns: A value that lives until the reader is reset or goes.
  func read(
    _ text: UnsafeRawBufferPointer, from start: Int = 0, isWhole: Bool = true,
    shape: UnsafePointer<fastmap_shape>? = nil
  ) throws(JSONSyntaxError) -> Reading {
    do {
      return try attempt(text, from: start, isWhole: isWhole, shape: shape)
    } catch {
      throw self.error(error.code, at: error.offset, in: text)
    }
  }

  /// What is wrong with a text, and at which of its bytes: at its end, where more text may help.
  struct Failure: Error {
    var code: fastmap_read_error
    var offset: Int
  }

  /// Reads one value as `read` does.
  ///
  /// - Parameter outerDepth: Arrays and objects that are open around it.
  func attempt(
    _ text: UnsafeRawBufferPointer, from start: Int, isWhole: Bool, outerDepth: Int = 0,
    shape: UnsafePointer<fastmap_shape>? = nil
  ) throws(Failure) -> Reading {
    var options = fastmap_read_options()
    options.start = start
    options.one_value = !isWhole
    options.max_depth = UInt32(maxDepth)
    options.rejects_duplicates = rejectsDuplicates
    options.outer_depth = UInt32(outerDepth)
    options.shape = shape
    var result = fastmap_read_result()
    guard fastmap_read(arena, text.baseAddress, text.count, &options, &result),
      let node = JSONNode(unsafe: result.tree)
    else { throw Failure(code: result.error, offset: result.error_offset) }
    return Reading(
      node: node, bigIntegers: result.big_integers.map { BigIntegers($0) }, end: result.consumed)
  }

  /// Checks a text without building anything.
  func check(_ text: UnsafeRawBufferPointer, from start: Int) throws(JSONSyntaxError) {
    var options = fastmap_read_options()
    options.start = start
    options.max_depth = UInt32(maxDepth)
    var result = fastmap_read_result()
    guard fastmap_skip(text.baseAddress, text.count, &options, &result) else { throw error(result, in: text) }
  }

  /// Where the value that begins at `start` ends; nil where there is no whole value.
  static func end(of text: UnsafeRawBufferPointer, from start: Int, maxDepth: Int) -> Int? {
    var options = fastmap_read_options()
    options.start = start
    options.one_value = true
    options.max_depth = UInt32(maxDepth)
    var result = fastmap_read_result()
    return fastmap_skip(text.baseAddress, text.count, &options, &result) ? result.consumed : nil
  }

  func error(_ code: fastmap_read_error, at offset: Int, in text: UnsafeRawBufferPointer) -> JSONSyntaxError {
    error(
      code, at: offset, UnsafeRawBufferPointer(rebasing: text[min(offset, text.count)...]),
      TextScanner.location(of: offset, in: text))
  }

  /// - Parameter offset: In the whole text.
  func error(_ code: fastmap_read_error, at offset: Int, in window: TextWindow) -> JSONSyntaxError {
    error(
      code, at: offset, window[min(offset, window.end)..<window.end], window.shown.location(of: offset))
  }

  /// - Parameter rest: What stands at the offset, as far as it is in memory; empty at the end of the text.
  private func error(
    _ code: fastmap_read_error, at offset: Int, _ rest: UnsafeRawBufferPointer, _ location: TextLocation
  ) -> JSONSyntaxError {
    var reason = fastmap_read_error_message(code).map { String(cString: $0) } ?? "not JSON"
    if code == FASTMAP_READ_TOO_DEEP { reason += " of \(maxDepth)" }
    if rest.isEmpty {
      if code != FASTMAP_READ_UNTERMINATED_STRING { reason += ", found the end of the \(textName)" }
    } else if code == FASTMAP_READ_VALUE_EXPECTED {
      reason += ", found \(Self.words(for: rest))"
    }
    return JSONSyntaxError(location: location, offset: offset, reason: reason)
  }

  /// What stands in place of a value.
  private static func words(for rest: UnsafeRawBufferPointer) -> String {
    var bytes = rest.makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&bytes) else {
      let digits = String(rest[0], radix: 16, uppercase: true)
      return "the byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
    return scalar == "<" ? #""<"; this looks like HTML or XML"# : quoted(String(scalar))
  }

  private func error(_ result: fastmap_read_result, in text: UnsafeRawBufferPointer) -> JSONSyntaxError {
    error(result.error, at: result.error_offset, in: text)
  }
}

extension UnsafeRawBufferPointer {
  /// Where the text begins: behind a byte order mark.
  var textStart: Int { starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) ? 3 : 0 }
}
