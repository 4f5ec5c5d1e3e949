internal import CFastMap

/// Roots without a key, in an import that replaces objects. They are values, as the elements of one list are.
extension ImportUnit {
  /// Gives each root without a key the stored root with the same value, or a new object.
  ///
  /// - Complexity: O(*n*) in the objects of the roots.
  func findRoots<W: StoreWriter>(in writer: inout W) throws {
    let roots = rootsWithoutKey
    if roots.isEmpty { return }
    guard let storedRoots else {
      for index in roots { makeElement(index) }
      return
    }
    let taken = roots.map { storedRoots.next(hash(of: $0)) }
    let nodes = try elements.stored.read(taken.compactMap(\.self), of: storedRoots.entity, in: &writer.reader)
    var next = nodes.lowerBound
    for (index, id) in zip(roots, taken) {
      defer { if id != nil { next += 1 } }
      // Another writer may have changed the object between two commits.
      if id != nil, elements.stored.nodes[next].hash == hash(of: index) {
        share(index, .node(next))
      } else {
        makeElement(index)
      }
    }
  }

  /// The roots without a key that are not left out.
  private var rootsWithoutKey: [Int] {
    var found: [Int] = []
    var index = 0
    while index < occurrenceCount {
      if isElement(index), flags(index) & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) == 0 { found.append(index) }
      index = Int(occurrences[index].end)
    }
    return found
  }
}
