#if Postgres
  internal import CFastMapPostgres
  internal import FastMapStoreKit

  /// Asks a server to cancel the statement that a connection runs.
  ///
  /// C: `PQcancel`, which opens a connection of its own, and waits for its end without a time-out. So another thread calls
  /// it.
  // @unchecked: a `PGcancel` never changes, and any thread may use it.
  final class Canceller: @unchecked Sendable {
    private let request: OpaquePointer

    /// Nil if there is no memory for it.
    init?(_ connection: OpaquePointer) {
      guard let request = PQgetCancel(connection) else { return nil }
      self.request = request
    }

    deinit { PQfreeCancel(request) }

    /// Sends the request, and does not wait for it. Without a thread, the statement goes on.
    func cancel() { try? OwnThread { self.send() }.detach() }

    private func send() {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
        _ = PQcancel(request, room.baseAddress, 256)
      }
    }
  }
#endif
