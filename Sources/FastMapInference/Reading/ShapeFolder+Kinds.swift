/// Counts members by the values that may choose the kinds of objects.
extension ShapeFolder {
  func countString(of member: Shape, _ text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) {
    let last = frames.count - 1
    guard frames[last].isObject, member !== frames[last].shape.collected else { return }
    frames[last].shape.countString(of: member, text, hash)
  }

  /// Counts the members of an object that is closed, and keeps them for the object around it.
  mutating func countKinds(of frame: Frame, _ range: Range<Int>) {
    memberNumbers.removeAll(keepingCapacity: true)
    for index in range where !scalars[index].isNull { memberNumbers.append(scalars[index].shape.number) }
    for index in range where scalars[index].isKey {
      scalars[index].shape.kinds?.count(
        scalars[index].hash, members: memberNumbers, inner: inner[frame.firstInner...])
    }
    inner.removeSubrange(frame.firstInner...)
    let last = frames.count - 1
    guard frames[last].isObject, frame.shape !== frames[last].shape.collected else { return }
    for number in memberNumbers { inner.append(.init(owner: frame.shape.number, member: number)) }
  }
}
