/// Where an asynchronous sequence of a query has come to.
enum PagingState: Sendable {
  /// Nil at the beginning.
  case keys(after: PrimaryKey?, left: Int)
  case objects(ArraySlice<ObjectID>)
  case ended
}

extension StoreReader {
  /// The numbers and keys of the next page. Objects of a first page that decided the order may be deleted by now.
  mutating func pageOfObjects(
    _ query: BoundQuery, _ state: PagingState, _ pageSize: Int
  ) throws -> (ObjectPage, PagingState) {
    var found = ObjectPage()
    switch state {
    case .ended: return (found, .ended)
    case .objects(let ids):
      for id in ids.prefix(pageSize) { found.append(id, nil) }
      let rest = ids.dropFirst(found.count)
      return (found, rest.isEmpty ? .ended : .objects(rest))
    case .keys(let after, let left):
      if case .values = query.order {
        return try pageOfObjects(query, .objects(ids(of: query)[...]), pageSize)
      }
      let start = after.map { QueryPosition(key: $0, values: []) }
      let size = min(pageSize, left)
      var run = QueryRun(query.limited(to: size), after: start, usesIndexes: false)
      try run.forEachPage(&self) { _, page in
        for (id, key) in zip(page.ids, page.keys) { found.append(id, key) }
        return true
      }
      let isOver = found.count < size || size == left
      if !isOver, found.keys.last == .some(nil) {
        // Nothing continues behind an object without a key.
        var ids: [ObjectID] = []
        var run = QueryRun(query.limited(to: left), after: start, usesIndexes: false)
        try run.forEachPage(&self) { _, page in
          ids += page.ids
          return true
        }
        return try pageOfObjects(query, .objects(ids[...]), pageSize)
      }
      return (found, isOver ? .ended : .keys(after: found.keys.last ?? nil, left: left - found.count))
    }
  }
}
