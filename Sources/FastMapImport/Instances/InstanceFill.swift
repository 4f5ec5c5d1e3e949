internal import CFastMap

/// Finding the caller's instances that a payload is read into.
extension ExistingInstances {
  /// Adds the filled instance, and the instances that it refers to and that have keys of the payload.
  ///
  /// - Parameter unit: Has walked the payload.
  /// - Returns: Why the instance cannot take the key of the payload; nil if it can.
  func addFilled(_ root: AnyObject, _ unit: ImportUnit, _ tables: [InstanceTable]) throws -> String? {
    let table = tables[unit.plan.mappings[0].entity]
    add(root, to: table)
    let given = unit.occurrenceCount > 0 ? unit.occurrence(0).key : fastmap_slot()
    let isGiven = given.tag != FASTMAP_MISSING
    let refusal: String? = try table.withSetKey(of: root) { own in
      guard let own else { return nil }
      if isGiven, !own.isIdentical(to: given) {
        return "expected \(Self.name(own)), the key of the instance, found \(Self.name(given))"
      }
      _ = try table.setKey(own, of: 0)
      return nil
    }
    if refusal != nil { return refusal }
    try reach(from: root, unit, tables)
    if isGiven, try !table.setKey(given, of: 0), table.keys[given] != 0 {
      return "expected a key that is free or the object's own, \(Self.name(given)) is another object's"
    }
    return nil
  }

  private static func name(_ key: fastmap_slot) -> String {
    PrimaryKey(slot: key).map { "\($0)" } ?? "none"
  }
}
