/// Members of the objects with the smallest key hashes, to tell whether two places show the same objects.
struct ObjectSample {
  private static let most = 128
  /// By the hash of a key: by the hash of a member's name: the hash of its value; nil if the object is met with several.
  private var objects: [UInt64: [UInt64: UInt64?]] = [:]
  private var repeated: Set<UInt64> = []
  /// All keys.
  private(set) var keys = ValueSketch()

  init() {}

  /// - Parameter key: A member of all objects.
  init(_ shape: Shape, key: Shape) {
    let names = shape.rows.names(of: shape)
    keys = shape.rows.sketch(of: key)
    let values = shape.rows.values(of: [key.number])
    let limit = Set(values.compactMap(\.self)).sorted().dropFirst(Self.most).first ?? .max
    for (row, value) in values.enumerated() {
      guard let value, value < limit else { continue }
      if shape.rows.rows[row].count > 1 { repeated.insert(value) }
      let cells = shape.rows.cells(of: row)
      add(
        value, Dictionary(cells.map { (names[RowTable.number(of: $0)] ?? 0, RowTable.hash(of: $0)) }) { $1 })
    }
  }

  private mutating func add(_ key: UInt64, _ members: [UInt64: UInt64?]) {
    guard objects[key] != nil else { return objects[key] = members }
    repeated.insert(key)
    objects[key]?.merge(members) { $0 == $1 ? $0 : nil }
  }

  mutating func absorb(_ other: ObjectSample) {
    repeated.formUnion(other.repeated)
    for (key, members) in other.objects { add(key, members) }
  }

  /// Whether objects that are met again are mostly the same.
  var isStable: Bool {
    repeated.count { objects[$0]?.values.contains(nil) ?? false } * 4 <= repeated.count
  }

  /// How often members of objects with the same key agree and disagree in two places. Members that vary within a place
  /// do not count.
  func agreement(with other: ObjectSample, key: UInt64) -> (equal: Int, different: Int) {
    var result = (equal: 0, different: 0)
    for (id, members) in objects {
      guard let twins = other.objects[id] else { continue }
      for (name, value) in members where name != key {
        guard let value, let twin = twins[name].flatMap(\.self) else { continue }
        if value == twin { result.equal += 1 } else { result.different += 1 }
      }
    }
    return result
  }
}
