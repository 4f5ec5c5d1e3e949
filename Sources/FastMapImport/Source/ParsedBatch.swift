/// The root objects of one batch, and the memory of their trees. The next batch reuses the memory.
///
/// - Note: Thread rule: one thread at a time.
package final class ParsedBatch {
  /// A root object and its index in the root array; nil for a lone object.
  package struct Root {
    var node: JSONNode
    var bigIntegers: BigIntegers?
    var index: Int?
    /// The name of the member that has it, as long as the node; nil for an element, a line or a lone object.
    var name: UnsafeBufferPointer<UInt8>?
    /// The values that the plan reads from the root of the document; nil if it reads none.
    var document: JSONNode?
  }

  /// Root objects on one page of a root path with `[]`: the elements of an array, or one object.
  package struct Page {
    /// The index of the array's first element, or of the object.
    var first: Int
    var path: [JSONPath.Step]
    var isArray: Bool
  }

  /// A root object that could not be read: see `RootSource.isOfValue`. Or a line that is not JSON.
  struct RootFault {
    var place: RootSource.Place
    var reason: MappingError.Reason
  }

  let reader: JSONReader
  /// Valid until the batch is emptied or deallocated.
  var roots: [Root] = []
  /// The values that were given to the import; nil for none.
  var context: JSONNode?
  private(set) var first = 0
  var offsets: [Int] = []
  /// The faults of root objects that could not be read, by their indices; 0 for a lone object. Their nodes are null.
  var rootFaults: [Int: RootFault] = [:]
  /// The pages that they are on, in ascending order; none if the root path has no `[]`.
  var pages: [Page] = []
  /// The text that holds them; nil for a tree.
  var text: TextPiece?
  var end = RootSource.Position()
  /// The input that has them.
  var source: RootSource
  /// The number of the first one among the root objects of all inputs.
  var firstPlace = 0

  init(_ reader: consuming JSONReader, of source: RootSource) {
    self.reader = reader
    self.source = source
  }

  /// Frees the trees.
  func empty(first: Int) {
    roots.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    rootFaults.removeAll(keepingCapacity: true)
    pages.removeAll(keepingCapacity: true)
    text = nil
    reader.reset()
    context = nil
    self.first = first
  }

  /// The path of a root object on a page; nil without pages.
  func pathOnPage(ofRoot index: Int) -> JSONPath? {
    let next = pages.partitioningIndex { $0.first > index }
    guard next > 0 else { return nil }
    let page = pages[next - 1]
    return JSONPath(page.path + (page.isArray ? [.index(index - page.first)] : []))
  }

  /// The size of the text with all values of the batch; nil for trees.
  var textBytes: Int? {
    offsets.first.map { end.offset - $0 } ?? text?.bytes.count
  }

  /// Where a root object begins; nil for one of another batch.
  func offset(ofRoot index: Int) -> Int? {
    offsets.indices.contains(index - first) ? offsets[index - first] : nil
  }
}
