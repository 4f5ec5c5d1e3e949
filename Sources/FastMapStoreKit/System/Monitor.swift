internal import FastMapSystem

/// A lock with a condition to wait for. C: `pthread_mutex_t`, `pthread_cond_t`
///
/// `Synchronization.Mutex` has no condition. On Linux, the thread sanitizer does not understand it and reports false
/// races.
// @unchecked: the pointers never change, and any thread may use the mutex and the condition.
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let status = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(status == (0, 0), "the system cannot create a lock")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }
  package func unlock() { pthread_mutex_unlock(mutex) }

  package func locked<R>(_ body: () throws -> R) rethrows -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Releases the lock until `signal`, or until a spurious wake-up. Call it only with the lock held.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits like `wait`, for at most a tenth of a second.
  package func waitBriefly() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_nsec += 100_000_000
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_nsec -= 1_000_000_000
      time.tv_sec += 1
    }
    pthread_cond_timedwait(condition, mutex, &time)
  }

  /// Wakes one waiting thread.
  package func signal() { pthread_cond_signal(condition) }

  package func wakeAll() { pthread_cond_broadcast(condition) }
}
