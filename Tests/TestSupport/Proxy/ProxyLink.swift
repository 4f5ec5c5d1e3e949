import FastMapSystem

/// One connection through the proxy, on one thread.
struct ProxyLink {
  private let client: Socket
  private let server: Socket
  private let exchange: ProxyExchange
  private var fromClient = ProxyMessages()
  private var fromServer = ProxyMessages()
  private var toServer = ProxyQueue()
  private var toClient = ProxyQueue()

  /// How the client's bytes are read.
  private enum Phase {
    /// Messages without a type, before the client has said who it is.
    case opening
    /// The server answers a question for encryption with one byte.
    case asking
    case open
    /// Encrypted: every change of direction is a round trip.
    case opaque
  }

  private var phase = Phase.opening
  /// Whether the client may have waited for the last answer that it got. While an answer is on its way, it has not.
  private var isClientsTurn = true
  /// The client wants answers without the end of its pipeline.
  private var flushes = false
  /// The ends of pipelines and queries that the server has not answered. It first answers the opening.
  private var unanswered = 1
  /// How many of these answers end the connection.
  private var answersUntilCut: Int?
  /// The message that has to wait, with all that follow it.
  private var held: ArraySlice<UInt8>?
  private var cuts: Int
  private var resumptions: Int

  private static let most = 4 << 20

  init(client: Socket, server: Socket, _ exchange: ProxyExchange) {
    self.client = client
    self.server = server
    self.exchange = exchange
    (cuts, resumptions) = exchange.locked { state in
      state.connections += 1
      return (state.cuts, state.resumptions)
    }
  }

  /// Forwards until one of both ends the connection, or the proxy does.
  mutating func run() {
    while step() {}
    client.close()
    server.close()
  }

  private mutating func step() -> Bool {
    var resumes = false
    let isOver = exchange.locked { state in
      if state.resumptions != resumptions {
        resumptions = state.resumptions
        resumes = held != nil
      }
      return state.isOver || state.cuts != cuts
    }
    guard !isOver else { return false }

    let clock = ContinuousClock()
    var now = clock.now
    if resumes, let message = held {
      held = nil
      pass(message, due: now)
      guard forwardMessages(due: now) else { return false }
    }
    var files = [
      pollfd(fd: client.descriptor, events: 0, revents: 0),
      pollfd(fd: server.descriptor, events: 0, revents: 0),
    ]
    if held == nil, toServer.count < Self.most { files[0].events |= Int16(POLLIN) }
    if toClient.count < Self.most { files[1].events |= Int16(POLLIN) }
    if toClient.due.map({ $0 <= now }) ?? false { files[0].events |= Int16(POLLOUT) }
    if toServer.due.map({ $0 <= now }) ?? false { files[1].events |= Int16(POLLOUT) }
    // The settings of the proxy are looked at every ten milliseconds.
    var wait = Duration.milliseconds(10)
    for due in [toServer.due, toClient.due].compactMap({ $0 }) where due > now { wait = min(wait, due - now) }
    guard Self.poll(&files, wait) else { return false }
    now = clock.now
    let latency = exchange.locked { $0.latency }

    let arrived = files.map { $0.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 }
    if arrived[0], held != nil { return false }  // only an end arrives unasked
    if arrived[0], let bytes = client.received() {
      guard !bytes.isEmpty else {
        // Messages that the client sent before it left still reach the server.
        _ = toServer.flush(until: now + latency) { server.send($0) }
        return false
      }
      fromClient.append(bytes)
      guard forwardMessages(due: now + latency) else { return false }
    }
    if arrived[1], var bytes = server.received() {
      guard !bytes.isEmpty else {
        _ = toClient.flush(until: now + latency) { client.send($0) }
        return false
      }
      if let version = exchange.locked({ $0.version }) { Self.pretend(version, in: &bytes) }
      fromServer.append(bytes)
      guard let isAwaited = watchAnswers() else { return false }
      if answersUntilCut == nil { toClient.append(bytes[...], due: now + latency, isAwaited: isAwaited) }
    }
    now = clock.now
    let toServerIsThere = toServer.flush(until: now) { server.send($0) }
    let toClientIsThere = toClient.flush(until: now) { client.send($0) }
    if toClient.takeAwaited() { isClientsTurn = true }
    return toClientIsThere && toServerIsThere
  }

