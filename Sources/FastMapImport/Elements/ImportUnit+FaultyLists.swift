internal import CFastMap

/// Lists with a faulty or unidentified element. Nothing is removed from such a list.
extension ImportUnit {
  /// The fault of a list.
  enum ListFault {
    /// An element is an object with an unknown key.
    case ofKey
    /// An element without a key is faulty.
    case ofElement
  }

  /// The worst fault among the targets of a relationship; nil if they have none.
  func fault(of link: fastmap_link) -> ListFault? {
    guard hasFaults, link.tag == FASTMAP_OCCURRENCES else { return nil }
    var fault: ListFault?
    for target in UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
    where flags(Int(target)) & FASTMAP_SKIPPED != 0 {
      if flags(Int(target)) & FASTMAP_OWNED != 0 { return .ofElement }
      if flags(Int(target)) & FASTMAP_UNIDENTIFIED != 0 { fault = .ofKey }
    }
    return fault
  }

  /// Leaves out each element that contains a faulty object without a key, or a faulty, unidentified object.
  ///
  /// - Complexity: O(*n*) in the occurrences.
  func leaveOutFaultyElements() {
    for index in (0..<occurrenceCount).reversed() {
      let flags = flags(index)
      guard flags & FASTMAP_SKIPPED != 0, flags & (FASTMAP_OWNED | FASTMAP_UNIDENTIFIED) != 0 else {
        continue
      }
      var owner = Int(occurrences[index].owner)
      while isElement(owner), !isSkipped(owner) {
        skip(owner)
        owner = Int(occurrences[owner].owner)
      }
    }
  }

  /// The relationship that stays as it is because of a fault, and whether it is a list; nil if the fault has no such effect.
  ///
  /// - Parameter index: The occurrence with the fault.
  func kept(byFaultOf index: Int) -> (isList: Bool, isMerge: Bool)? {
    guard index < occurrenceCount, flags(index) & (FASTMAP_OWNED | FASTMAP_UNIDENTIFIED) != 0 else {
      return nil
    }
    var index = index
    if !isElement(index), isInsideElement(index) { index = Int(occurrences[index].owner) }
    while isElement(index), isInsideElement(index) { index = Int(occurrences[index].owner) }
    let owner = Int(occurrences[index].owner)
    guard owner != Int(FASTMAP_NONE) else { return nil }
    let relationship = mappings[Int(occurrences[owner].mapping)].relationships[
      Int(occurrences[index].relationship)]
    return (relationship.to_many, relationship.policy == FASTMAP_MERGE)
  }
}
