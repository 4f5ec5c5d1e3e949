/// Root objects that are read together, into memory that has room for the next ones when they are done with.
///
/// - Note: Thread rule: one thread at a time.
final class RootBatch {
  /// A root object and its index in the root array; nil for a lone object.
  struct Root {
    var node: JSONNode
    var bigIntegers: BigIntegers?
    var index: Int?
  }

  let reader: JSONReader
  /// They live until the batch is emptied or goes.
  var roots: [Root] = []
  /// The number of the first one.
  private(set) var first = 0
  /// Where they begin in a text that is read batch by batch.
  var offsets: [Int] = []
  /// The text that they stand in; nil for a tree's.
  var text: TextPiece?
  /// Where the source was behind the last one.
  var end: RootSource.Position
  /// How much of the text had been read by then.
  var bytesDone = 0

  init(_ reader: consuming JSONReader, end: RootSource.Position) {
    self.reader = reader
    self.end = end
  }

  /// Ends the life of its objects.
  func empty(first: Int) {
    roots.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    text = nil
    reader.reset()
    self.first = first
  }

  /// Where a root object begins; nil for one of another batch.
  func offset(ofRoot index: Int) -> Int? {
    offsets.indices.contains(index - first) ? offsets[index - first] : nil
  }
}
