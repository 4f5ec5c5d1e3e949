extension StoreReader {
  /// Finds the objects that are still stored.
  ///
  /// An import in several commits keeps numbers from one transaction to the next. In between, another write may delete
  /// their objects. So the import asks about the objects before it links or writes them.
  ///
  /// - Parameter ids: In any order. Each is asked for once, however often it is repeated.
  mutating func stored(_ ids: some Sequence<ObjectID>, of entity: Int) throws -> Set<ObjectID> {
    let all = Array(ids).sortedUnique()
    var stored: Set<ObjectID> = []
    for start in stride(from: 0, to: all.count, by: 4096) {
      let some = Array(all[start..<min(start + 4096, all.count)])
      try read(some, of: entity) { index, _ in
        try StoreContractError.check(position: index, below: some.count)
        stored.insert(some[index])
      }
    }
    return stored
  }
}
