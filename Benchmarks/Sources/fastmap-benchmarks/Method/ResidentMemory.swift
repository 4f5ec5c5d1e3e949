import CHeap
import Foundation
import Synchronization

/// The resident memory of the process, as the kernel counts it.
enum ResidentMemory {
  /// Returns free heap to the kernel and resets the peak.
  ///
  /// - Returns: The current size; nil if the platform does not report it.
  static func reset() -> Int? {
    heap_trim()
    guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
    let isWritten = fputs("5", file) >= 0
    guard fclose(file) == 0, isWritten else { return nil }
    return bytes("VmRSS:")
  }

  /// The maximum size since `reset`.
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

/// Samples anonymous memory on its own thread, because the kernel keeps no peak of it.
final class AnonymousMemory {
  /// Shared with the watching thread.
  private final class State: Sendable {
    let peak = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    let ended = DispatchSemaphore(value: 0)
  }

  private let state = State()
  private let before: Int?

  /// - Parameter before: The size at the start.
  init(above before: Int?) {
    heap_trim()
    self.before = before
    guard before != nil else { return }
    Thread.detachNewThread { [state] in
      while !state.isDone.load(ordering: .relaxed) {
        if let bytes = Self.bytes { state.peak.max(bytes, ordering: .relaxed) }
        usleep(2000)
      }
      state.ended.signal()
    }
  }

  /// Stops sampling.
  ///
  /// - Returns: The increase; nil if the platform does not report it.
  func stop() -> Int? {
    guard let before else { return nil }
    state.isDone.store(true, ordering: .relaxed)
    state.ended.wait()
    return max(0, state.peak.load(ordering: .relaxed) - before)
  }

  /// The bytes of resident pages, without pages of files.
  static var bytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let pages = text.split(separator: " ").compactMap { Int($0) }
    return pages.count > 2 ? (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
  }
}
