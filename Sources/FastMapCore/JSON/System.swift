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
  guard let path = getenv("TMPDIR"), path.pointee != 0 else { return "/tmp" }
  return String(cString: path)
}
