import FastMapCore

/// The names that may complete the last word of a call: mappings, and fields of the mapping.
///
/// The scripts of the shells ask for them with `fastmap completion names WORD…`. A call without names, or with a fault, has none.
enum NameCompletion {
  /// - Parameter words: The words after `fastmap`, up to the completed word.
  static func names(for words: [String]) -> [String] {
    guard let command = words.first.flatMap(Command.init(rawValue:)), words.count > 1 else { return [] }
    var values: [String: String] = [:]
    var operands: [String] = []
    var pending: Option?
    for word in words.dropFirst().dropLast() where word != "=" {
      if let option = pending {
        values[option.name] = word
        pending = nil
      } else if word.hasPrefix("--") {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
        let option = command.options.first { $0.name == parts.first }
        if parts.count == 2 { values[parts[0]] = parts[1] } else if option?.value != nil { pending = option }
      } else {
        operands.append(word)
      }
    }
    var missing = command.words.filter { values[$0] == nil }
    for word in operands where !missing.isEmpty { values[missing.removeFirst()] = word }
    let wanted = pending.map(CompletionWord.init) ?? (missing.first == "as" ? .mapping : .other)
    guard let mappings = try? mappings(values) else { return [] }
    switch wanted {
    case .mapping: return mappings.set.mappings.map(\.name)
    case .field:
      let mapping = values["as"].flatMap { mappings.set[$0] }
      let last = words.last ?? ""
      let start = last.lastIndex { ",-".contains($0) }.map { last[...$0] } ?? ""
      let fields = (mapping?.attributes.map(\.name) ?? []) + (mapping?.relationships.map(\.name) ?? [])
      return fields.map { start + $0 }
    default: return []
    }
  }

  /// A server is not asked, as a shell waits.
  private static func mappings(_ values: [String: String]) throws -> CommandMappings? {
    if let path = values["mappings"] { return try CommandMappings(at: path) }
    guard case .directory(let path)? = try values["store"].map({ try StoreAddress($0) }) else { return nil }
    return try Inputs.directoryStore(path).keptMappings().map { try CommandMappings($0, of: path) }
  }
}
