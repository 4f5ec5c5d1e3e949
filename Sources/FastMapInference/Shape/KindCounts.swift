/// How often the objects of a place have each member, for each value of one of them.
///
/// The counts do not depend on the order of the objects. A member with too many values has none.
final class KindCounts {
  /// The most values.
  static let mostValues = 64
  /// The longest value, in bytes.
  static let longestValue = 64
  /// The most members of a place whose values are counted.
  static let mostMembers = 16

  struct Value {
    let text: [UInt8]
    var objects: UInt32 = 0
    /// By the numbers of members: the objects with the value that have the member.
    var members: [UInt32] = []
    /// By the numbers of members, and then of members of single objects below.
    var inner: [[UInt32]] = []
  }

  /// A member of a single object below.
  struct Inner {
    /// The number of the member whose value the object is.
    let owner: Int
    let member: Int
  }

  private(set) var values: [Value] = []
  private var hashes: [UInt64] = []

  /// Makes room for a value.
  ///
  /// - Returns: Whether the member may still choose.
  func makeRoom(_ hash: UInt64, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if index(of: hash) != nil { return true }
    guard values.count < Self.mostValues, (1...Self.longestValue).contains(text.count) else { return false }
    values.append(Value(text: Array(text)))
    hashes.append(hash)
    return true
  }

  func count(_ hash: UInt64, members: [Int], inner: ArraySlice<Inner>) {
    guard let index = index(of: hash) else { return }
    values[index].objects &+= 1
    for member in members { Self.add(1, to: &values[index].members, at: member) }
    for place in inner {
      Self.grow(&values[index].inner, to: place.owner, with: [])
      Self.add(1, to: &values[index].inner[place.owner], at: place.member)
    }
  }

  /// Adds the counts of another place.
  ///
  /// - Returns: Whether the member may still choose.
  func absorb(_ other: KindCounts, _ numbers: Renumbering) -> Bool {
    for (hash, added) in zip(other.hashes, other.values) {
      guard added.text.withUnsafeBufferPointer({ makeRoom(hash, $0) }), let index = index(of: hash)
      else { return false }
      values[index].objects &+= added.objects
      for (old, count) in added.members.enumerated() where count > 0 {
        if let number = numbers.member(old) { Self.add(count, to: &values[index].members, at: number) }
      }
      for (owner, counts) in added.inner.enumerated() {
        guard let newOwner = numbers.member(owner) else { continue }
        for (old, count) in counts.enumerated() where count > 0 {
          guard let number = numbers.inner(owner, old) else { continue }
          Self.grow(&values[index].inner, to: newOwner, with: [])
          Self.add(count, to: &values[index].inner[newOwner], at: number)
        }
      }
    }
    return true
  }

  private func index(of hash: UInt64) -> Int? { hashes.firstIndex(of: hash) }

  private static func add(_ count: UInt32, to counts: inout [UInt32], at number: Int) {
    grow(&counts, to: number, with: 0)
    counts[number] &+= count
  }

  private static func grow<T>(_ array: inout [T], to number: Int, with filler: T) {
    while array.count <= number { array.append(filler) }
  }
}

/// The numbers that the members of a place have in another place, found by their names.
struct Renumbering {
  private var members: [Int?] = []
  private var inner: [[Int?]] = []

  init(from old: Shape, to new: Shape) {
    members = Self.numbers(from: old, to: new)
    inner = members.map { _ in [] }
    for member in old.members where member.counts.objects > 0 && member.collected == nil {
      if let twin = new.member(hash: member.nameHash) {
        inner[member.number] = Self.numbers(from: member, to: twin)
      }
    }
  }

  /// By the numbers of members in one place: their numbers in another one.
  static func numbers(from old: Shape, to new: Shape) -> [Int?] {
    var result: [Int?] = []
    for member in old.members {
      while result.count <= member.number { result.append(nil) }
      result[member.number] = new.member(hash: member.nameHash)?.number
    }
    return result
  }

  func member(_ number: Int) -> Int? { number < members.count ? members[number] : nil }

  func inner(_ owner: Int, _ number: Int) -> Int? {
    owner < inner.count && number < inner[owner].count ? inner[owner][number] : nil
  }
}
