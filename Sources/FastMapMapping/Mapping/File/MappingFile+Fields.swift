internal import CFastMap

extension MappingFileReader {
  /// Reads one mapping as far as it can be read.
  mutating func mapping(named name: String, _ node: JSONNode) -> MappingDefinition {
    let place = JSONPath([.member("mappings"), .member(name)])
    guard node.isObject else {
      fault(place, expected: "an object", found: node)
      return MappingDefinition(name, attributes: [])
    }
    let hasKinds = node["kinds"] != nil
    if hasKinds { refuseFields(besideKindsOf: node, at: place) }
    checkMembers(
      of: node, at: place,
      known: [
        "entity", "rootPath", "primaryKey", "keyScope", "missingPrimaryKey", "newerBy", "deletedBy",
        "keyedBy", "ignores", "lenient",
        "attributes", "relationships", "indexes", "kinds", "was",
      ],
      owner: "a mapping")
    let entity = string("entity", of: node, at: place)
    let rootPath = rootPath(of: node, at: place)
    let primaryKey = keyFields(of: node, at: place)
    let missingPrimaryKey: MissingPrimaryKey? = choice(
      "missingPrimaryKey", of: node, at: place, noun: "choice")
    let fieldNode = hasKinds ? nil : node
    let isLenient = boolean("lenient", of: node, at: place) ?? false
    let attributes = fields("attributes", of: fieldNode, at: place) { reader, name, node, place in
      let ownLeniency = reader.boolean("lenient", of: node, at: place)
      return reader.attribute(named: name, node, at: place).map {
        var attribute = reader.addDefault(to: $0.lenient(ownLeniency ?? isLenient), node, at: place)
        attribute.was = node.isObject ? reader.string("was", of: node, at: place) : nil
        return attribute
      }
    }
    let links = fields("relationships", of: fieldNode, at: place) {
      $0.link(named: $1, $2, at: $3, isLenient: isLenient)
    }
    return MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey,
      missingPrimaryKey: missingPrimaryKey ?? .error,
      newerBy: string("newerBy", of: node, at: place), deletedBy: deletedBy(of: node, at: place),
      keyedBy: hasKinds ? nil : string("keyedBy", of: node, at: place), ignores: ignores(of: node, at: place),
      attributes: attributes, relationships: links.compactMap(\.relationship),
      inverses: links.compactMap(\.inverse), indexes: indexes(of: node, at: place),
      kinds: node["kinds"].flatMap { kinds($0, at: place.appending("kinds")) },
      was: string("was", of: node, at: place))
  }

  /// Reads the members of `attributes` or `relationships`.
  private mutating func fields<Field>(
    _ section: String, of mapping: JSONNode?, at place: JSONPath,
    _ read: (inout Self, String, JSONNode, JSONPath) -> Field?
  ) -> [Field] {
    guard let node = mapping?[section] else { return [] }
    let here = place.appending(section)
    guard let members = node.members else {
      fault(here, expected: "an object", found: node)
      return []
    }
    let most = Schema.Entity.mostFields
    if node.memberCount > most {
      fault(here, "expected at most \(most) \(section), found \(node.memberCount)")
      return []
    }
    var fields: [Field] = []
    for (bytes, value) in members {
      let name = String(decoding: bytes, as: UTF8.self)
      if let field = read(&self, name, value, here.appending(name)) { fields.append(field) }
    }
    return fields
  }

  // MARK: Attributes

  private mutating func attribute(named name: String, _ node: JSONNode, at place: JSONPath)
    -> AttributeDefinition?
  {
    if (node.string ?? node["type"]?.string) == "rest" {
      for member in ["keyPath", "context", "format", "lenient", "default"] where node[member] != nil {
        fault(
          place.appending(member),
          "\(quoted(member)) is refused beside the type \"rest\", which has the members that no field reads")
      }
      return .rest(name)
    }
    if node.string != nil || node.elements != nil {
      return type(node, at: place).map { AttributeDefinition(name, $0) }
    }
    guard node.isObject else {
      fault(place, expected: "a type or an object", found: node)
      return nil
    }
    checkMembers(
      of: node, at: place,
      known: ["type", "keyPath", "context", "format", "lenient", "default", "was"],
      owner: "an attribute")
    let path = keyPath(of: node, at: place)
    guard let typeNode = node["type"] else {
      fault(place.appending("type"), expected: "a string", found: nil)
      return nil
    }
    guard let plain = type(typeNode, at: place.appending("type")) else { return nil }
    guard let format = node["format"] else { return AttributeDefinition(name, plain, at: path) }
    guard case .date = plain.element ?? plain else {
      fault(
        place.appending("format"),
        #"only an attribute of type "date" has a format, \#(quoted(name)) is \#(plain.kind.noun)"#)
      return nil
    }
    return dateFormats(format, at: place.appending("format")).map {
      AttributeDefinition(name, plain.element == nil ? .date($0) : .list(.date($0)), at: path)
    }
  }

  /// A type, or a list of one type: `"string"`, `["string"]`.
  private mutating func type(_ node: JSONNode, at place: JSONPath) -> AttributeType? {
    if let text = node.string { return type(named: text, at: place) }
    guard let elements = node.elements else {
      fault(place, expected: "a string", found: node)
      return nil
    }
    guard elements.count == 1, let text = elements.first?.string else {
      fault(place, "expected a list of one type, such as [\"string\"], found \(elements.count) elements")
      return nil
    }
    return type(named: text, at: place.appending(.index(0))).map { .list($0) }
  }

  /// Reads the default of an attribute, as a payload's value is read.
  private mutating func addDefault(
    to attribute: AttributeDefinition, _ node: JSONNode, at place: JSONPath
  ) -> AttributeDefinition {
    guard node.isObject, let given = node["default"] else { return attribute }
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    if !given.isNull {
      attribute.type.convert(
        JSONValue(given, bigIntegers), takesUnsigned: false, isLenient: attribute.isLenient, to: &slot, &arena
      )
    }
    guard let value = slot.value, value != .null else {
      fault(place.appending("default"), expected: attribute.type.expectation, found: given)
      return attribute
    }
    return attribute.default(value)
  }

  private mutating func type(named name: String, at place: JSONPath) -> AttributeType? {
    guard let kind = AttributeKind(rawValue: name) else {
      if let near = Self.otherWords[name.lowercased()] {
        fault(place, "no type named \(quoted(name)); did you mean \(quoted(near.rawValue))?")
      } else {
        let names = AttributeKind.allCases.map(\.rawValue) + ["rest"]
        fault(place, unknownName("type", named: name, among: names, verb: "no type named"))
      }
      return nil
    }
    return switch kind {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .string: .string
    case .date: .date(.iso8601)
    case .data: .data
    case .json: .json
    }
  }

  /// The names of types in other systems.
  private static let otherWords: [String: AttributeKind] = [
    "bool": .boolean, "int": .integer, "int32": .integer, "int64": .integer, "long": .integer,
    "float": .number, "double": .number, "real": .number,
    "text": .string, "str": .string, "varchar": .string, "url": .string, "uuid": .string,
    "datetime": .date, "timestamp": .date, "time": .date,
    "bytes": .data, "binary": .data, "blob": .data, "base64": .data,
    "any": .json, "object": .json, "array": .json, "dictionary": .json,
  ]

  /// A format, or a list of them.
  private mutating func dateFormats(_ node: JSONNode, at place: JSONPath) -> AttributeType.DateFormat? {
    guard let elements = node.elements else {
      if node.string != nil { return dateFormat(node, at: place) }
      fault(place, expected: "a string or an array of strings", found: node)
      return nil
    }
    var formats: [AttributeType.DateFormat] = []
    for (index, element) in elements.enumerated() {
      if let format = dateFormat(element, at: place.appending(.index(index))) { formats.append(format) }
    }
    return formats.count == elements.count ? .anyOf(formats) : nil
  }

  private mutating func dateFormat(_ node: JSONNode, at place: JSONPath) -> AttributeType.DateFormat? {
    guard let text = string(node, at: place) else { return nil }
    let named = [
      "iso8601": AttributeType.DateFormat.iso8601, "epoch": .epoch, "epoch-ms": .epochMilliseconds,
    ]
    if let format = named[text] { return format }
    // A pattern without a directive would read no date: it is a name that was misspelt.
    guard text.isEmpty || text.utf8.contains(UInt8(ascii: "%")) else {
      let names = ["iso8601", "epoch", "epoch-ms"]
      let near = suggestion(for: text, among: names).map { "did you mean \(quoted($0))?" }
      fault(
        place,
        "no date format named \(quoted(text)); "
          + (near ?? "there are \(list(names.map(quoted))), and patterns such as \"%Y-%m-%d\""))
      return nil
    }
    return .pattern(text)
  }

  // MARK: Relationships

  /// A member of `relationships`.
  private enum Link {
    case relationship(RelationshipDefinition)
    case inverse(InverseDefinition)

    var relationship: RelationshipDefinition? {
      if case .relationship(let found) = self { found } else { nil }
    }
    var inverse: InverseDefinition? { if case .inverse(let found) = self { found } else { nil } }
  }

  /// - Parameter isLenient: Whether the mapping is lenient.
  private mutating func link(
    named name: String, _ node: JSONNode, at place: JSONPath, isLenient: Bool
  ) -> Link? {
    guard node.isObject else {
      fault(place, expected: "an object", found: node)
      return nil
    }
    if node["inverseOf"] != nil { return inverse(named: name, node, at: place).map { .inverse($0) } }
    let ownLeniency = boolean("lenient", of: node, at: place)
    return relationship(named: name, node, at: place).map {
      .relationship($0.lenient(ownLeniency ?? isLenient))
    }
  }

  private mutating func relationship(
    named name: String, _ node: JSONNode, at place: JSONPath
  ) -> RelationshipDefinition? {
    let known = [
      "mapping", "toMany", "keyPath", "context", "policy", "weak", "keyedBy", "lenient", "inverseOf", "was",
    ]
    let waits = node["waits"] != nil
    checkMembers(of: node, at: place, known: waits ? known + ["waits"] : known, owner: "a relationship")
    if waits {
      fault(
        place.appending("waits"),
        "no link waits for a missing object; remove \"waits\" and \"weak\", since a relationship that is not weak "
          + "keeps a missing target as a stub")
    }
    let isToMany = boolean("toMany", of: node, at: place) ?? false
    var path = keyPath(of: node, at: place)
    // As for a root path. An attribute may read the member "".
    if path.components == [""] { path = .wholeValue }
    let policy = choice(
      "policy", of: node, at: place, noun: "policy", among: RelationshipPolicy.named.map(\.name)
    )
    .flatMap { name in RelationshipPolicy.named.first { $0.name == name } }
    let isWeak = boolean("weak", of: node, at: place) ?? false
    guard let destination = string("mapping", of: node, at: place) else {
      if node["mapping"] == nil {
        fault(place.appending("mapping"), expected: "the name of a mapping", found: nil)
      }
      return nil
    }
    var definition = RelationshipDefinition(
      name, .named(destination), isToMany: isToMany, at: path, policy: policy ?? .assign, isWeak: isWeak)
    definition.keyedBy = string("keyedBy", of: node, at: place)
    definition.was = string("was", of: node, at: place)
    return definition
  }
}
