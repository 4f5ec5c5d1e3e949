internal import CFastMap

/// Values that the store cannot hold. Only a batch with enough text can have one, so the others are not searched.
extension ImportUnit {
  /// Leaves out the objects with a value beyond the limit of the store, before they are resolved.
  ///
  /// - Parameter limit: The size of the largest value, in bytes.
  /// - Returns: The faults: the first one of each object.
  func leaveOutLongValues(_ limit: Int) -> [FaultReader.Fault] {
    if let bytes = input.textBytes, bytes <= limit, !plan.hasTransforms { return [] }
    var faults: [FaultReader.Fault] = []
    for index in 0..<occurrenceCount where !isSkipped(index) {
      guard let (attribute, length) = longValue(of: occurrences[index], limit) else { continue }
      faults.append(.init(occurrence: index, what: .walked(longFault(of: index, attribute, length, limit))))
      skip(index)
    }
    return faults
  }

  private func longValue(of occurrence: fastmap_occurrence, _ limit: Int) -> (attribute: Int, length: Int)? {
    guard let row = occurrence.row else { return nil }
    let mapping = mappings + Int(occurrence.mapping)
    for attribute in 0..<Int(mapping.pointee.attribute_count) {
      let slot = row[Int(mapping.pointee.attributes[attribute].field)].value
      if slot.length > limit, slot.hasBytes { return (attribute, Int(slot.length)) }
    }
    return nil
  }

  private func longFault(
    of index: Int, _ attribute: Int, _ length: Int, _ limit: Int
  ) -> fastmap_fault {
    let definition = plan.mappings[Int(occurrences[index].mapping)].mapping.attributes[attribute]
    let place = definition.outerPath ?? definition.keyPath
    refusals.append(
      Refusal(reason: .refused("expected a value of at most \(limit) bytes, found one of \(length) bytes")))
    return fastmap_fault(
      code: UInt32(FASTMAP_FAULT_REFUSED), occurrence: UInt32(index), index: UInt32(attribute),
      steps: UInt32(place.steps.count), position: FASTMAP_NONE, refusal: UInt32(refusals.count - 1),
      is_relationship: false, is_outer: definition.outerPath != nil, node: nil, where: occurrences[index])
  }
}
