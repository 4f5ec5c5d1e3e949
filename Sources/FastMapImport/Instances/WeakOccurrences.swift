internal import CFastMap

/// Decides which weak occurrences of a payload have an object: an instance of the caller, or an object that another
/// occurrence makes, wherever in the payload.
///
/// The others are unlinked, with all inside of them. An object inside of an unlinked occurrence exists only if it is elsewhere
/// too.
struct WeakOccurrences {
  private struct Place {
    let unit: Int
    let index: Int
  }

  private final class Entity {
    var keys = KeyTable()
    /// By number.
    var exists: [Bool] = []
    /// Weak occurrences of keys that do not exist yet, by number.
    var unresolved: [Int: [Place]] = [:]
  }

  private let units: [ImportUnit]
  private let tables: [InstanceTable]
  private let entities: [Entity]
  /// Occurrences whose object exists by now.
  private var found: [Place] = []

  /// - Parameter units: All batches of a payload.
  static func decide(_ units: [ImportUnit], _ tables: [InstanceTable]) throws(SystemError) {
    var weak = WeakOccurrences(units, tables)
    try weak.decide()
  }

  private init(_ units: [ImportUnit], _ tables: [InstanceTable]) {
    self.units = units
    self.tables = tables
    entities = tables.map { _ in Entity() }
  }

  private mutating func decide() throws(SystemError) {
    for (number, unit) in units.enumerated() { try decideExistence(0..<unit.occurrenceCount, of: number) }
    while let place = found.popLast() {
      let occurrence = units[place.unit].occurrences + place.index
      occurrence.pointee.flags &= ~UInt32(FASTMAP_UNLINKED)
      try decideExistence(place.index..<Int(occurrence.pointee.end), of: place.unit)
    }
  }

  private mutating func decideExistence(_ range: Range<Int>, of unit: Int) throws(SystemError) {
    let occurrences = units[unit].occurrences
    let mappings = units[unit].mappings
    var index = range.lowerBound
    while index < range.upperBound {
      let occurrence = occurrences + index
      let flags = Int(occurrence.pointee.flags)
      if flags & FASTMAP_DELETED != 0 {
        occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED)
        index = Int(occurrence.pointee.end)
        continue
      }
      let entity = Int(mappings[Int(occurrence.pointee.mapping)].entity)
      // An occurrence that is left out makes nothing, and keeps its place in a list if its object exists already.
      let isSkipped = flags & FASTMAP_SKIPPED != 0
      let makes = !isSkipped && flags & FASTMAP_WEAK == 0
      var isLinked = try exists(occurrence.pointee.key, entity, makes: makes)
      if !isLinked {
        occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED)
        if !isSkipped { try miss(occurrence.pointee.key, entity, Place(unit: unit, index: index)) }
      }
      if isSkipped { isLinked = false }
      index = isLinked ? index + 1 : Int(occurrence.pointee.end)
    }
  }

  /// Whether an object exists.
  ///
  /// - Parameter makes: Whether it exists from now on.
  private mutating func exists(
    _ key: fastmap_slot, _ entity: Int, makes: Bool
  ) throws(SystemError) -> Bool {
    guard key.tag != FASTMAP_MISSING else { return makes }
    let known = entities[entity]
    let number = try number(of: key, entity)
    if makes, !known.exists[number] {
      known.exists[number] = true
      found += known.unresolved.removeValue(forKey: number) ?? []
    }
    return known.exists[number]
  }

  /// Records a weak occurrence of an object that does not exist yet. Without a key it never will.
  private func miss(_ key: fastmap_slot, _ entity: Int, _ place: Place) throws(SystemError) {
    guard key.tag != FASTMAP_MISSING else { return }
    entities[entity].unresolved[try number(of: key, entity), default: []].append(place)
  }

  private func number(of key: fastmap_slot, _ entity: Int) throws(SystemError) -> Int {
    let known = entities[entity]
    let number = try known.keys.add(known.exists.count, for: key)
    if number == known.exists.count { known.exists.append(tables[entity].keys[key] != nil) }
    return number
  }
}