  /// Queues the whole messages of the client.
  ///
  /// - Returns: False if a fault ends the connection.
  private mutating func forwardMessages(due: ContinuousClock.Instant) -> Bool {
    while held == nil {
      let message: ArraySlice<UInt8>
      switch phase {
      case .opaque:
        message = fromClient.rest()
        guard !message.isEmpty else { return true }
      case .opening, .asking:
        guard let next = fromClient.nextUntyped() else { return true }
        message = next
        open(next)
        passUntyped(next, due: due)
        continue
      case .open:
        guard let next = fromClient.next() else { return true }
        message = next
        if let fault = exchange.fault(at: next) {
          switch fault {
          case .cutBefore:
            _ = toServer.flush(until: due) { server.send($0) }
            return false
          case .cutAfter: answersUntilCut = unanswered + 1
          case .stall:
            held = next
            return true
          }
        }
      }
      pass(message, due: due)
    }
    return true
  }

  /// Counts and queues one message of the client.
  private mutating func pass(_ message: ArraySlice<UInt8>, due: ContinuousClock.Instant) {
    let type = phase == .open ? message.first : nil
    switch type {
    case UInt8(ascii: "S"), UInt8(ascii: "Q"): unanswered += 1
    case UInt8(ascii: "H"): flushes = true
    default: break
    }
    // A farewell is no question.
    if isClientsTurn, type != UInt8(ascii: "X") {
      isClientsTurn = false
      exchange.locked { $0.trips += 1 }
    }
    toServer.append(message, due: due)
  }

  private mutating func passUntyped(_ message: ArraySlice<UInt8>, due: ContinuousClock.Instant) {
    isClientsTurn = false
    exchange.locked { $0.trips += 1 }
    toServer.append(message, due: due)
  }

  private mutating func open(_ message: ArraySlice<UInt8>) {
    let code = message.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    switch code {
    case 80_877_103, 80_877_104: phase = .asking  // for TLS, for GSSAPI
    case 80_877_102: phase = .opaque  // a cancellation
    default: phase = .open
    }
  }

  /// Reads the answers that have come.
  ///
  /// - Returns: Whether the client may wait for them; nil if a fault ends the connection.
  private mutating func watchAnswers() -> Bool? {
    var isAwaited = false
    if phase == .asking {
      guard let answer = fromServer.nextByte() else { return false }
      phase = answer == UInt8(ascii: "N") ? .opening : .opaque
      isAwaited = true
    }
    if phase == .opaque { return !fromServer.rest().isEmpty || isAwaited }
    while let message = fromServer.next() {
      if flushes { isAwaited = true }
      switch message.first {
      case UInt8(ascii: "Z"):
        (isAwaited, flushes) = (true, false)
        unanswered -= 1
        if let left = answersUntilCut {
          answersUntilCut = left - 1
          if left == 1 { return nil }
        }
      case UInt8(ascii: "D"): exchange.locked { $0.rows += 1 }
      // A request of the authentication; the server is ready for the rows of a COPY.
      case UInt8(ascii: "R"), UInt8(ascii: "G"), UInt8(ascii: "W"): isAwaited = true
      default: break
      }
    }
    return isAwaited
  }

  /// Replaces the first characters of the version that the server reports.
  private static func pretend(_ version: String, in bytes: inout [UInt8]) {
    let name = Array("server_version\0".utf8)
    guard bytes.count >= name.count + version.utf8.count else { return }
    for start in 0...(bytes.count - name.count - version.utf8.count)
    where bytes[start...].starts(with: name) {
      let place = start + name.count
      bytes.replaceSubrange(place..<(place + version.utf8.count), with: version.utf8)
    }
  }

  /// - Returns: False after an error.
  private static func poll(_ files: inout [pollfd], _ time: Duration) -> Bool {
    // `poll` knows whole milliseconds only, and `ppoll` is not everywhere.
    let microseconds = time.components.attoseconds / 1_000_000_000_000
    let found = FastMapSystem.poll(&files, nfds_t(files.count), Int32(microseconds / 1000))
    if found == 0, microseconds < 1000 { usleep(UInt32(min(microseconds, 50))) }
    return found >= 0 || errno == EINTR
  }
}
