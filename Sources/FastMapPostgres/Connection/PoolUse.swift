#if Postgres
  internal import FastMapSystem

  /// Which threads hold connections of a pool, and which of them wait for another one.
  struct PoolUse {
    /// By thread.
    private var held: [UInt: Int] = [:]
    private var waiting: Set<UInt> = []

    /// The calling thread. A read or a write stays on one.
    static var thread: UInt {
      #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
      #else
        UInt(pthread_self())
      #endif
    }

    mutating func took(_ thread: UInt) { held[thread, default: 0] += 1 }

    mutating func gaveBack(_ thread: UInt) {
      let count = held[thread, default: 1] - 1
      held[thread] = count == 0 ? nil : count
    }

    mutating func waits(_ thread: UInt) { waiting.insert(thread) }
    mutating func waitsNoLonger(_ thread: UInt) { waiting.remove(thread) }

    func heldCount(_ thread: UInt) -> Int { held[thread] ?? 0 }

    /// Whether threads that wait hold all connections, so that none ever comes back.
    ///
    /// - Parameter count: The connections of the pool.
    func isStuck(_ count: Int) -> Bool {
      waiting.reduce(0) { $0 + heldCount($1) } == count
    }
  }

  /// A connection that one owner keeps beside its transaction's. The last reference returns it to the pool.
  final class KeptConnection {
    let connection: Connection
    private let pool: Pool

    init(_ connection: Connection, of pool: Pool) {
      self.connection = connection
      self.pool = pool
    }

    deinit {
      connection.discardAll()
      pool.giveBack(connection)
    }
  }
#endif
