#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The system's words for an error number.
package func systemMessage(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

/// Where temporary files go: `TMPDIR`, or `/tmp` where that is not set or empty.
package func temporaryDirectory() -> String {
  environmentTemporaryDirectory() ?? "/tmp"
}

/// Where large temporary files go: `TMPDIR`, or `/var/tmp` where that is not set, since `/tmp` is often memory; or
/// `/tmp` where nothing can be written there.
func spillDirectory() -> String {
  environmentTemporaryDirectory() ?? (access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp")
}

private func environmentTemporaryDirectory() -> String? {
  guard let path = getenv("TMPDIR"), path.pointee != 0 else { return nil }
  return String(cString: path)
}
