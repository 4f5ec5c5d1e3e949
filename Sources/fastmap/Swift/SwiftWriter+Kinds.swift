import FastMapCore

/// Mappings with kinds: the mapping of a base class has the fields that all of its kinds read alike.
extension SwiftWriter {
  func wordsOfKind(_ definition: MappingDefinition, _ type: GeneratedClass) -> [String] {
    let base =
      file.kinds.chooser(of: definition).flatMap { file.reference(to: .named($0.name)) } ?? ""
    return [
      "\(type.name).self", SwiftLiteral.string(definition.name), "kindOf: \(base)",
      "make: \(type.name).init",
    ]
  }

  /// The choice, as arguments that may stand on several lines.
  func words(of kinds: Kinds) -> [String] {
    var words = ["kinds: Kinds(\(SwiftLiteral.keyPath(kinds.keyPath))"]
    let values = kinds.values.map { value, destination in
      "\(SwiftLiteral.string(value)): .mapping(\(file.reference(to: destination) ?? ""))"
    }
    for (index, value) in values.enumerated() {
      words.append((index == 0 ? "[" : "") + value + (index == values.count - 1 ? "]" : ""))
    }
    if values.isEmpty { words.append("[:]") }
    switch kinds.otherwise {
    case .error: break
    case .skip: words.append("otherwise: .skip")
    case .mapping(let destination):
      words.append("otherwise: .mapping(.mapping(\(file.reference(to: destination) ?? "")))")
    }
    words[words.count - 1] += ")"
    return words
  }

  /// A mapping's own field lines. A kind inherits the lines of its base.
  func ownLines(of definition: MappingDefinition, _ type: Int, hasLeniency: Bool) -> [String] {
    if definition.kinds != nil { return common[ByteName(definition.name)] ?? [] }
    let lines = lines(of: definition, type, hasLeniency: hasLeniency)
    guard let base = file.kinds.chooser(of: definition) else { return lines }
    let inherited = Set(common[ByteName(base.name)] ?? [])
    return lines.filter { !inherited.contains($0) }
  }

  /// The lines that all kinds of a mapping have, with properties of the base class.
  func commonLines(of definition: MappingDefinition) -> [String] {
    let kinds = file.kinds.kinds(of: definition)
    guard let first = kinds.first, let base = file.number(of: definition) else { return [] }
    let others = kinds.dropFirst().map { Set(lines(of: $0, base)) }
    return lines(of: first, base).filter { line in others.allSatisfy { $0.contains(line) } }
  }
}
