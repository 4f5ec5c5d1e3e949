/// Where values stand in the payload: their paths, lines and columns.
extension RootSource {
  /// Something in a root object, or in the only one, and the steps to it.
  struct Place {
    var root: Int?
    var steps: [JSONPath.Step] = []
    /// Whether the steps lead from the document, or from the line of the root object.
    var isOfDocument = false
    /// Where it stands in the text, if that is known.
    var offset: Int?
  }

  func path(ofRoot index: Int?, in batch: ParsedBatch) -> JSONPath {
    guard let index else { return JSONPath(form.rootSteps) }
    if let path = batch.pathOnPage(ofRoot: index) { return path }
    if case .lines = layout { return JSONPath([.index(index)]) }
    if form.readsMembers, batch.roots.indices.contains(index - batch.first),
      let name = batch.roots[index - batch.first].name
    {
      return JSONPath(form.rootSteps + [.member(String(decoding: name, as: UTF8.self))])
    }
    return JSONPath(form.rootSteps + [.index(index)])
  }

  func path(of place: Place, in batch: ParsedBatch) -> JSONPath {
    guard place.isOfDocument else { return JSONPath(path(ofRoot: place.root, in: batch).steps + place.steps) }
    if case .lines = layout, let root = place.root {
      return JSONPath(path(ofRoot: root, in: batch).steps.prefix(1) + place.steps)
    }
    return JSONPath(place.steps)
  }

  /// Where places stand in the text of a batch; nil for a tree without a text.
  ///
  /// - Complexity: O(*n* log *n*) in the places and their steps, and O(*n*) in the bytes of the objects that contain
  ///   them and of the objects between.
  func locations(of wanted: [Place], in batch: ParsedBatch) -> [TextLocation?] {
    if form.isTree { return wanted.map { _ in nil } }
    let text = batch.text ?? window.shown
    var found: [(offset: Int, index: Int)] = []
    found.reserveCapacity(wanted.count)
    for (index, place) in wanted.enumerated() {
      if let offset = place.offset { found.append((offset, index)) }
    }
    for (start, places) in byStart(wanted, in: batch) {
      var finder = PlaceFinder(text.bytes, from: start - text.start, maxDepth: reader.maxDepth)
      for place in places { finder.add(place.steps) }
      for (place, offset) in zip(places, finder.find()) { found.append((text.start + offset, place.index)) }
      form.onPlaceSearch?(finder.scannedBytes)
    }
    found.sort { $0.offset < $1.offset }
    var locations = [TextLocation?](repeating: nil, count: wanted.count)
    for place in found {
      locations[place.index] = text.location(
        of: place.offset, from: places.mark(at: place.offset, of: batch, in: text))
    }
    return locations
  }

  private struct Inner {
    var index: Int
    var steps: [JSONPath.Step]
  }

  /// The wanted places by the value that the text is read from, ascending.
  private func byStart(
    _ wanted: [Place], in batch: ParsedBatch
  ) -> [(start: Int, places: [Inner])] {
    var starts: [Int: [Inner]] = [:]
    for (index, place) in wanted.enumerated() where !place.isOfDocument && place.offset == nil {
      var inner = Inner(index: index, steps: place.steps)
      if case .whole(let only) = layout {
        starts[only.start, default: []].append(inner)
      } else if let start = place.root.flatMap({ batch.offset(ofRoot: $0) }) {
        if case .lines = layout {
          inner.steps = path(ofRoot: place.root, in: batch).steps.dropFirst() + place.steps
        }
        starts[start, default: []].append(inner)
      }
    }
    return starts.sorted { $0.key < $1.key }.map { (start: $0.key, places: $0.value) }
  }

  /// The place of a value some steps inwards of the value at an offset.
  func location(of steps: some Sequence<JSONPath.Step>, from start: Int) -> TextLocation {
    let text = window.shown
    var finder = PlaceFinder(text.bytes, from: start - text.start, maxDepth: reader.maxDepth)
    finder.add(steps)
    return text.location(of: text.start + finder.find()[0])
  }
}

/// The places of root objects in a text, counted on from one to the next. To count from the beginning for each fault would
/// take the time of the whole text.
///
/// - Note: Thread rule: for the importing thread alone.
final class RootPlaces {
  private var first = TextPiece.Mark()
  /// The last object.
  private var last = TextPiece.Mark()

  /// The mark of a root object of a batch.
  ///
  /// - Complexity: O(*n*) in the bytes since the last mark. For an earlier place, O(*n*) in the bytes of its batch and
  ///   the batch before.
  fileprivate func mark(at offset: Int, of batch: ParsedBatch, in text: TextPiece) -> TextPiece.Mark {
    if let start = batch.offsets.first, start != first.offset { first = text.mark(at: start, from: last) }
    last = text.mark(at: offset, from: last.offset <= offset ? last : first)
    return last
  }
}
