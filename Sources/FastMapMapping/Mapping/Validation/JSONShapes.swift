internal import CFastMap

/// Kinds of JSON values. Null is of none, as every field takes it.
package struct JSONShapes: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let object = JSONShapes(rawValue: FASTMAP_TAKES_OBJECTS)
  package static let array = JSONShapes(rawValue: FASTMAP_TAKES_ARRAYS)
  package static let string = JSONShapes(rawValue: FASTMAP_TAKES_STRINGS)
  package static let number = JSONShapes(rawValue: FASTMAP_TAKES_NUMBERS)
  package static let boolean = JSONShapes(rawValue: FASTMAP_TAKES_BOOLEANS)
  static let scalars: JSONShapes = [.string, .number, .boolean]
  package static let any: JSONShapes = [.object, .array, .string, .number, .boolean]
}

/// A field at a member, or the key paths that lead through it.
package struct MemberReader: Sendable {
  /// The values that it is there for.
  package var own: JSONShapes
  /// The values that it also takes, if no other reader is there for them.
  var spare: JSONShapes = []
  /// The values that it reads even if another reader is there for them: keys of targets.
  var keys: JSONShapes = []
  /// Whether it cannot be without a value where another reader has it.
  var isFixed = false
  var keepsJSON = false
  var isPath = false
  /// Whether it is there for a list, and takes one value for a list of one.
  var isToMany = false

  /// The values that each reader of one member takes; nil if all of them read all values.
  ///
  /// JSON takes every value, and the key paths beside it take their part of it. Otherwise a value goes to one reader.
  /// The key of a target is read by the relationship, too.
  static func turns(of readers: [MemberReader]) -> [JSONShapes]? {
    guard readers.count > 1 else { return nil }
    if readers.count == 2, readers[0].keepsJSON, readers[1].isPath {
      return [.any, readers[1].own.union(JSONShapes(rawValue: FASTMAP_TAKES_ALL))]
    }
    // An attribute that is always there, beside the relationship whose key it is.
    if readers.count == 2, readers[0].own.isSubset(of: readers[1].keys), readers.contains(where: \.isFixed) {
      return nil
    }
    var taken: JSONShapes = []
    for reader in readers {
      guard taken.isDisjoint(with: reader.own) else { return nil }
      taken.formUnion(reader.own)
    }
    let owned = taken
    var turns = readers.map(\.own)
    for index in readers.indices.filter({ !readers[$0].isToMany })
      + readers.indices.filter({ readers[$0].isToMany })
    {
      let spare = readers[index].spare.subtracting(taken)
      taken.formUnion(spare)
      turns[index].formUnion(spare.union(readers[index].keys.intersection(owned)))
    }
    return turns
  }
}

extension AttributeDefinition {
  package var keepsAnyJSON: Bool { keepsTextOfReals && rules.writeElements == nil }

  package var memberReader: MemberReader {
    if rules.transform != nil { return MemberReader(own: .any) }
    // Elements are converted in lists alone.
    if rules.writeElements != nil { return MemberReader(own: .array, spare: isLenient ? .string : []) }
    if type == .json { return MemberReader(own: .any, keepsJSON: keepsAnyJSON) }
    let takesMore = isLenient || rules.reading != nil || type == .decimal
    return MemberReader(
      own: type.shapes, spare: takesMore ? .scalars.subtracting(type.shapes) : [],
      isFixed: rules.keepsOnNull || defaultValue != nil)
  }
}

extension AttributeType {
  /// The JSON values that have the type.
  fileprivate var shapes: JSONShapes {
    switch self {
    case .boolean: .boolean
    case .integer, .number, .decimal: .number
    case .string, .data: .string
    case .date(let format): format.all.reduce([]) { $0.union($1.shapes) }
    case .list: .array
    case .json: .any
    }
  }
}

extension AttributeType.DateFormat {
  fileprivate var shapes: JSONShapes {
    switch self {
    case .epoch, .epochMilliseconds: .number
    case .iso8601, .pattern, .anyOf: .string
    }
  }
}

/// The JSON values that represent the objects of a mapping.
package struct TargetShapes: Sendable {
  /// The values that represent an object in full.
  package let object: JSONShapes
  package let key: JSONShapes

  package init(of mapping: MappingDefinition) {
    let wholes = mapping.attributes.filter { $0.keyPath.isWhole && $0.hasPlace }.map(\.memberReader.own)
    let hasMembers =
      mapping.attributes.contains { !$0.keyPath.isWhole && $0.hasPlace }
      || mapping.relationships.contains { !$0.keyPath.isWhole }
    let own: JSONShapes = wholes.isEmpty || hasMembers ? (mapping.isRow ? .array : .object) : []
    object = wholes.reduce(own) { $0.union($1) }
    if !mapping.keyParts.isEmpty {
      key = mapping.isScoped ? [] : .array
    } else if let attribute = mapping.key, attribute.source != .memberName {
      key = attribute.memberReader.own.union(attribute.memberReader.spare)
    } else {
      key = []
    }
  }
}

extension MappingDefinition {
  /// The reader of an attribute. A primary key is always there.
  package func memberReader(of attribute: AttributeDefinition) -> MemberReader {
    var reader = attribute.memberReader
    reader.isFixed = reader.isFixed || isOfKey(attribute.name)
    return reader
  }
}

extension RelationshipDefinition {
  /// Whether its policy may keep a target that the payload no longer has.
  var mayKeepTarget: Bool {
    policy != .assign && (policy.name != RelationshipPolicy.replace.name || policy.custom != nil)
  }

  package func memberReader(to target: TargetShapes) -> MemberReader {
    if keyedBy != nil { return MemberReader(own: .object, spare: isLenient ? .array : []) }
    if isToMany {
      return MemberReader(
        own: .array, spare: target.object.union(target.key).subtracting(.array), isToMany: true)
    }
    let spare: JSONShapes = isLenient ? [.array, .string, .boolean] : []
    return MemberReader(
      own: target.object, spare: target.key.union(spare).subtracting(target.object),
      keys: target.key.intersection([.number, .string]), isFixed: mayKeepTarget)
  }
}
