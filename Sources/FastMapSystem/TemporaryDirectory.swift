/// Where temporary files go: `TMPDIR`, or `/tmp` where that is not set or empty.
package func temporaryDirectory() -> String {
  environmentTemporaryDirectory() ?? "/tmp"
}

/// Where large temporary files go: `TMPDIR`, or `/var/tmp` where that is not set, since `/tmp` is often memory.
///
/// `/tmp` where `/var/tmp` cannot be written.
package func spillDirectory() -> String {
  environmentTemporaryDirectory() ?? (access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp")
}

private func environmentTemporaryDirectory() -> String? {
  guard let path = getenv("TMPDIR"), path.pointee != 0 else { return nil }
  return String(cString: path)
}
