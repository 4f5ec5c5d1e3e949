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

/// Tells keyed collections from objects, by the values of their members.
enum KeyedForm {
  /// - Returns: `.object`, `.keyed`, `.keyedScalars`, or `.mixed` for a collection whose values have no common shape.
  static func of(_ shape: Shape) -> Form {
    if let all = shape.collected { return form(ofValues: all) ?? .mixed }
    let form = commonForm(shape.members)
    let isKeyed = form == .keyed ? isKeyedObjects(shape) : form == .keyedScalars && isKeyedScalars(shape)
    guard let form, isKeyed else {
      let dataNames = shape.members.count { DataNames.looksLikeData($0.label) }
      return dataNames * 10 >= shape.members.count * 8 && dataNames > 1 ? .mixed : .object
    }
    shape.collect()
    return form
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

  /// The share of objects that have a member, on average.
  private static func density(_ shape: Shape) -> Double {
    let sum = shape.members.reduce(0) { $0 + $1.presence }
    return Double(sum) / Double(max(1, shape.members.count * shape.counts.objects))
  }

  private static func isKeyedObjects(_ shape: Shape) -> Bool {
    let count = shape.members.count
    if hasNumbersAsNames(shape) { return isSimilar(shape.members) }
    guard count >= 3, isSimilar(shape.members) else { return false }
    let looksLikeData = shape.members.count { DataNames.looksLikeData($0.label) } * 10 >= count * 8
    let isSparse = shape.counts.objects > 1 && density(shape) < 0.5
    return count >= 12 || looksLikeData || (isSparse && count >= 4)
  }

  private static func isKeyedScalars(_ shape: Shape) -> Bool {
    let count = shape.members.count
    if hasNumbersAsNames(shape) { return true }
    guard count >= 3 else { return false }
    let dataNames = shape.members.count { DataNames.looksLikeData($0.label) }
    let isSparse = shape.counts.objects > 1 && density(shape) < 0.3
    if dataNames * 10 >= count * 9 { return count >= 5 || isSparse || dataNames == count }
    let codes = shape.members.count { DataNames.isCode($0.label) }
    return codes == count && (count >= 8 || (isSparse && count >= 4))
  }

  /// Whether all names are whole numbers of four digits or more, as years and identifiers are. One such name is enough.
  private static func hasNumbersAsNames(_ shape: Shape) -> Bool {
    !shape.members.isEmpty
      && shape.members.allSatisfy { $0.name.count >= 4 && KeyNames.integerHash(of: $0.name) != nil }
  }

  private static func isSimilar(_ objects: [Shape]) -> Bool {
    var totals: [UInt64: Int] = [:]
    var sum = 0
    for object in objects {
      if object.collected != nil { return false }
      for member in object.members { totals[member.nameHash, default: 0] += 1 }
      sum += object.members.count
    }
    let filled = objects.count { !$0.members.isEmpty }
    guard filled * 2 > objects.count, !totals.isEmpty else { return false }
    return Double(sum) / Double(totals.count * filled) >= 0.65 && kindsAgree(objects)
  }

  /// Whether members of one name have one kind of value.
  private static func kindsAgree(_ objects: [Shape]) -> Bool {
    var kinds: [UInt64: Int] = [:]
    var conflicts = 0
    for object in objects {
      for member in object.members where member.counts.all > 0 {
        let kind =
          member.counts.objects > 0 ? 1 : member.counts.lists > 0 ? 2 : member.counts.strings > 0 ? 3 : 4
        if let other = kinds[member.nameHash], other != kind { conflicts += 1 }
        kinds[member.nameHash] = kind
      }
    }
    return conflicts * 10 <= kinds.count
  }
}

/// Names of members that are values.
enum DataNames {
  static func looksLikeData(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first else { return false }
    if isDigit(first) { return true }
    // JSON-LD's own members begin with the sign: `@graph`.
    let body = first == UInt8(ascii: "@") ? bytes.dropFirst() : bytes[...]
    if body.contains(where: { "/:@.|#+ ~".utf8.contains($0) }) { return true }
    let digits = bytes.count { isDigit($0) }
    let isHexadecimal = bytes.allSatisfy { isDigit($0) || "abcdefABCDEF-".utf8.contains($0) }
    return (isHexadecimal && bytes.count >= 8 && digits > 0) || digits * 3 >= bytes.count
  }

  /// Two or three letters of one case, as codes of languages, countries and currencies are.
  static func isCode(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let body = bytes.firstIndex(of: UInt8(ascii: "-")).map { bytes[..<$0] } ?? bytes[...]
    guard (2...3).contains(body.count) else { return false }
    let upper = body.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return upper || body.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
