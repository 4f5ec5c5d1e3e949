import CHeap
import Foundation

/// The memory that the process has in RAM, as the kernel counts it.
enum ResidentMemory {
  /// Gives free heap back to the kernel and forgets the peak so far, so that no subject lives on what another
  /// one left.
  ///
  /// - Returns: The size now; nil where the platform does not tell.
  static func reset() -> Int? {
    heap_trim()
    guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
    let isWritten = fputs("5", file) >= 0
    guard fclose(file) == 0, isWritten else { return nil }
    return bytes("VmRSS:")
  }

  /// The largest size since `reset`.
  static var peak: Int? { bytes("VmHWM:") }

  private static func bytes(_ field: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    for line in status.split(separator: "\n") where line.hasPrefix(field) {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map
      { $0 * 1024 }
    }
    return nil
  }
}
