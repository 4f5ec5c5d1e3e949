#if Postgres
  internal import FastMapCore
  internal import FastMapSystem
  internal import Synchronization

  /// The connections of a store. A transaction has one of its own until it ends.
  // @unchecked: `monitor` guards what changes.
  final class Pool: @unchecked Sendable {
    private let string: ConnectionString
    let settings: PostgresStore.Configuration
    private let monitor = Monitor()
    /// The connections that nobody uses, the last used one last.
    private var idle: [Connection] = []
    /// The number of connections, idle or not.
    private var count = 0
    /// Raised when a server has failed: connections of before are closed when they come back.
    private var generation = 0
    /// What the first connection has found.
    let server: Server

    /// Connects once, so that a wrong address or password is an error here.
    init(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) throws {
      self.string = string
      settings = configuration
      let first = try Connection(string, settings)
      server = first.server
      idle = [first]
      count = 1
    }

    /// Lends a connection to `body`.
    ///
    /// - Throws: ``PostgresError`` if all stay in use, or if no server can be reached; `CancellationError`; errors of
    ///   `body`.
    func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
      let connection = try take()
      defer { giveBack(connection) }
      return try body(connection)
    }

    /// A connection beside those of the pool, which ends with its last reference.
    func extraConnection() throws -> Connection { try Connection(string, settings) }

    /// Closes all connections that are not in use now, and those in use when they come back. The next transaction
    /// opens a new connection, perhaps to another server.
    func closeAll() {
      monitor.lock()
      generation += 1
      let closed = idle
      idle.removeAll()
      count -= closed.count
      monitor.wakeAll()
      monitor.unlock()
      withExtendedLifetime(closed) {}  // closed without the lock
    }

    /// The round trips of all idle connections, for tests that count them.
    var trips: Int {
      monitor.lock()
      defer { monitor.unlock() }
      return idle.reduce(0) { $0 + $1.trips }
    }
  }

  extension Pool {
    private func take() throws -> Connection {
      let deadline = ContinuousClock.now + settings.poolTimeout
      monitor.lock()
      while true {
        if let connection = idle.popLast() {
          monitor.unlock()
          if !connection.hasEnded { return connection }
          monitor.lock()
          count -= 1
          continue
        }
        if count < max(1, settings.maxConnections) {
          count += 1
          let current = generation
          monitor.unlock()
          return try connect(current)
        }
        guard ContinuousClock.now < deadline, !Task.isCancelled else { break }
        monitor.waitBriefly()
      }
      monitor.unlock()
      try Task.checkCancellation()
      throw PostgresError(
        server: string.schema ?? settings.schema,
        message: "all \(settings.maxConnections) connections are in use, for \(settings.poolTimeout)")
    }

    /// Connects, again and again while a server restarts or a replica takes over.
    private func connect(_ current: Int) throws -> Connection {
      let deadline = ContinuousClock.now + settings.reconnectTimeout
      var delay = Duration.milliseconds(20)
      while true {
        do {
          let connection = try Connection(string, settings)
          connection.generation = current
          return connection
        } catch {
          guard ContinuousClock.now + delay < deadline, !Task.isCancelled,
            (error as? PostgresError)?.isFailover ?? false
          else {
            monitor.lock()
            count -= 1
            monitor.wakeAll()
            monitor.unlock()
            try Task.checkCancellation()
            throw error
          }
          usleep(UInt32(delay.components.attoseconds / 1_000_000_000_000))
          delay = min(delay * 2, .milliseconds(500))
        }
      }
    }

    private func giveBack(_ connection: Connection) {
      // A cancellation that is still on its way must not meet the statement of another.
      let hasEnded = connection.isBroken || connection.interruption != nil
      monitor.lock()
      if hasEnded || connection.generation != generation {
        count -= 1
      } else {
        idle.append(connection)
      }
      monitor.wakeAll()
      monitor.unlock()
    }
  }
#endif
