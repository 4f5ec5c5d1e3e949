import CFastMapLMDB
import Synchronization

extension Environment {
  /// Makes the environment unusable after an error that LMDB cannot go on from, and closes it when the last
  /// reader is out. Then the store can be opened anew.
  ///
  /// The caller has the turn and no transaction.
  func close(after status: CInt) {
    lastStatus.store(status, ordering: .releasing)
    gate.kill()
    closeIfDrained()
  }

  /// Closes a dead environment that nobody is in. Everybody who may have been the last one out calls it.
  @inline(never)
  func closeIfDrained() {
    if gate.isDead, gate.isEmpty { closeHandle() }
  }

  /// Closes LMDB's environment, once. The registry forgets it in the same breath, so that nobody opens the
  /// store a second time before it is closed.
  func closeHandle() {
    guard !isHandleClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    EnvironmentRegistry.forget(files.data) { mdb_env_close(handle) }
  }
}
