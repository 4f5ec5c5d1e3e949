import FastMapSystem

/// How many times as much processor time a thread takes for the larger of two sizes: about as many times as it is larger, if the work
/// is linear.
///
/// - Parameter body: Does work of a size, and passes the part to measure to its second argument.
package func growth(
  from small: Int, to large: Int, _ body: (Int, (() throws -> Void) throws -> Void) throws -> Void
) rethrows -> Double {
  func time(_ size: Int) throws -> Double {
    var time = 0.0
    try body(size) { part in
      let start = processorTime()
      try part()
      time += processorTime() - start
    }
    return time
  }
  // The first run of the smaller size meets cold caches, and a busy machine may cause a large time.
  _ = try time(small)
  let least = try min(time(small), time(small))
  let first = try time(large) / least
  return first < 2 * Double(large) / Double(small) ? first : try min(first, time(large) / least)
}

/// The seconds that this thread has taken.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
