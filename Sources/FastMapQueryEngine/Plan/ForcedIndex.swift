/// Has queries go through indexes whatever it costs. With few objects, an index hardly ever costs less than a look at all.
///
///     try ForcedIndex.choosing(2) { try snapshot.keys(query) }     // the third way, counted round
package enum ForcedIndex {
  #if DEBUG
    /// The number of the way that is taken among those through an index; nil for the cheapest way.
    @TaskLocal package static var number: Int?
  #endif

  /// Runs queries with a way of a number, where there is one through an index. A release build takes the cheapest way.
  package static func choosing<R>(_ number: Int?, _ body: () throws -> R) rethrows -> R {
    #if DEBUG
      try $number.withValue(number, operation: body)
    #else
      try body()
    #endif
  }
}
