/// The places of root objects in a text, counted on from one to the next: to count from the beginning for each would
/// take the time of the whole text for every fault in it.
///
/// - Note: Thread rule: for the importing thread alone.
final class RootPlaces {
  /// The first object of the batch that was asked about last.
  private var first = TextPiece.Mark()
  /// The object that was asked about last.
  private var last = TextPiece.Mark()

  /// The mark of a root object of a batch.
  ///
  /// - Complexity: O(*n*) in the bytes since the last one; in those of the batch before it where that is behind it.
  func mark(at offset: Int, of batch: RootBatch, in text: TextPiece) -> TextPiece.Mark {
    if let start = batch.offsets.first, start != first.offset { first = text.mark(at: start, from: last) }
    last = text.mark(at: offset, from: last.offset <= offset ? last : first)
    return last
  }
}
