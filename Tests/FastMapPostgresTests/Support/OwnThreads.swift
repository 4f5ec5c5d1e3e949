#if Postgres
  import TestSupport

  /// Runs tasks that block, each on a thread of its own. Those of Swift are as few as the processors, and other tests need
  /// them.
  final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      _ = ThreadWork { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
