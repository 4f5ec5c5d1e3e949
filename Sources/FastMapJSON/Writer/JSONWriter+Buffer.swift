internal import FastMapSystem

/// A byte buffer that grows at its end.
///
/// A Swift array would check for shared ownership at each append. The check took longer than the copying.
// @unchecked: this value alone owns the memory.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
  private var start: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  @usableFromInline package private(set) var count = 0

  deinit { free(start) }

  /// The bytes, borrowed until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  mutating func shorten(to length: Int) {
    precondition(length <= count, "a length beyond the end")
    count = length
  }

  /// The address for `length` more bytes.
  @inline(__always)
  private mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < length || start == nil { grow(by: length) }
    return start.unsafelyUnwrapped + count
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let wanted = max(256, capacity + capacity / 2, count + length)
    guard let memory = realloc(start, wanted) else {
      preconditionFailure("no memory for \(wanted) bytes of JSON")
    }
    start = memory.assumingMemoryBound(to: UInt8.self)
    capacity = wanted
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    room(for: 1).pointee = byte
    count &+= 1
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    room(for: bytes.count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Appends the bytes that `body` writes. `body` gets memory for `capacity` bytes and returns how many it wrote.
  mutating func append(capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    let length = body(room(for: capacity))
    precondition(0...capacity ~= length, "more bytes than there is room for")
    count += length
  }

  mutating func append(digitsOf value: UInt64) {
    append(capacity: 20) { digits in
      var length = 1
      var limit: UInt64 = 10
      while length < 20, value >= limit {
        length += 1
        limit = limit.multipliedReportingOverflow(by: 10).partialValue
      }
      var rest = value
      for index in stride(from: length - 1, through: 0, by: -1) {
        let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
        digits[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
        rest = tenth
      }
      return length
    }
  }

  // MARK: Strings

  /// Appends a JSON string in quotes. Only `"`, `\` and control characters are escaped.
  mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
    append(UInt8(ascii: "\""))
    var rest = text
    while true {
      let plain = appendPlain(rest)
      guard plain < rest.count else { break }
      append(escaped: rest[plain])
      rest = UnsafeBufferPointer(rebasing: rest[(plain + 1)...])
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends the bytes before the first one that needs an escape, eight at a time.
  ///
  /// - Returns: Their number.
  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    guard let source = UnsafeRawPointer(text.baseAddress) else { return 0 }
    let target = UnsafeMutableRawPointer(room(for: text.count))
    let end = text.count
    var index = 0
    while index &+ 8 <= end {
      let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if specials(in: word) != 0 { break }
      target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    while index < end {
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      index &+= 1
    }
    count &+= index
    return index
  }

  private mutating func append(escaped byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0..<0x20:
      append(UInt8(ascii: "u"))
      append(UInt8(ascii: "0"))
      append(UInt8(ascii: "0"))
      append(hexadecimalDigit(byte >> 4))
      append(hexadecimalDigit(byte & 15))
    default: append(byte)
    }
  }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Not 0 if a byte of the word needs an escape.
@inline(__always)
private func specials(in word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let tops: UInt64 = 0x8080_8080_8080_8080
  let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
  let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
  let controls = (word &- ones &* 0x20) & ~word
  return (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & tops
}
