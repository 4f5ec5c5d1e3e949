/// The places of root objects in a text, counted on from one to the next: to count from the beginning for each would
/// take the time of the whole text for every fault in it.
///
/// - Note: Thread rule: for the importing thread alone. The window, which may be another's at the time, has no part in
///   it.
final class RootPlaces {
  /// The first object of the batch that was asked about last.
  private var first = TextWindow.Mark()
  /// The object that was asked about last.
  private var last = TextWindow.Mark()

  /// The mark of a root object of a batch.
  ///
  /// - Complexity: O(*n*) in the bytes since the last one; in those of the batch before it where that is behind it.
  func mark(at offset: Int, of batch: RootBatch, in window: TextWindow) -> TextWindow.Mark {
    if let start = batch.offsets.first, start != first.offset { first = window.mark(at: start, from: last) }
    last = window.mark(at: offset, from: last.offset <= offset ? last : first)
    return last
  }
}
