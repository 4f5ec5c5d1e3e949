import FastMapCore

/// Writes the classes of a mapping file as Swift.
struct SwiftWriter {
  let file: GeneratedFile
  /// By the name of a mapping with kinds: the lines that all of them have.
  private(set) var common: [ByteName: [String]] = [:]
  private var lines: [String] = []
  private let indent: String

  /// - Parameter namespace: The enum around all classes; nil for none.
  static func text(of file: GeneratedFile, namespace: String?) -> String {
    var writer = SwiftWriter(file: file, indent: namespace == nil ? "" : "  ")
    writer.lines = [
      "// Made by `fastmap swift` from a mapping file.", "// swift-format-ignore-file", "",
      "import FastMapCore", "",
    ]
    if let namespace { writer.lines.append("enum \(namespace) {") }
    for number in file.classes.indices {
      if number > 0 { writer.add("") }
      writer.write(number)
    }
    writer.writeSet(isStatic: namespace != nil)
    writer.writeJSON()
    if namespace != nil { writer.lines.append("}") }
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private init(file: GeneratedFile, indent: String) {
    (self.file, self.indent) = (file, indent)
    for mapping in file.classes.flatMap(\.mappings).map(\.definition) where mapping.kinds != nil {
      common[ByteName(mapping.name)] = commonLines(of: mapping)
    }
  }

  private mutating func add(_ line: String) { lines.append(line.isEmpty ? "" : indent + line) }

  // MARK: Classes

  private mutating func write(_ number: Int) {
    let type = file.classes[number]
    if let kind = type.kind {
      add("/// \(SwiftLiteral.string(kind)), a kind of \(SwiftLiteral.string(type.entity)).")
    } else if type.name != type.entity {
      add("/// The entity \(SwiftLiteral.string(type.entity)).")
    }
    let head = "class \(type.name)" + (type.base.map { ": \($0.name)" } ?? "")
    let isBase = file.kinds.hasKinds(type.entity) && type.base == nil
    if type.properties.isEmpty, type.mappings.isEmpty { return add("final \(head) {}") }
    add((isBase ? "" : "final ") + head + " {")
    for property in type.properties { add("  " + declaration(of: property)) }
    for mapping in type.mappings {
      if mapping.name != type.mappings.first?.name || !type.properties.isEmpty { add("") }
      write(mapping, of: type)
    }
    add("}")
  }

  private func declaration(of property: GeneratedClass.Property) -> String {
    switch property.type {
    case .toOne(let target): return "var \(property.name): \(target)?"
    case .owner(let target): return "weak var \(property.name): \(target)?"
    case .toMany(let target): return "var \(property.name): [\(target)] = []"
    case .list(let list):
      let element = SwiftLiteral.typeName(list.element) + (list.hasGaps ? "?" : "")
      return "var \(property.name): [\(element)]?" + (property.initial.map { " = \($0)" } ?? "")
    case .value(let kind, isOptional: true):
      return "var \(property.name): \(SwiftLiteral.typeName(kind))?"
        + (property.initial.map { " = \($0)" } ?? "")
    case .value(let kind, isOptional: false):
      return "var \(property.name) = " + (kind == .integer ? "0" : "\"\"")
    }
  }

  // MARK: Mappings

  private mutating func write(_ mapping: GeneratedMapping, of owner: GeneratedClass) {
    let definition = mapping.definition
    let type = file.classes[mapping.type]
    let words = type.kind == nil ? words(of: definition, type) : wordsOfKind(definition, type)
    let start = "  static let \(mapping.name): Mapping<\(type.name)> = Mapping("
    let list = words.joined(separator: ", ")
    if (indent + start + list).count + 3 <= Self.width {
      add(start + list + ") {")
    } else {
      add(start)
      for line in Self.wrapped(words, width: Self.width - indent.count - 4) { add("    " + line) }
      add("  ) {")
    }
    let isLenient =
      !file.kinds.hasKinds(owner.entity) && definition.keyFields?.parts.isEmpty != false
      && Self.isLenient(definition)
    for line in ownLines(of: definition, mapping.type, hasLeniency: !isLenient) {
      add("    " + line)
    }
    for index in definition.indexes {
      let fields = index.fields.map { SwiftLiteral.string($0.description) }
      add(
        "    Index(" + (fields + (index.isUnique ? ["isUnique: true"] : [])).joined(separator: ", ")
          + ")")
    }
    add(isLenient ? "  }.lenient" : "  }")
  }

  private func words(of definition: MappingDefinition, _ type: GeneratedClass) -> [String] {
    var words = ["\(type.name).self", SwiftLiteral.string(definition.name)]
    let entity = file.kinds.entity(of: definition)
    if ByteName(entity) != ByteName(definition.name) {
      words.append("entity: \(SwiftLiteral.string(entity))")
    }
    if !definition.rootPath.isWhole {
      words.append("rootPath: \(SwiftLiteral.keyPath(definition.rootPath))")
    }
    if let key = file.kinds.key(of: definition) { words.append("primaryKey: \(Self.key(key))") }
    if definition.missingPrimaryKey != .error {
      words.append("missingPrimaryKey: .\(definition.missingPrimaryKey.rawValue)")
    }
    if let name = definition.newerBy { words.append("newerBy: \(SwiftLiteral.string(name))") }
    if let deletedBy = definition.deletedBy {
      words.append("deletedBy: \(Self.deletedBy(deletedBy))")
    }
    if let name = definition.keyedBy { words.append("keyedBy: \(SwiftLiteral.string(name))") }
    if !definition.ignores.isEmpty {
      words.append("ignores: [\(definition.ignores.map(SwiftLiteral.keyPath).joined(separator: ", "))]")
    }
    if let was = definition.was { words.append("was: \(SwiftLiteral.string(was))") }
    if let kinds = definition.kinds { words += self.words(of: kinds) }
    words.append("make: \(type.name).init")
    return words
  }

  /// The longest line that it breaks.
  private static let width = 110

  private static func key(_ key: KeyFields) -> String {
    let names = key.names.map { SwiftLiteral.string($0) }.joined(separator: ", ")
    return key.isScoped ? ".scoped(\(names))" : key.names.count == 1 ? names : "[\(names)]"
  }

  private static func deletedBy(_ deletedBy: DeletedBy) -> String {
    let name = SwiftLiteral.string(deletedBy.attribute)
    guard let values = deletedBy.values else { return name }
    let literals = values.map { value in
      switch value {
      case .boolean(let value): "\(value)"
      case .integer(let value): "\(value)"
      case .string(let text): SwiftLiteral.string(text)
      default: "nil"
      }
    }
    return "DeletedBy(\(name), [\(literals.joined(separator: ", "))])"
  }

  private static func isLenient(_ definition: MappingDefinition) -> Bool {
    let fields =
      definition.declaredAttributes.filter { !$0.isRest }.map(\.isLenient)
      + definition.relationships.map(\.isLenient)
    return !fields.isEmpty && !fields.contains(false)
  }

  /// Words with commas between them, as many a line as fit.
  private static func wrapped(_ words: [String], width: Int) -> [String] {
    var lines: [String] = []
    for (index, word) in words.enumerated() {
      let part = word + (index == words.count - 1 ? "" : ",")
      if let last = lines.last, last.count + part.count < width {
        lines[lines.count - 1] = last + " " + part
      } else {
        lines.append(part)
      }
    }
    return lines
  }

  // MARK: Other declarations

  /// The mappings together, where a plan of one differs: it does not know the other fields of an entity, and the objects
  /// that have a target in their key.
  private mutating func writeSet(isStatic: Bool) {
    let hasFamilies = file.classes.contains { $0.mappings.count > 1 }
    let mappings = file.classes.flatMap { type in type.mappings.map { (type.name, $0) } }
    guard hasFamilies || mappings.contains(where: { $0.1.definition.hasRelationshipInKey }),
      let first = mappings.first
    else { return }
    add("")
    add(
      "/// All mappings, for plans that know the others: `allMappings.plan(for: \(SwiftLiteral.string(first.1.definition.name)))`."
    )
    add((isStatic ? "static let" : "let") + " allMappings = MappingSet([")
    for (type, mapping) in mappings { add("  \(type).\(mapping.name).definition,") }
    add("])")
  }

  private mutating func writeJSON() {
    let hasJSON = file.classes.contains { type in
      type.properties.contains { if case .value(.json, _) = $0.type { true } else { false } }
    }
    guard hasJSON else { return }
    let text = """

      /// Any JSON value, as its text.
      struct JSONText: AttributeValue, Hashable, Sendable {
        var text: String

        init(_ text: String) { self.text = text }

        static var attributeType: AttributeType { .json }

        init?(_ field: Field) {
          guard let bytes = field.bytes else { return nil }
          text = String(decoding: bytes, as: UTF8.self)
        }

        func write(to field: inout FieldWriter) {
          var text = text
          text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
        }
      }
      """
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { add(String(line)) }
  }
}

extension MappingDefinition {
  fileprivate var hasRelationshipInKey: Bool {
    let names = Set((keyFields?.parts ?? []).map { ByteName($0) })
    return relationships.contains { names.contains(ByteName($0.name)) }
  }
}
