import CHeap
import Foundation

/// What one run of a subject took.
struct Sample: Codable {
  var seconds: Double
  /// Time that the process had a processor: less than `seconds` where it waited for the disk or for other
  /// processes.
  var processorSeconds: Double
  /// How far resident memory rose above where it stood; nil where it was not asked for, or the platform does not tell.
  var peakBytes: Int?
  /// Calls of malloc, calloc and realloc on all threads; nil where the platform does not tell.
  var allocations: Int?
  /// How far the subject's files grew; nil where it has none.
  var fileBytes: Int?

  /// - Parameters:
  ///   - isCounted: Whether callgrind, where the program runs under it, counts the instructions.
  ///   - isAlone: Whether the subject has a process of its own, so that the memory of that process is the subject's.
  static func measure(
    isCounted: Bool = true, isAlone: Bool = false, _ work: () throws -> Int
  ) rethrows -> (Sample, Int) {
    let before = isAlone ? ResidentMemory.reset() : nil
    let clock = ContinuousClock()
    let allocations = heap_call_count()
    let processor = processorSeconds()
    if isCounted { heap_toggle_instructions() }
    let start = clock.now
    let count = try work()
    let duration = start.duration(to: clock.now)
    if isCounted { heap_toggle_instructions() }
    let processorAfter = Self.processorSeconds()
    let allocationsAfter = heap_call_count()
    let peak = isAlone ? ResidentMemory.peak : nil
    return (
      Sample(
        seconds: duration / .seconds(1), processorSeconds: processorAfter - processor,
        peakBytes: before.flatMap { before in peak.map { $0 - before } },
        allocations: heap_is_known() ? Int(allocationsAfter - allocations) : nil),
      count
    )
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
