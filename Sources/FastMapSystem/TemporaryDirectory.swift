/// The directory for temporary files: `TMPDIR`, or `/tmp` if that is unset or empty.
package func temporaryDirectory() -> String {
  environmentTemporaryDirectory() ?? "/tmp"
}

/// The directory for large temporary files: `TMPDIR`, or `/var/tmp` if that is unset, because `/tmp` is often in memory.
///
/// If `/var/tmp` is not writable, it is `/tmp`.
package func spillDirectory() -> String {
  environmentTemporaryDirectory() ?? (access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp")
}

private func environmentTemporaryDirectory() -> String? {
  guard let path = getenv("TMPDIR"), path.pointee != 0 else { return nil }
  return String(cString: path)
}
