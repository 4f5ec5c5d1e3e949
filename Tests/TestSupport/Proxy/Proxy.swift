import FastMapSystem

/// A proxy on the loopback between a PostgreSQL store and its server. It counts round trips, delays, stalls and cuts.
///
///     let proxy = try Proxy(to: "postgres://user:secret@127.0.0.1:5432/people")
///     let store = try PostgresStore(proxy.address)
///     let trips = try proxy.trips { _ = try store.read(plan) { … } }
///
///     proxy.latency = .milliseconds(1)
///     proxy.inject(.cutAfter, at: .text("COMMIT"))
///
/// A round trip is a message of the client that follows an answer, if the client may have waited for it. The network's
/// split of the bytes makes no difference. The proxy ends with its last reference.
package final class Proxy: Sendable {
  /// A fault of the connection whose client sends a message.
  package enum Fault: Sendable {
    /// The message does not reach the server, and the connection ends.
    case cutBefore
    /// The server acts on the message, its answer does not reach the client, and the connection ends.
    case cutAfter
    /// Neither the message nor anything after it reaches the server, until `resume`.
    case stall
  }

  /// A message of the client.
  package enum Moment: Sendable {
    /// A message other than the rows of a COPY that contains a text.
    case text(String)
    /// Rows of a COPY.
    case copyData
  }

  private let exchange: ProxyExchange

  /// The connection string of the server, with the proxy's address in place of the server's.
  package let address: String

  /// Listens on a free port.
  ///
  /// - Parameter address: A URL with a host and a port: `postgres://user@host:port/database`.
  package init(to address: String) throws {
    let parts = try ServerAddress(address)
    let listener = try Socket.listening()
    let exchange = ProxyExchange()
    let port = try listener.port()
    self.exchange = exchange
    self.address = parts.prefix + "127.0.0.1:\(port)" + parts.suffix
    // `exchange` knows nothing of this object, so its last reference ends the threads.
    detach {
      var held: [Socket] = []
      while !exchange.isOver {
        guard let client = listener.accepted(milliseconds: 10) else { continue }
        guard !exchange.locked({ $0.holdsConnections }) else {
          held.append(client)
          continue
        }
        guard exchange.acceptsConnections,
          let server = try? Socket.connected(to: parts.host, port: parts.port)
        else {
          client.close()
          continue
        }
        detach {
          var link = ProxyLink(client: client, server: server, exchange)
          link.run()
        }
      }
      for client in held { client.close() }
      listener.close()
    }
  }

  deinit { exchange.end() }

  /// The round trips of all connections so far, including the round trips that open a connection.
  package var trips: Int { exchange.locked { $0.trips } }

  /// The rows of all answers so far.
  package var rows: Int { exchange.locked { $0.rows } }

  /// The connections so far.
  package var connections: Int { exchange.locked { $0.connections } }

  /// The faults that were injected and met.
  package var faults: Int { exchange.locked { $0.faults } }

  /// The round trips that `body` takes.
  package func trips(_ body: () throws -> Void) rethrows -> Int {
    let before = trips
    try body()
    return trips - before
  }

  /// The time that bytes take from the client to the server, and as long again back.
  package var latency: Duration {
    get { exchange.locked { $0.latency } }
    set { exchange.locked { $0.latency = newValue } }
  }

  /// Whether new connections are accepted.
  package var acceptsConnections: Bool {
    get { exchange.acceptsConnections }
    set { exchange.locked { $0.acceptsConnections = newValue } }
  }

  /// Whether new connections are accepted and then left alone.
  package var holdsConnections: Bool {
    get { exchange.locked { $0.holdsConnections } }
    set { exchange.locked { $0.holdsConnections = newValue } }
  }

  /// Injects a fault at the next message of the kind, on whichever connection comes first.
  ///
  /// - Parameter skipped: The number of such messages that pass before.
  package func inject(_ fault: Fault, at moment: Moment, skipping skipped: Int = 0) {
    exchange.locked { $0.armed = ProxyExchange.Armed(fault: fault, moment: moment, skipped: skipped) }
  }

  /// Ends all stalls.
  package func resume() { exchange.locked { $0.resumptions += 1 } }

  /// The version of the server that new clients see, with as many digits as the true one; nil for the true one.
  package var pretendedVersion: String? {
    get { exchange.locked { $0.version } }
    set { exchange.locked { $0.version = newValue } }
  }

  /// Ends the connections that are open.
  package func cutAll() { exchange.locked { $0.cuts += 1 } }
}

/// The part of a connection string that is not the server's address.
private struct ServerAddress {
  let prefix: String
  let host: String
  let port: String
  let suffix: String

  init(_ address: String) throws {
    let start = address.range(of: "://")?.upperBound ?? address.startIndex
    let end = address[start...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
    let hostStart = address[start..<end].lastIndex(of: "@").map(address.index(after:)) ?? start
    guard let colon = address[hostStart..<end].lastIndex(of: ":") else {
      throw CallError(call: "a proxy to \(address), which names no port", code: 0)
    }
    prefix = String(address[..<hostStart])
    host = String(address[hostStart..<colon])
    port = String(address[address.index(after: colon)..<end])
    suffix = String(address[end...])
  }
}

extension String {
  /// Where a text first stands in another one. Without Foundation.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
