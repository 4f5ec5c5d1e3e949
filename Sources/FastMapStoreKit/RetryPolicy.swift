internal import FastMapSystem

/// How often and how long a write is repeated that fails with ``ConflictError``.
///
///     options.retries = RetryPolicy(patience: .seconds(600))
///     options.retries = RetryPolicy(attempts: 3)      // no longer than that
///
/// Before each repetition the thread waits a random time. Its upper limit doubles each time.
public struct RetryPolicy: Sendable, Hashable {
  /// How often a write is tried: at least the lower bound, although `patience` is over, and at most the upper one.
  package var attempts: ClosedRange<Int>
  /// How long a write is tried again after its first failure.
  package var patience: Duration
  /// The longest wait before the second attempt.
  package var firstDelay: Duration
  /// The longest wait before any attempt.
  package var longestDelay: Duration

  /// Makes a policy that gives up after a time, and after ten attempts at least.
  public init(
    patience: Duration = .seconds(60), firstDelay: Duration = .milliseconds(5),
    longestDelay: Duration = .seconds(1)
  ) {
    (attempts, self.patience) = (10...Int.max, patience)
    (self.firstDelay, self.longestDelay) = (firstDelay, longestDelay)
  }

  /// Makes a policy that gives up after some attempts.
  ///
  /// - Parameters:
  ///   - attempts: How often a write is tried at most, once or more.
  ///   - patience: A time after which it gives up earlier; nil for none.
  ///   - firstDelay: The longest wait before the second attempt.
  ///   - longestDelay: The longest wait before any attempt.
  public init(
    attempts: Int, patience: Duration? = nil, firstDelay: Duration = .milliseconds(5),
    longestDelay: Duration = .seconds(1)
  ) {
    let most = max(1, attempts)
    (self.attempts, self.patience) = (patience == nil ? most...most : 1...most, patience ?? .zero)
    (self.firstDelay, self.longestDelay) = (firstDelay, longestDelay)
  }

  /// Runs `attempt` until it succeeds, fails otherwise, or has used up the attempts and the time.
  ///
  /// - Parameter attempt: Receives the number of earlier attempts.
  package func run<R>(_ attempt: (_ earlier: Int) throws -> R) throws -> R {
    var earlier = 0
    var lost = 0
    // Of the waits and of all attempts but the first one.
    var time = Duration.zero
    var delay = max(.zero, min(firstDelay, longestDelay))
    while true {
      let start = ContinuousClock.now
      do {
        return try attempt(earlier)
      } catch var conflict as ConflictError {
        earlier += 1
        lost += conflict.isConnectionLost ? 1 : 0
        if earlier > 1 { time += ContinuousClock.now - start }
        guard earlier < attempts.upperBound, earlier < attempts.lowerBound || time < patience else {
          conflict.attempts = earlier
          conflict.isAsBefore = lost == 0 || lost == earlier
          throw conflict
        }
        if Task.isCancelled { throw CancellationError() }
        let wait = delay * Double.random(in: 0...1)
        Self.pause(wait)
        time += wait
        delay = min(delay * 2, longestDelay)
      }
    }
  }

  /// Waits before another attempt. Tests replace it by a wait that takes no time.
  @TaskLocal package static var pause: @Sendable (Duration) -> Void = { sleep($0) }

  private static func sleep(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return }
    var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var rest = timespec()
    while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
  }
}

extension Store {
  /// Runs `body` in one transaction, and repeats it if it conflicts with another write.
  ///
  ///     try store.transact(schema) { writer in .commit(try writer.delete([id], of: 0)) }
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of the write.
  ///   - retries: How often to try.
  ///   - body: As for `write`. The body may run several times, so it must not change anything outside the store that it
  ///     cannot change again.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body` and of the store; ``ConflictError`` after the last attempt. Nothing is changed then.
  @discardableResult
  public func transact<R>(
    _ schema: Schema, retries: RetryPolicy = RetryPolicy(),
    _ body: (inout Writer) throws -> TransactionCompletion<R>
  ) throws -> R {
    try retries.run { _ in try write(schema, body) }
  }
}
