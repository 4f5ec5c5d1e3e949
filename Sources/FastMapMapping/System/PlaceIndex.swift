/// Numbers keys in the order they are first met. A few are compared one by one, many are hashed.
///
/// A copy has the keys that the original has then; only one of the two may be given more.
package struct PlaceIndex<Key: Hashable> {
  // Behind a reference, as most need none: a dictionary makes its type known at run time even to be copied empty.
  private final class Places {
    var ofKeys: [Key: Int] = [:]
  }

  private var few: [Key] = []
  private var many: Places?

  package init() {}

  private static var searched: Int { 16 }

  /// The number of a key; nil before the key has one.
  subscript(key: Key) -> Int? { place(amongFew: key) ?? many?.ofKeys[key] }

  // Written out: the compiler does not specialise `firstIndex(of:)` for keys of another module.
  private func place(amongFew key: Key) -> Int? {
    for place in few.indices where few[place] == key { return place }
    return nil
  }

  /// The number of a key; of a new one, the number of keys before it.
  package mutating func place(of key: Key) -> Int {
    if let place = self[key] { return place }
    if few.count < Self.searched {
      few.append(key)
      return few.count - 1
    }
    let many = self.many ?? Places()
    self.many = many
    many.ofKeys[key] = few.count + many.ofKeys.count
    return few.count + many.ofKeys.count - 1
  }
}
