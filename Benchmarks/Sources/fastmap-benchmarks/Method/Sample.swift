import CHeap
import Foundation

/// The measurements of one run of a subject.
struct Sample: Codable {
  var seconds: Double
  /// The processor time: less than `seconds` if the process waited for the disk or for other processes.
  var processorSeconds: Double
  /// The increase of resident memory; nil if it was not requested or the platform does not report it.
  var peakBytes: Int?
  /// The calls of malloc, calloc and realloc on all threads; nil if the platform does not report them.
  var allocations: Int?
  /// The growth of the subject's files; nil if it has none.
  var fileBytes: Int?

  /// - Parameters:
  ///   - isCounted: Whether callgrind counts the instructions, if the program runs under it.
  ///   - isAlone: Whether the subject has its own process, so that the process's memory is the subject's.
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
