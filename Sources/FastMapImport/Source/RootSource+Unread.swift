internal import CFastMap

/// The members of root objects that no field reads. The reader counts the ones that it leaves out; a tree that has all of its members
/// is searched.
extension RootSource {
  /// Says whether the reader counts the members of the next batch: not if a transaction that ran before has counted them.
  ///
  /// - Returns: How many objects the batch may have: all of them count, or none does.
  func beginCount(_ limit: Int) -> Int {
    let counted = unread.countedRoots - position.passed.roots - position.count
    unread.pointer.pointee.is_on = form.shape != nil && counted <= 0
    return counted > 0 ? min(limit, counted) : limit
  }

  /// Gives the members that the text of a root object was the first to have their places.
  func placeUnread(of text: UnsafeRawBufferPointer) {
    unread.place {
      let offset = text.baseAddress.flatMap { text in window.bytes.baseAddress.map { text - $0 } } ?? 0
      return (position.count, window.start + offset)
    }
  }

  /// Counts the members of a batch that has just been read, and finds the paths of new members.
  func countUnread(in batch: ParsedBatch) throws {
    let readsAll = form.isTree || form.shape == nil || hasWholeLines
    if let shape = form.readShape, readsAll, !form.refusesUnread {
      for (number, root) in batch.roots.enumerated() where batch.firstPlace + number >= unread.countedRoots {
        unread.pointer.pointee.root = UInt64(batch.first + number)
        try unread.scan(root.node, shape)
      }
    }
    unread.countedRoots = max(unread.countedRoots, batch.firstPlace + batch.roots.count)
    if unread.hasNew { setPaths(in: batch) }
    if batch.firstPlace == 0, let expected = form.expected { try check(batch, expected) }
  }

  /// Checks the first root objects. The members that they have in the batch are known, and the others were counted.
  private func check(_ batch: ParsedBatch, _ expected: ExpectedMembers) throws {
    var found = Set(unread.names(of: form.readShape))
    for root in batch.roots {
      guard let members = root.node.members else { continue }
      for member in members { found.insert(String(decoding: member.name, as: UTF8.self)) }
    }
    try expected.check(found, of: form.rootName, in: file)
  }

  /// Whether lines are read as a whole, because a root path leads into them.
  private var hasWholeLines: Bool { if case .lines = layout { !form.steps.isEmpty } else { false } }

  private func setPaths(in batch: ParsedBatch) {
    let text = batch.text ?? window.shown
    var search: (start: Int, search: StepSearch)?
    unread.setPaths { root, offset, steps in
      var start = batch.offset(ofRoot: root) ?? 0
      var index: Int? = root
      if case .whole(let only) = layout {
        index = nil
        start = only.start
      }
      let way = path(ofRoot: index, in: batch).steps
      if let steps { return way + steps }
      if search?.start != start { search = (start, StepSearch(text.bytes, from: start - text.start)) }
      return way + (search?.search.steps(to: offset - text.start) ?? [])
    }
  }
}
