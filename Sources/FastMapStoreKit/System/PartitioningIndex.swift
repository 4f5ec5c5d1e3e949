extension RandomAccessCollection {
  /// The first index whose element passes a test that all elements after it pass too; `endIndex` if none does.
  ///
  /// - Complexity: O(log *n*).
  package func partitioningIndex(where isBehind: (Element) -> Bool) -> Index {
    var (first, count) = (startIndex, self.count)
    while count > 0 {
      let middle = index(first, offsetBy: count / 2)
      if isBehind(self[middle]) {
        count /= 2
      } else {
        first = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return first
  }
}
