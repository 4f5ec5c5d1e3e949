import CFastMapLMDB
import Synchronization

extension Environment {
  /// Makes the environment unusable after an error from which LMDB cannot continue. The environment is closed when the
  /// last reader leaves, and the store can then be opened again.
  ///
  /// The caller has the turn and no transaction.
  func close(after status: CInt) {
    lastStatus.store(status, ordering: .releasing)
    gate.kill()
    closeIfDrained()
  }

  /// Closes a dead environment without readers. Every thread that may have been the last reader calls it.
  @inline(never)
  func closeIfDrained() {
    if gate.isDead, gate.isEmpty { closeHandle() }
  }

  /// Closes LMDB's environment, once. The registry forgets it in the same step, so no thread opens the store before it
  /// is closed.
  func closeHandle() {
    guard !isHandleClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    EnvironmentRegistry.forget(files.data) { mdb_env_close(handle) }
  }
}
