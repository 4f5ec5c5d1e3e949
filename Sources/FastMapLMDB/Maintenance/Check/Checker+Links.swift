internal import CFastMap
internal import FastMapMaintenance

extension Checker {
  mutating func checkLinks() throws {
    var last: (owner: ObjectID, field: UInt16, count: Int)?
    var met: Set<ObjectID> = []
    try forEach(.links, reader.tables.links) { checker, key, bytes in
      let place = Place.describe(.links, key)
      guard key.count == 18, bytes.count % 8 == 0, bytes.count > 0 else {
        return checker.report.add(place, "not a list of objects")
      }
      let owner = key.id(inKeyAt: 0)
      let field = key.bigEndian(at: 8, as: UInt16.self)
      guard let layout = checker.layout(owner), Int(field) < layout.fields.count,
        case .relationship(isToMany: true, _, _) = layout.fields[Int(field)].kind
      else { return checker.report.add(place, "belongs to an unknown relationship") }
      if try !checker.exists(owner) { checker.report.add(place, "its owner does not exist") }
      let count = bytes.count / 8
      if let last, last.owner == owner, last.field == field {
        if last.count < checker.reader.lists.least {
          checker.report.add(place, "the segment before it has only \(last.count) targets")
        }
      } else {
        met = []
      }
      last = (owner, field, count)
      if count > checker.reader.lists.perSegment {
        checker.report.add(place, "a segment has \(count) targets")
      }
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let target = bytes.id(inValueAt: offset)
        checker.report.linkCount += 1
        guard met.insert(target).inserted else { continue }
        checker.pairCount += 1
        try checker.checkTarget(target, Int(field), owner, layout, place)
      }
    }
  }
}
