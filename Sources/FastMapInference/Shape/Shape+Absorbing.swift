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
    values.absorb(other.values)
  }

  private func absorbMembers(of other: Shape) {
    if other.collected != nil || collected != nil {
      let (mine, theirs) = (collect(), other.collect())
      mine.absorb(theirs)
      names.absorb(other.names)
      allNamesAreIntegers = allNamesAreIntegers && other.allNamesAreIntegers
    } else {
      var cursor = 0
      for member in other.members {
        member.name.withUnsafeBufferPointer { name in
          let twin = self.member(name, member.nameHash, from: &cursor)
          if twin === collected { countName(member) }
          twin.absorb(member)
        }
      }
      if collected == nil { absorbRows(of: other) }
    }
  }

  func countName(_ member: Shape) {
    let integer = KeyNames.integerHash(of: member.name)
    if integer == nil { allNamesAreIntegers = false }
    names.insert(integer ?? member.nameHash, count: member.presence)
  }

  /// Adds the objects of another place, after its members.
  private func absorbRows(of other: Shape) {
    var twins: [Int?] = []
    for member in other.members {
      while twins.count <= member.number { twins.append(nil) }
      twins[member.number] = self.member(hash: member.nameHash)?.number
    }
    rows.absorb(other.rows, twins)
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
    containerPlaces |= other.containerPlaces
  }
}
