/// Writes JSON text, token by token, into its own buffer.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.name("id")
///     writer.integer(314)
///     writer.name("tags")
///     writer.beginArray()
///     writer.string("new")
///     writer.endArray()
///     writer.endObject()                     // {"id":314,"tags":["new"]}
///     try writer.withBytes { try file.write($0) }
///
/// The writer adds commas and colons. The caller must write one value after each name, and end everything that it
/// begins. Several values at the outermost level follow each other directly; ``endLine()`` separates them.
///
/// - Note: Not copyable, because it owns the buffer; may be sent to another thread.
package struct JSONWriter: ~Copyable, Sendable {
  /// Whether each member and element is on its own line, indented by two spaces per level. ``raw(_:)`` is not
  /// reformatted.
  package var isPretty: Bool { style == .pretty }
  private let style: Style

  /// Where white space goes.
  package enum Style: Sendable {
    /// Nowhere.
    case compact
    /// After each comma and colon, all in one line.
    case spaced
    /// Members and elements have lines of their own.
    case pretty
  }

  var buffer = ByteBuffer()
  private var depth = 0
  private var place = Place.outermost

  /// The position of the next token.
  fileprivate enum Place {
    case outermost
    case first
    case next
    case afterName
  }

  /// Makes an empty writer.
  package init(isPretty: Bool = false) { self.init(style: isPretty ? .pretty : .compact) }

  package init(style: Style) { self.style = style }

  /// The bytes in the buffer, without flushed text.
  package var count: Int { buffer.count }

  /// A copy of the text in the buffer, in UTF-8.
  package var bytes: [UInt8] { withBytes(Array.init) }

  /// Lends the text in the buffer to `body`, in UTF-8. To keep it, copy it there.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(buffer.bytes))
  }

  /// Passes the buffered text to `sink` and discards it. Open arrays and objects stay open, so a text of any size
  /// needs little memory.
  ///
  /// - Parameter sink: Receives the text, UTF-8, for the length of its call. If it throws, the text stays.
  package mutating func flush(to sink: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try withBytes(sink)
    buffer.shorten(to: 0)
  }

  // MARK: Structure

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes an object whose members `members` writes.
  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    beginObject()
    members(&self)
    endObject()
  }

  /// Writes the name of a member. Write its value next.
  ///
  /// - Parameter utf8: Valid UTF-8, borrowed for the call.
  package mutating func name(_ utf8: UnsafeBufferPointer<UInt8>) {
    separate()
    buffer.append(quoted: utf8)
    buffer.append(UInt8(ascii: ":"))
    endName()
  }

  /// Writes the name of a member. Write its value next.
  package mutating func name(_ text: String) {
    var text = text
    text.withUTF8 { name($0) }
  }

  /// Writes a name that already has its quotes, escapes and colon.
  package mutating func name(literal: UnsafeBufferPointer<UInt8>) {
    separate()
    buffer.append(literal)
    endName()
  }

  /// Ends a line between values of the outermost level.
  package mutating func endLine() {
    precondition(depth == 0, "a line ends outside of all arrays and objects")
    buffer.append(UInt8(ascii: "\n"))
  }

  // MARK: Values

  /// Writes a string.
  ///
  /// Only `"`, `\` and control characters are escaped.
  ///
  /// - Parameter utf8: Valid UTF-8, borrowed for the call.
  package mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    separate()
    buffer.append(quoted: utf8)
    endValue()
  }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string($0) }
  }

  package mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    buffer.append(digitsOf: value.magnitude)
    endValue()
  }

  package mutating func unsigned(_ value: UInt64) {
    separate()
    buffer.append(digitsOf: value)
    endValue()
  }

  /// Writes a number in the shortest form that reads back as the same real: `5.0`, `0.1`, `1e+16`.
  ///
  /// JSON has no infinity and no NaN, so both are written as `null`.
  package mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    var text = value.description
    text.withUTF8 { buffer.append($0) }
    endValue()
  }

  /// Writes a number in the shortest form that reads back as the same double: `5`, `0.1`, `1e16`.
  ///
  /// Minus zero keeps its fraction. Otherwise it would read back as the integer zero.
  package mutating func shortestNumber(_ value: Double) {
    guard value.isFinite, value != 0 || value.sign == .plus else { return number(value) }
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return self.integer(integer) }
    separate()
    var text = value.description
    text.withUTF8 { digits in
      guard let plus = digits.firstIndex(of: UInt8(ascii: "+")) else { return buffer.append(digits) }
      buffer.append(UnsafeBufferPointer(rebasing: digits[..<plus]))
      buffer.append(UnsafeBufferPointer(rebasing: digits[(plus + 1)...]))
    }
    endValue()
  }

  package mutating func boolean(_ value: Bool) { raw(value ? "true" : "false") }

  package mutating func null() { raw("null") }

  /// Writes JSON text as a value, unchanged.
  ///
  /// - Parameter json: One value, UTF-8, borrowed for the call and not checked.
  package mutating func raw(_ json: UnsafeBufferPointer<UInt8>) {
    separate()
    buffer.append(json)
    endValue()
  }

  private mutating func raw(_ json: StaticString) {
    raw(UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// Writes a string that needs no escapes.
  ///
  /// - Parameter body: Writes the string into memory of `capacity` bytes and returns its length.
  mutating func plainString(capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    buffer.append(capacity: capacity, body)
    buffer.append(UInt8(ascii: "\""))
    endValue()
  }

  // MARK: Going back

  /// A position to return to.
  package struct Mark {
    fileprivate var count: Int
    fileprivate var depth: Int
    fileprivate var place: Place
  }

  package var mark: Mark { Mark(count: buffer.count, depth: depth, place: place) }

  /// Discards everything after a mark.
  package mutating func rewind(to mark: Mark) {
    buffer.shorten(to: mark.count)
    depth = mark.depth
    place = mark.place
  }

  // MARK: Between the tokens

  private mutating func begin(_ bracket: UInt8) {
    separate()
    buffer.append(bracket)
    depth += 1
    place = .first
  }

  private mutating func end(_ bracket: UInt8) {
    precondition(depth > 0, "an end without its beginning")
    depth -= 1
    if isPretty, place == .next { indent() }
    buffer.append(bracket)
    endValue()
  }

  private mutating func separate() {
    if place == .next { buffer.append(UInt8(ascii: ",")) }
    if style != .compact { space() }
  }

  private mutating func space() {
    switch place {
    case .first where isPretty: indent()
    case .next: if isPretty { indent() } else { buffer.append(UInt8(ascii: " ")) }
    case .first, .outermost, .afterName: break
    }
  }

  private mutating func endName() {
    if style != .compact { buffer.append(UInt8(ascii: " ")) }
    place = .afterName
  }

  private mutating func endValue() { place = depth == 0 ? .outermost : .next }

  private mutating func indent() {
    buffer.append(UInt8(ascii: "\n"))
    for _ in 0..<2 * depth { buffer.append(UInt8(ascii: " ")) }
  }
}
