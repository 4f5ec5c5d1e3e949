#if Postgres
  internal import FastMapCore
  internal import FastMapSystem
  internal import Synchronization

  /// The connections of a store. A transaction has one of its own until it ends.
  // @unchecked: `monitor` guards the variables.
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
    private var use = PoolUse()
    /// The server of the first connection.
    let server: Server
    /// The server and the database of the first connection, for messages.
    let place: String
    /// The statements that begin a reading and a writing transaction.
    let beginnings: (read: [Statement], write: [Statement])

    /// Connects once, so that a wrong address or password is an error here.
    init(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) throws {
      self.string = string
      settings = configuration
      let first = try Connection(string, settings)
      server = first.server
      place = first.place
      beginnings = (Self.beginning(false, server, settings), Self.beginning(true, server, settings))
      idle = [first]
      count = 1
    }

    /// Lends a connection to `body`.
    ///
    /// - Throws: ``PostgresError`` if all stay in use, or if no server can be reached; `CancellationError`; errors of
    ///   `body`.
    func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
      let connection: Connection
      do {
        connection = try take(PoolUse.thread, timeout: settings.poolTimeout)
      } catch let error as Exhausted {
        throw error.described(at: place)
      }
      defer { giveBack(connection) }
      return try body(connection)
    }

    /// Lends one more connection to the write of the calling thread, which cannot end without it.
    ///
    /// - Parameters:
    ///   - isOfImport: Whether the connection outlives the write, as a mark of the import.
    ///   - purpose: The reason why the write needs the connection, for the error.
    /// - Throws: `ConflictError` if no connection is free for some time. The write is rolled back then, which helps
    ///   others, and a repeat may succeed. ``PostgresError`` if none can become free.
    func keepConnection(isOfImport: Bool = false, for purpose: String) throws -> KeptConnection {
      do {
        let connection = try take(isOfImport ? nil : PoolUse.thread, timeout: settings.poolTimeout / 10)
        return KeptConnection(connection, of: self)
      } catch let error as Exhausted {
        if error.isOwn { throw error.described(at: place, purpose) }
        throw ConflictError("\(error.described(at: place, purpose))")
      }
    }

    /// Closes all idle connections now, and the others when they come back. The next transaction opens a new
    /// connection, perhaps to another server.
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
    /// - Parameter holder: The thread whose transaction it is for; nil for a running import.
    private func take(_ holder: UInt?, timeout: Duration) throws -> Connection {
      let (deadline, thread) = (ContinuousClock.now + timeout, PoolUse.thread)
      monitor.lock()
      defer { monitor.unlock() }
      use.waits(thread)
      defer { use.waitsNoLonger(thread) }
      while true {
        if let connection = idle.popLast() {
          // Without the lock, because `hasEnded` waits for answers to statements sent ahead.
          monitor.unlock()
          let hasEnded = connection.hasEnded
          monitor.lock()
          if hasEnded {
            count -= 1
            continue
          }
          use.took(holder)
          connection.holder = holder
          return connection
        }
        if count < limit {
          count += 1
          use.took(holder)
          use.waitsNoLonger(thread)
          let current = generation
          monitor.unlock()
          let result = Result { try connect(current) }
          monitor.lock()
          do {
            let connection = try result.get()
            connection.holder = holder
            return connection
          } catch {
            count -= 1
            use.gaveBack(holder)
            monitor.wakeAll()
            throw error
          }
        }
        try Task.checkCancellation()
        let isStuck = use.isStuck(count)
        guard !isStuck, ContinuousClock.now < deadline else {
          throw Exhausted(
            limit: limit, held: use.heldCount(thread), kept: use.keptCount, isStuck: isStuck, waited: timeout)
        }
        monitor.waitBriefly()
      }
    }

    private var limit: Int { max(1, settings.maxConnections) }

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
            try Task.checkCancellation()
            throw error
          }
          usleep(UInt32(delay.components.attoseconds / 1_000_000_000_000))
          delay = min(delay * 2, .milliseconds(500))
        }
      }
    }

    fileprivate func isOfNow(_ connection: Connection) -> Bool { connection.generation == generation }

    func isOutdated(_ connection: Connection) -> Bool {
      monitor.lock()
      defer { monitor.unlock() }
      return !isOfNow(connection)
    }

    func giveBack(_ connection: Connection) {
      let hasEnded = connection.isBroken || connection.wasCancelled
      monitor.lock()
      use.gaveBack(connection.holder)
      connection.holder = nil
      if hasEnded || !isOfNow(connection) {
        count -= 1
      } else {
        idle.append(connection)
      }
      monitor.wakeAll()
      monitor.unlock()
    }
  }

  /// All connections of a pool are in use.
  private struct Exhausted: Error {
    let limit: Int
    /// How many of them the calling thread holds.
    let held: Int
    /// How many of them running imports keep.
    let kept: Int
    /// Whether none would ever come back.
    let isStuck: Bool
    let waited: Duration

    /// Whether the calling thread itself holds all.
    var isOwn: Bool { isStuck && held == limit }

    func described(at place: String, _ purpose: String = "") -> PostgresError {
      var message = limit == 1 ? "the only connection is in use" : "all \(limit) connections are in use"
      if isOwn {
        message += ", by this thread"
      } else if isStuck {
        message += " by reads and writes that wait for another one"
      } else {
        message += ", for \(waited)"
      }
      var reasons = purpose.isEmpty ? [] : [purpose]
      if held > 0, purpose.isEmpty { reasons.append("a read or write inside another one needs its own") }
      if kept > 0 {
        reasons.append("\(kept) of them mark\(kept == 1 ? "s" : "") an import in several commits")
      }
      if !reasons.isEmpty { message += "; " + reasons.joined(separator: "; ") }
      return PostgresError(server: place, message: message, hint: "Set a larger maxConnections.")
    }
  }
#endif
