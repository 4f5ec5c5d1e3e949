/// The form of the values of a place.
enum Form: Equatable {
  /// No value, or only empty objects or lists.
  case nothing
  case scalar
  case object
  case list
  case scalars
  /// An object whose members are objects of one kind, by key.
  case keyed
  /// An object whose members are scalars of one kind, by key.
  case keyedScalars
  /// Anything else.
  case mixed
}

extension Shape {
  /// The form of the values. A keyed collection's members are merged on the way.
  func form() -> Form {
    if isCut { return .mixed }
    let kinds = [counts.scalars > 0, counts.objects > 0, counts.lists > 0].count { $0 }
    if kinds == 0 { return .nothing }
    if kinds > 1 { return .mixed }
    if counts.scalars > 0 { return .scalar }
    if counts.lists > 0 { return listForm }
    if collected == nil, members.isEmpty { return .nothing }
    return KeyedForm.of(self)
  }

  private var listForm: Form {
    let scalars = allScalars.counts
    let hasScalars = scalars.all + scalars.nulls > 0
    guard let items else { return hasScalars ? .scalars : .nothing }
    if hasScalars || items.isCut || items.counts.lists > 0 { return .mixed }
    // Objects without members have nothing to map.
    return items.members.isEmpty && items.collected == nil ? .nothing : .list
  }
}

/// Tells keyed collections from objects, by the values of their members first and by their names then.
enum KeyedForm {
  /// So many members of one form are a collection, whatever their names.
  private static let manyMembers = 50

  /// - Returns: `.object`, `.keyed`, `.keyedScalars`, or `.mixed` for a collection whose values have no common shape.
  static func of(_ shape: Shape) -> Form {
    if let all = shape.collected { return form(ofValues: all) ?? .mixed }
    let form = commonForm(shape.members)
    let names = NameEvidence(shape)
    if let form, form == .keyed ? isKeyedObjects(shape, names) : isKeyedScalars(shape, names) {
      shape.collect()
      return form
    }
    let isOfLists = shape.counts.objects == 1 && shape.members.allSatisfy { $0.counts.lists > 0 }
    let isData = names.areValues && !names.areDense || isOfLists
    return isData && shape.members.count >= manyMembers ? .mixed : .object
  }

  private static func form(ofValues all: Shape) -> Form? {
    if all.isCut || all.counts.lists > 0 { return nil }
    if all.counts.objects > 0 { return all.counts.all == all.counts.objects ? .keyed : nil }
    return all.counts.scalars > 0 ? .keyedScalars : nil
  }

  /// `.keyed` if all members are objects, `.keyedScalars` if all are scalars of one type.
  private static func commonForm(_ members: [Shape]) -> Form? {
    var all = Counts()
    for member in members {
      if member.isCut { return nil }
      all += member.counts
    }
    guard all.all > 0 else { return nil }
    if all.objects == all.all { return .keyed }
    let isOfOneType = all.strings == all.all || all.numbers == all.all || all.booleans == all.all
    return isOfOneType ? .keyedScalars : nil
  }

  private static func isKeyedObjects(_ shape: Shape, _ names: NameEvidence) -> Bool {
    let count = shape.members.count
    if names.areNumbers { return isSimilar(shape.members, share: 0.65) }
    guard count >= 3, isSimilar(shape.members, share: names.areValues || count >= manyMembers ? 0.3 : 0.65)
    else { return false }
    return count >= 12 || names.areValues || names.areNumbered || (names.areSparse && count >= 4)
  }

  private static func isKeyedScalars(_ shape: Shape, _ names: NameEvidence) -> Bool {
    let count = shape.members.count
    if names.areNumbers { return true }
    if count < 3 || names.areColumns { return false }
    if names.areValues { return count >= 5 || names.areSparse || names.values == count }
    if names.areSparse, count >= manyMembers { return true }
    return names.codes == count && (count >= 8 || (names.areSparse && count >= 4))
  }

