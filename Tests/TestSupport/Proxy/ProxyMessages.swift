/// The messages of PostgreSQL's protocol in the bytes of one direction.
struct ProxyMessages {
  private(set) var bytes: [UInt8] = []
  /// The number of bytes at the start of `bytes` that were taken.
  private var start = 0

  mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next message of a byte for its type, a length and its body; nil while it is incomplete.
  mutating func next() -> ArraySlice<UInt8>? { next(lengthAt: 1) }

  /// The next message without a type, as a client sends them until the server knows who it is.
  mutating func nextUntyped() -> ArraySlice<UInt8>? { next(lengthAt: 0) }

  /// The answer to a question for encryption.
  mutating func nextByte() -> UInt8? {
    guard start < bytes.count else { return nil }
    defer { start += 1 }
    return bytes[start]
  }

  /// Everything that is there.
  mutating func rest() -> ArraySlice<UInt8> {
    defer { start = bytes.count }
    return bytes[start...]
  }

  private mutating func next(lengthAt offset: Int) -> ArraySlice<UInt8>? {
    guard bytes.count - start >= offset + 4 else { return nil }
    let length = bytes[(start + offset)..<(start + offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    let end = start + offset + length
    guard length >= 4, end <= bytes.count else { return nil }
    defer { start = end }
    return bytes[start..<end]
  }
}

/// Bytes that wait for their time.
struct ProxyQueue {
  private var parts: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>, isAwaited: Bool)] = []
  private var first = 0
  private var hasSentAwaited = false
  private(set) var count = 0

  /// When the next bytes are due; nil if there are none.
  var due: ContinuousClock.Instant? { first < parts.count ? parts[first].due : nil }

  /// - Parameter isAwaited: Whether the receiver may wait for them.
  mutating func append(_ bytes: ArraySlice<UInt8>, due: ContinuousClock.Instant, isAwaited: Bool = false) {
    guard !bytes.isEmpty else { return }
    parts.append((due, bytes, isAwaited))
    count += bytes.count
  }

  /// Sends the parts that are due, until `send` takes less than it got.
  ///
  /// - Returns: Whether the connection is still there.
  mutating func flush(until now: ContinuousClock.Instant, _ send: (ArraySlice<UInt8>) -> Int?) -> Bool {
    while first < parts.count, parts[first].due <= now {
      guard let sent = send(parts[first].bytes) else { return false }
      count -= sent
      guard sent == parts[first].bytes.count else {
        parts[first].bytes = parts[first].bytes.dropFirst(sent)
        break
      }
      if parts[first].isAwaited { hasSentAwaited = true }
      first += 1
    }
    if first == parts.count {
      parts.removeAll(keepingCapacity: true)
      first = 0
    }
    return true
  }

  /// Whether awaited bytes were sent since the last call.
  mutating func takeAwaited() -> Bool {
    defer { hasSentAwaited = false }
    return hasSentAwaited
  }
}
