extension Shape {
  /// Adds all that another shape has seen. The other one may not be used any more.
  func absorb(_ other: Shape) {
    presence += other.presence
    positions += other.positions
    namesakes += other.namesakes
    listRepeats += other.listRepeats
    counts += other.counts
    absorbValues(of: other)
    absorbMembers(of: other)
    absorbElements(of: other)
    isCut = isCut || other.isCut
  }

  private func absorbValues(of other: Shape) {
    if let added = other.text {
      if text == nil { text = added } else { text?.absorb(added) }
    }
    smallest = min(smallest, other.smallest)
    largest = max(largest, other.largest)
    guard let added = other.values else { return }
    if values == nil { values = ValueSketch(most: KeyNames.most(for: keyRank)) }
    values?.absorb(added)
  }

  private func absorbMembers(of other: Shape) {
    if other.collected != nil || collected != nil {
      let (mine, theirs) = (collect(), other.collect())
      mine.absorb(theirs)
      if let added = other.names { names?.absorb(added) }
      allNamesAreIntegers = allNamesAreIntegers && other.allNamesAreIntegers
    } else {
      var cursor = 0
      for member in other.members {
        member.name.withUnsafeBufferPointer { name in
          let twin = self.member(name, member.nameHash, from: &cursor)
          if twin === collected, let names {
            countName(member, in: names)
          }
          twin.absorb(member)
        }
      }
      absorbKinds(of: other)
      if collected == nil { rows.absorb(other.rows, Renumbering.numbers(from: other, to: self)) }
    }
  }

  func countName(_ member: Shape, in names: ValueSketch) {
    let integer = KeyNames.integerHash(of: member.name)
    if integer == nil { allNamesAreIntegers = false }
    names.insert(integer ?? member.nameHash, count: UInt32(clamping: member.presence))
  }

  private func absorbElements(of other: Shape) {
    if let added = other.items { itemsMade().absorb(added) }
    if other.scalars != nil || scalars != nil {
      collectScalars().absorb(other.collectScalars())
    } else {
      for (number, place) in other.places.enumerated() { scalar(at: number).absorb(place) }
    }
    shortestList = min(shortestList, other.shortestList)
    longestList = max(longestList, other.longestList)
    hasLongList = hasLongList || other.hasLongList
    containerPlaces |= other.containerPlaces
  }
}