  /// - Parameter share: The share of all their members that the objects have, on average.
  private static func isSimilar(_ objects: [Shape], share: Double) -> Bool {
    var totals: [UInt64: Int] = [:]
    var kinds: [UInt64: Set<Int>] = [:]
    var sum = 0
    for object in objects {
      if object.collected != nil { return false }
      for member in object.members {
        totals[member.nameHash, default: 0] += 1
        guard member.counts.all > 0 else { continue }
        let counts = member.counts
        kinds[member.nameHash, default: []].insert(
          counts.objects > 0 ? 1 : counts.lists > 0 ? 2 : counts.strings > 0 ? 3 : 4)
      }
      sum += object.members.count
    }
    let filled = objects.count { !$0.members.isEmpty }
    guard filled * 2 > objects.count, !totals.isEmpty else { return false }
    // Members of one name have one kind of value, but for one in five. Many objects have all of their members, or some that are in each.
    let conflicts = kinds.values.count { $0.count > 1 }
    let common = totals.values.count { $0 * 10 >= filled * 9 }
    let isAlike = filled >= 12 && common >= (filled >= manyMembers ? 1 : 2)
    return conflicts * 5 <= kinds.count && (isAlike || Double(sum) / Double(totals.count * filled) >= share)
  }
}

/// Whether the names of an object's members are values, such as dates, codes and paths.
struct NameEvidence {
  /// The names that look like values.
  private(set) var values = 0
  /// The names that are nothing but values: numbers, dates, hexadecimal digits.
  private(set) var pure = 0
  private(set) var codes = 0
  private var numbered = 0
  private let count: Int
  /// Whether all are whole numbers of four digits or more, as years and identifiers are. One such name is enough.
  let areNumbers: Bool
  /// The share of the objects that have a member, on average.
  private let density: Double
  private let objects: Int

  init(_ shape: Shape) {
    (count, objects) = (shape.members.count, shape.counts.objects)
    for member in shape.members {
      let bytes = member.name
      if Self.isPure(bytes) { pure += 1 }
      if Self.isPure(bytes) || Self.hasSign(bytes) { values += 1 }
      if Self.isCode(bytes) { codes += 1 }
      if bytes.count < 4, bytes.contains(where: Self.isDigit) { numbered += 1 }
    }
    areNumbers =
      count > 0 && shape.members.allSatisfy { $0.name.count >= 4 && KeyNames.integerHash(of: $0.name) != nil }
    let sum = shape.members.reduce(0) { $0 + $1.presence }
    density = Double(sum) / Double(max(1, count * objects))
  }

  var areDense: Bool { objects > 1 && density >= 0.8 }
  var areSparse: Bool { objects > 1 && density < 0.4 }
  /// Whether several objects have the same members, whose names are words: columns of a table.
  var areColumns: Bool { areDense && pure * 10 < count * 8 && codes < count }
  /// Whether all are letters and their numbers: `x1` and `y1`, or keys.
  var areNumbered: Bool { numbered == count }
  var areValues: Bool { count > 1 && (areDense ? pure : values) * 10 >= count * 8 }

  /// A number, a date, or a hexadecimal text.
  private static func isPure(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    if isDigit(first) { return true }
    let digits = bytes.count { isDigit($0) }
    return bytes.count >= 8 && digits > 0
      && bytes.allSatisfy { isDigit($0) || "abcdefABCDEF-".utf8.contains($0) }
  }

  /// A sign that words do not have. JSON-LD's own members begin with one: `@graph`.
  private static func hasSign(_ bytes: [UInt8]) -> Bool {
    let body = bytes.first == UInt8(ascii: "@") ? bytes.dropFirst() : bytes[...]
    if body.contains(where: { "/:@.|#+~".utf8.contains($0) }) { return true }
    return bytes.count { isDigit($0) } * 3 >= bytes.count && !isNumbered(bytes)
  }

  /// A letter and its number, as `x1`: a value where all values are objects.
  private static func isNumbered(_ bytes: [UInt8]) -> Bool {
    bytes.count <= 3 && !bytes.contains(UInt8(ascii: "-"))
  }

  /// Two or three letters of one case, as codes of languages, countries and currencies are.
  private static func isCode(_ bytes: [UInt8]) -> Bool {
    let body = bytes.firstIndex(of: UInt8(ascii: "-")).map { bytes[..<$0] } ?? bytes[...]
    guard (2...3).contains(body.count) else { return false }
    let upper = body.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return upper || body.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
