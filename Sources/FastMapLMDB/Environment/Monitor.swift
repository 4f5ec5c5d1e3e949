#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock to wait in. C: `pthread_mutex_t`, `pthread_cond_t`
///
/// Not `Synchronization.Mutex`: that has no condition to wait for, and on Linux the thread sanitizer cannot
/// see it, so that it reports a race in whatever it guards.
// @unchecked: the pointers never change, and pthread guards what they point to.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let status = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(status == (0, 0), "The system has no room for a lock.")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
  func wait() { pthread_cond_wait(condition, mutex) }
  func wakeAll() { pthread_cond_broadcast(condition) }
}
