/// Owned objects that their owners let go of in an import, by position: a later batch may want them back.
///
/// What a transaction changes of them is written down, so that it can be run again: a copy for each would take the time of
/// all of them.
struct ReleasedObjects {
  private(set) var objects: [ChangeBatch.Holder: [ObjectID]] = [:]
  /// What was there before each change.
  private var old: [(holder: ChangeBatch.Holder, ids: [ObjectID]?)] = []

  mutating func set(_ ids: [ObjectID], of holder: ChangeBatch.Holder) {
    let before = ids.isEmpty ? objects.removeValue(forKey: holder) : objects.updateValue(ids, forKey: holder)
    if before != nil || !ids.isEmpty { old.append((holder, before)) }
  }

  /// A transaction begins: what was changed so far is kept.
  mutating func keep() { old.removeAll() }

  /// Undoes what was changed since.
  mutating func goBack() {
    while let (holder, ids) = old.popLast() { objects[holder] = ids }
  }
}
