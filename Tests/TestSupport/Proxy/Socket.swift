import FastMapSystem

/// A TCP socket of the proxy. Whoever uses it closes it.
struct Socket: Sendable {
  let descriptor: Int32

  func close() { _ = FastMapSystem.close(descriptor) }

  /// A socket that waits for connections on a free port of the loopback.
  static func listening() throws -> Socket {
    let made = Socket(descriptor: socket(AF_INET, stream, 0))
    guard made.descriptor >= 0 else { throw CallError(call: "socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(made.descriptor, 128) == 0 else {
      defer { made.close() }
      throw CallError(call: "bind", code: errno)
    }
    return made
  }

  /// The port that the system has chosen.
  func port() throws -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { throw CallError(call: "getsockname", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  /// A connection of a client; nil if none comes in time.
  func accepted(milliseconds: Int32) -> Socket? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return nil }
    let found = accept(descriptor, nil, nil)
    guard found >= 0 else { return nil }
    let socket = Socket(descriptor: found)
    socket.prepare()
    return socket
  }

  static func connected(to host: String, port: String) throws -> Socket {
    var hints = addrinfo()
    hints.ai_socktype = stream
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &list) == 0 else {
      throw CallError(call: "getaddrinfo \(host)", code: 0)
    }
    defer { freeaddrinfo(list) }
    var next = list
    while let candidate = next?.pointee {
      let made = Socket(descriptor: socket(candidate.ai_family, stream, 0))
      if made.descriptor >= 0, connect(made.descriptor, candidate.ai_addr, candidate.ai_addrlen) == 0 {
        made.prepare()
        return made
      }
      made.close()
      next = candidate.ai_next
    }
    throw CallError(call: "connect \(host):\(port)", code: errno)
  }

  /// Bytes travel at once, and no call waits.
  private func prepare() {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// - Returns: The bytes that are there; empty at the end or after an error, and nil if none are there yet.
  func received() -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 17) { buffer, count in
      let found = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      failed = found < 0 && (errno == EAGAIN || errno == EINTR)
      count = max(0, found)
    }
    return failed ? nil : bytes
  }

  /// - Returns: How many bytes were sent, perhaps 0; nil after an error.
  func send(_ bytes: ArraySlice<UInt8>) -> Int? {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let sent = bytes.withUnsafeBytes { FastMapSystem.send(descriptor, $0.baseAddress, $0.count, flags) }
    if sent >= 0 { return sent }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  private static var stream: Int32 {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue)
    #else
      SOCK_STREAM
    #endif
  }
}
