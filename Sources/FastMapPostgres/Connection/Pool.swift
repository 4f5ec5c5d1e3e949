#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSystem
  internal import Synchronization

  /// The connections of a store. A transaction has one of its own until it ends.
  // @unchecked: `monitor` guards the variables.
  final class Pool: @unchecked Sendable {
    private let string: ConnectionString
    let settings: PostgresStore.Configuration
    /// Whether another server may take over.
    var hasSeveralHosts: Bool { string.place.contains(",") }
    private let monitor = Monitor()
    /// The idle connections, the last used one last.
    private var idle: [Connection] = []
    /// The number of connections, idle or not.
    private var count = 0
    /// Raised when a server has failed: connections of before are closed when they come back.
    private var generation = 0
    private var use = PoolUse()
    let server: Server
    /// The server and the database of the first connection, for messages.
    let place: String

    /// Connects once, so that a wrong address or password is an error here.
    init(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) throws {
      self.string = string
      settings = configuration
      let first = try Self.connect(
        string, settings, for: settings.startTimeout,
        starting: max(settings.startTimeout, settings.reconnectTimeout))
      server = first.server
      place = first.place
      idle = [first]
      count = 1
    }

    /// Lends a connection to `body`.
    ///
    /// - Parameter isRepeatable: Whether the caller repeats a `body` whose connection turns out to be lost. Then the
    ///   end of the last transaction travels with the first question of this one.
    /// - Throws: ``PostgresError`` if all stay in use, or if no server can be reached; `CancellationError`; errors of
    ///   `body`.
    func withConnection<R>(
      timeout: Duration? = nil, isRepeatable: Bool = false, _ body: (Connection) throws -> R
    ) throws -> R {
      let connection: Connection
      do {
        connection = try borrow(
          PoolUse.thread, timeout: timeout ?? settings.poolTimeout, waits: !isRepeatable)
      } catch let error as Exhausted {
        throw error.described(at: place)
      }
      defer { giveBack(connection) }
      return try body(connection)
    }

    /// Lends one more connection to the write of the calling thread, which cannot end without it.
    ///
    /// - Parameter purpose: The reason why the write needs the connection, for the error.
    /// - Throws: `ConflictError` if no connection is free for some time. The write is rolled back then, which helps
    ///   others, and a repeat may succeed. ``PostgresError`` if none can become free.
    func keepConnection(for purpose: String) throws -> KeptConnection {
      do {
        let connection = try borrow(PoolUse.thread, timeout: settings.poolTimeout / 10)
        return KeptConnection(connection, of: self)
      } catch let error as Exhausted {
        if error.isOwn { throw error.described(at: place, purpose) }
        throw ConflictError("\(error.described(at: place, purpose))")
      }
    }

    /// Opens a connection beside those of the pool, for a moment.
    func extraConnection() throws -> Connection {
      var settings = settings
      settings.lockWait = nil
      settings.statementTimeout = .seconds(5)
      return try Connection(string, settings)
    }

    var isHeldByThisThread: Bool {
      monitor.lock()
      defer { monitor.unlock() }
      return use.heldCount(PoolUse.thread) > 0
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
    /// - Parameter holder: The thread whose transaction it is for.
    /// - Parameter waits: Whether to wait for the end of the connection's last transaction.
    private func borrow(_ holder: UInt, timeout: Duration, waits: Bool = true) throws -> Connection {
      let (deadline, thread) = (ContinuousClock.now + timeout, PoolUse.thread)
      monitor.lock()
      defer { monitor.unlock() }
      use.waits(thread)
      defer { use.waitsNoLonger(thread) }
      while true {
        if let connection = idle.popLast() {
          // Without the lock, because this may wait for answers to statements sent ahead.
          monitor.unlock()
          let hasEnded = connection.hasEnded(waits: waits)
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
            limit: limit, held: use.heldCount(thread), isStuck: isStuck, waited: timeout)
        }
        monitor.waitBriefly()
      }
    }

    private var limit: Int { max(1, settings.maxConnections) }

    private func connect(_ current: Int) throws -> Connection {
      let time = settings.reconnectTimeout
      let connection = try Self.connect(string, settings, for: time, starting: time)
      connection.generation = current
      return connection
    }

    /// How long to try again in any case, if a server is there and connections are lost while they open.
    private static let openingTime = Duration.seconds(2)

    /// Connects, again and again while a server restarts or a replica takes over.
    ///
    /// - Parameters:
    ///   - time: How long to try while no server takes connections.
    ///   - startingTime: How long to try while a server starts.
    private static func connect(
      _ string: ConnectionString, _ settings: PostgresStore.Configuration, for time: Duration,
      starting startingTime: Duration
    ) throws -> Connection {
      let start = ContinuousClock.now
      var delay = Duration.milliseconds(20)
      while true {
        do {
          return try Connection(string, settings)
        } catch {
          let known = error as? PostgresError
          let mayHelp = known?.isFailover ?? false
          var limit = known?.code == "57P03" ? startingTime : time
          if mayHelp, limit < openingTime, Connection.isServed(string, settings) { limit = openingTime }
          let left = limit - (ContinuousClock.now - start)
          guard left > .zero, !Task.isCancelled, mayHelp else {
            try Task.checkCancellation()
            throw error
          }
          usleep(UInt32(min(delay, left).components.attoseconds / 1_000_000_000_000))
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
      if let holder = connection.holder { use.gaveBack(holder) }
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
      if held > 0, purpose.isEmpty {
        reasons.append("a read or write inside another one needs its own")
      }
      if !reasons.isEmpty { message += "; " + reasons.joined(separator: "; ") }
      return PostgresError(server: place, message: message, hint: "Set a larger maxConnections.")
    }
  }
#endif
